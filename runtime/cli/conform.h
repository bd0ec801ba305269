// Conform: compares what a case did with what its golden line expects.
//
// Concurrency: values.
#ifndef STRANDCORE_RUNTIME_CLI_CONFORM_H_
#define STRANDCORE_RUNTIME_CLI_CONFORM_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/cli/case.h"

namespace strandcore {

// What a golden line says of its case, beside the case.
struct Expectation {
  std::optional<std::string> error;  // the name of the refusal; then nothing else counts
  bool deadlock = false;             // then there are no outputs
  Json trace = Json::array();
  Json outputs = Json::array();
  std::optional<Json> hazards;  // of a run that ends
  bool cross_core = false;
  bool one_order = true;  // whether every legal order gives these outputs
};

// Refuses a missing or malformed field by its name ("expect.trace[3]"), with what was expected and what was given.
absl::StatusOr<Expectation> ParseExpectation(const Json& golden);

// "" where `result` (of RunCase) is what is expected, else the first difference. `as_the_seed` says that every transfer
// completed at its start and cores ran one after another, as in the seed's run: then outputs must be equal also where
// other orders give others.
std::string Difference(const Expectation& expected, const Json& result, bool as_the_seed);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_CONFORM_H_
