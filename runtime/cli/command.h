// The command line as a library: what `strandcore` does with its arguments.
#ifndef STRANDCORE_RUNTIME_CLI_COMMAND_H_
#define STRANDCORE_RUNTIME_CLI_COMMAND_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "runtime/cli/catalogue.h"
#include "runtime/cli/run_case.h"

namespace strandcore {

// Runs one command and answers the exit status: 0 all well, 1 a difference was found, 2 wrong use or a malformed file
// (then with one line on `err`). `catalogue`: what list and run know. `alter_schedule`: see CaseRunOptions.
int RunCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
               const Catalogue& catalogue = {}, const ScheduleChange& alter_schedule = nullptr);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_COMMAND_H_
