// The command line as a library: what `strandcore` does with its arguments.
#ifndef STRANDCORE_RUNTIME_CLI_COMMAND_H_
#define STRANDCORE_RUNTIME_CLI_COMMAND_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace strandcore {

// Runs one command and answers the exit status: 0 all well, 1 a difference was found, 2 wrong use or a malformed file
// (then with one line on `err`).
int RunCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_COMMAND_H_
