// Conform: compares what a case did with what its golden line expects.
#ifndef STRANDCORE_RUNTIME_CLI_CONFORM_H_
#define STRANDCORE_RUNTIME_CLI_CONFORM_H_

#include <string>

#include "runtime/cli/case.h"

namespace strandcore {

// "" where `result` (of RunCase) is what `expect` says, else the first difference. `in_order` says that every transfer
// completed at its start and cores ran one after another, as in the seed's run: then outputs must be equal also where
// other orders give others. Fields of `expect` that no result has yet (hazards) are not compared.
std::string Difference(const Json& golden, const Json& result, bool in_order);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_CONFORM_H_
