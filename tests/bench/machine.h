// Which simulators are measured: without the checker, unless it is what is measured.
#ifndef STRANDCORE_TESTS_BENCH_MACHINE_H_
#define STRANDCORE_TESTS_BENCH_MACHINE_H_

#include "runtime/strandcore.h"

namespace strandcore::bench {

inline SimulatorOptions Checked(SimulatorOptions options, bool check) {
  options.check = check;
  return options;
}
inline SimulatorOptions Unchecked(const SimulatorOptions& options) { return Checked(options, false); }

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_MACHINE_H_
