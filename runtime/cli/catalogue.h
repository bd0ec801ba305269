// Catalogue: kernels with their default operands, for `strandcore list` and `strandcore run NAME`. The tool hands its
// own to RunCommand: this room knows no kernels.
#ifndef STRANDCORE_RUNTIME_CLI_CATALOGUE_H_
#define STRANDCORE_RUNTIME_CLI_CATALOGUE_H_

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cli/run_case.h"
#include "runtime/simulator/run_report.h"
#include "runtime/simulator/simulator.h"

namespace strandcore {

struct CatalogueEntry {
  std::string name;
  std::string summary;  // a line
  int cores = 1;
  // One run over operands of its own. A refusal where the kernel cannot be made.
  std::function<absl::StatusOr<RunReport>(Simulator& simulator)> run;
};
using Catalogue = std::vector<CatalogueEntry>;

// A line an entry.
void ListEntries(const Catalogue& catalogue, std::ostream& out);

// Runs the entry of this name, prints its report, as JSON if that is asked for, and answers whether it is ok. Refuses a
// name that is not there.
absl::StatusOr<bool> RunEntry(const Catalogue& catalogue, const std::string& name, const CaseRunOptions& options,
                              bool json, std::ostream& out);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_CATALOGUE_H_
