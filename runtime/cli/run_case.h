// RunCase: runs a golden case on a simulator and tells what happened, in the words of golden/README.md.
#ifndef STRANDCORE_RUNTIME_CLI_RUN_CASE_H_
#define STRANDCORE_RUNTIME_CLI_RUN_CASE_H_

#include <functional>
#include <optional>

#include "runtime/cli/case.h"
#include "runtime/exec/pick_policy.h"

namespace strandcore {

class CheckerHook;

// What is done to an operand's schedule before it is used.
using ScheduleChange = std::function<Schedule(const Schedule&)>;

struct CaseRunOptions {
  int threads = 0;  // 0: one thread and the policy
  Policy policy;
  // Of tests that a wrong pipeline is told from a right one.
  ScheduleChange alter_schedule = nullptr;
  // Of the runtime's own tests: comes between the simulator and its checker.
  CheckerHook* checker_hook = nullptr;
};

// {name, trace, outputs}, {name, trace, deadlock} or {name, error}. An error status if the case cannot be run at all.
absl::StatusOr<Json> RunCase(const Case& given, const CaseRunOptions& options);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_RUN_CASE_H_
