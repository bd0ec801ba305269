// The tool's flags (Abseil's) and the words between them.
#ifndef STRANDCORE_RUNTIME_CLI_FLAGS_H_
#define STRANDCORE_RUNTIME_CLI_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cli/run_case.h"

namespace strandcore {

struct CommandLine {
  bool help = false;
  bool json = false;  // run prints its report as JSON
  CaseRunOptions run;
  std::vector<std::string> words;  // what is no flag: the command and its files
};

// Refuses flags that are not there, values that do not fit, and flags that contradict each other; never exits. Flags
// have their defaults again when it returns.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_FLAGS_H_
