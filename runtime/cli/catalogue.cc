#include "runtime/cli/catalogue.h"

#include <algorithm>
#include <ostream>

#include "runtime/base/refusal.h"
#include "runtime/simulator/report_json.h"

namespace strandcore {

void ListEntries(const Catalogue& catalogue, std::ostream& out) {
  size_t width = 0;
  for (const CatalogueEntry& entry : catalogue) width = std::max(width, entry.name.size());
  for (const CatalogueEntry& entry : catalogue) {
    out << entry.name << std::string(width - entry.name.size() + 2, ' ') << entry.summary << "\n";
  }
}

absl::StatusOr<bool> RunEntry(const Catalogue& catalogue, const std::string& name, const CaseRunOptions& options,
                              bool json, std::ostream& out) {
  const auto entry = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const CatalogueEntry& candidate) { return candidate.name == name; });
  if (entry == catalogue.end()) return Refuse("run: expected a name that strandcore list prints, given \"", name, "\"");
  SimulatorOptions simulated;
  simulated.cores = entry->cores;
  simulated.threads = options.threads;
  if (options.threads == 0) simulated.policy = options.policy;
  Simulator simulator(simulated);
  absl::StatusOr<RunReport> report = entry->run(simulator);
  if (!report.ok()) return report.status();
  if (json) {
    out << ToJson(*report) << "\n";
    return report->ok();
  }
  for (const std::string& line : report->printed) out << line << "\n";
  out << *report << "\n";
  return report->ok();
}

}  // namespace strandcore
