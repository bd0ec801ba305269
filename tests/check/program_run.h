// RunProgram: one run of an OrderProgram on a small machine with real counters, under a schedule drawn from a seed. All
// that has to do with order is told to LaunchOrder and to the log; the machine itself uses nothing of runtime/.
#ifndef STRANDCORE_TESTS_CHECK_PROGRAM_RUN_H_
#define STRANDCORE_TESTS_CHECK_PROGRAM_RUN_H_

#include <cstdint>
#include <set>
#include <vector>

#include "runtime/check/order_names.h"
#include "tests/check/order_program.h"

namespace strandcore {

struct ProgramRun {
  OrderVerdict verdict;             // with the solved order
  std::set<RacePair> races_of_run;  // with the run's own order
  std::vector<LatePost> late_posts;
  bool late = false;
  std::vector<int> open;  // semaphores that are open at the end
  int passes = 0;
};

ProgramRun RunProgram(const OrderProgram& program, uint64_t seed, const OrderRules& rules = {});

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_PROGRAM_RUN_H_
