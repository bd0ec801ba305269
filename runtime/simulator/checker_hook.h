// CheckerHook: how the runtime's own tests come between a simulator and its checker: to take rules away, or to listen.
//
// Ownership: the test's; outlives the simulator's runs. Concurrency: called by the thread that calls Run.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_CHECKER_HOOK_H_
#define STRANDCORE_RUNTIME_SIMULATOR_CHECKER_HOOK_H_

#include "runtime/check/checker.h"
#include "runtime/simulator/simulator.h"

namespace strandcore {

class CheckerHook {
 public:
  virtual ~CheckerHook() = default;

  // From the simulator's next run on. REQUIRES: no run is on.
  void AttachTo(Simulator& simulator) { simulator.hook_ = this; }

  virtual CheckerRules rules() const { return {}; }
  // Who is told what happens in a run, and passes it on to the checker.
  virtual Monitor& MonitorFor(Checker& checker) { return checker; }
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_CHECKER_HOOK_H_
