// RunReport: how a run ended, as a value.
//
//   ok: 2 cores, 16 steps; x 16 copies in, y 16 copies out, 2 MiB
#ifndef STRANDCORE_RUNTIME_SIMULATOR_RUN_REPORT_H_
#define STRANDCORE_RUNTIME_SIMULATOR_RUN_REPORT_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/core/counters.h"
#include "runtime/trace/fault.h"

namespace strandcore {

// Faults of one kind that were found and are not in a report, as it holds as many as it may.
struct LeftOut {
  FaultKind kind = FaultKind::kRace;
  int64_t faults = 0;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct RunReport {
  // What was refused: a mistake in the call, or inside a kernel. OK where the run came to its end, or to a fault.
  absl::Status status;
  // What the emulated program did wrong: first what ended the run, then what the checker found, in Fault's order.
  std::vector<Fault> faults;
  // Beyond SimulatorOptions::max_faults, by kind; `more_faults`: there were even more, which are not counted.
  std::vector<LeftOut> left_out;
  bool more_faults = false;
  // What may be right, but is worth knowing.
  std::vector<Note> notes;
  int64_t notes_left_out = 0;  // beyond SimulatorOptions::max_faults
  // Whether no schedule of this input races or hangs; only where the checker watched.
  bool proved = false;
  // Where the checker watched and it is not proved: why not.
  std::string why_not_proved;
  Counters counters;
  int cores = 0;
  // The kernels' own lines (KernelContext::Print), in the order in which they were printed.
  std::vector<std::string> printed;

  bool ok() const { return status.ok() && faults.empty(); }
  // The counters of one operand; all zero for a name that the run did not have.
  OperandCounters CountersOf(const std::string& operand) const;
  // Faults of one cause are one, with the others as lines below it.
  std::string ToString() const;
  friend bool operator==(const RunReport& a, const RunReport& b) = default;
};

std::ostream& operator<<(std::ostream& out, const RunReport& report);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_RUN_REPORT_H_
