// GoogleTest matchers for how a run ended:
//
//   EXPECT_THAT(Run(kernel), IsClean());
//   EXPECT_THAT(Run(kernel), IsRefused("expected equal shapes"));
//   EXPECT_THAT(Run(kernel), HasFault(FaultKind::kDeadlock, HasSubstr("core 0")));
//   EXPECT_THAT(Run(kernel), HasTransfers("x", 64));
//
// A report that does not match is printed as the user of the tool would see it.
#ifndef STRANDCORE_RUNTIME_TESTING_MATCHERS_H_
#define STRANDCORE_RUNTIME_TESTING_MATCHERS_H_

#include <gmock/gmock.h>

#include <string>

#include "runtime/simulator/run_report.h"
#include "runtime/trace/fault.h"

namespace strandcore::testing {

MATCHER(IsClean, "ended without a refusal and without a fault") { return arg.ok(); }

// Refused with a message that `message`, a matcher, describes.
MATCHER_P(IsRefusedWith, message, "was refused") {
  if (arg.status.ok() || !arg.faults.empty()) return false;
  return ::testing::ExplainMatchResult(message, std::string(arg.status.message()), result_listener);
}
// Refused with a message that holds `part`.
inline auto IsRefused(const std::string& part) { return IsRefusedWith(::testing::HasSubstr(part)); }

// Exactly one fault, of this kind, whose whole text `text`, a matcher, describes.
MATCHER_P2(HasFault, kind, text, "has one fault of the kind " + std::string(FaultName(kind))) {
  if (!arg.status.ok() || arg.faults.size() != 1 || arg.faults[0].kind != kind) return false;
  return ::testing::ExplainMatchResult(text, arg.faults[0].ToString(), result_listener);
}
inline auto HasFault(FaultKind kind) { return HasFault(kind, ::testing::_); }

// The transfers that moved an operand, in and out together.
MATCHER_P2(HasTransfers, operand, count,
           "moved " + std::string(operand) + " in " + std::to_string(count) + " transfers") {
  const OperandCounters counters = arg.CountersOf(operand);
  *result_listener << "which moved it in " << counters.copies_in << " and out " << counters.copies_out << " times";
  return counters.copies_in + counters.copies_out == count;
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_RUNTIME_TESTING_MATCHERS_H_
