// Support: what the tests of the field reports share, over the suite's: arrays of whole numbers, and what a report
// says.
#ifndef STRANDCORE_TESTS_REPORTS_SUPPORT_H_
#define STRANDCORE_TESTS_REPORTS_SUPPORT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/simulator/checker_hook.h"
#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"
#include "tests/suite/support.h"

// First in a test whose program races, or ends with a copy that nobody waited for: ThreadSanitizer reports that itself,
// which ends the test.
#ifdef STRANDCORE_TSAN
#define SKIP_IF_THE_SANITIZER_REPORTS_IT() GTEST_SKIP() << "the sanitizer reports it too"
#else
#define SKIP_IF_THE_SANITIZER_REPORTS_IT() static_cast<void>(0)
#endif

namespace strandcore::testing {

// What rules_off_test takes from the checker, in a run of these tests that it starts for that: "checker" for all of it,
// "definedness" or "scopes_end" for that rule alone.
inline constexpr char kRuleOffVariable[] = "STRANDCORE_REPORTS_RULE_OFF";
inline absl::string_view RuleOff() {
  const char* rule = std::getenv(kRuleOffVariable);
  return rule == nullptr ? "" : rule;
}

class RuleOffHook final : public CheckerHook {
 public:
  CheckerRules rules() const override {
    CheckerRules rules;
    rules.definedness = RuleOff() != "definedness";
    rules.scopes_end = RuleOff() != "scopes_end";
    return rules;
  }
};

// The fixture of the reports: on every backend, with the checker on, but for what rules_off_test takes away.
class ReportTest : public ScheduleTest {
 protected:
  Simulator& MakeSimulator(SimulatorOptions options) {
    static RuleOffHook hook;
    if (RuleOff() == "checker") options.check = false;
    Simulator& simulator = ScheduleTest::MakeSimulator(options);
    if (!RuleOff().empty()) hook.AttachTo(simulator);
    return simulator;
  }
  Simulator& MakeSimulator(int cores = 1) { return MakeSimulator(OptionsFor(cores)); }
  RunReport Run(const RefFunction& kernel, const Operands& operands = {}, int cores = 1) {
    return MakeSimulator(cores).Run(kernel, operands);
  }
};

// Tells rules_off_test that the test at hand looks for such a fault.
inline void Expecting(FaultKind kind) { ::testing::Test::RecordProperty(FaultName(kind), "expected"); }

// Clean, and so on every schedule of this input.
MATCHER(IsProved, "ended clean, and proved so for all schedules") { return arg.ok() && arg.proved; }

// One fault or more, all of this kind, of which one has a text that `text`, a matcher, describes.
MATCHER_P2(HasOnly, kind, text, "has faults of the kind " + std::string(FaultName(kind)) + " alone") {
  Expecting(kind);
  if (!arg.status.ok() || arg.faults.empty()) return false;
  const auto is_kind = [&](const Fault& fault) { return fault.kind == kind; };
  if (!std::all_of(arg.faults.begin(), arg.faults.end(), is_kind)) return false;
  return std::any_of(arg.faults.begin(), arg.faults.end(), [&](const Fault& fault) {
    return ::testing::ExplainMatchResult(text, fault.ToString(), result_listener);
  });
}

// This one fault and no other.
MATCHER_P2(HasOne, kind, text, "has one fault, of the kind " + std::string(FaultName(kind))) {
  Expecting(kind);
  return ::testing::ExplainMatchResult(HasFault(kind, text), arg, result_listener);
}

// Among its faults is one of this kind with such a text.
MATCHER_P2(HasAmong, kind, text, "has among its faults one of the kind " + std::string(FaultName(kind))) {
  Expecting(kind);
  return arg.status.ok() && std::any_of(arg.faults.begin(), arg.faults.end(), [&](const Fault& fault) {
           return fault.kind == kind && ::testing::ExplainMatchResult(text, fault.ToString(), result_listener);
         });
}

// What most of these kernels move.
inline constexpr DType kF32 = DType::kFloat32;
inline ScopedMemory VmemTile(const std::string& name) { return Vmem({8, 128}, kF32, name); }
inline ScopedMemory VmemTiles(int64_t count, const std::string& name) { return Vmem({count, 8, 128}, kF32, name); }
// `count` blocks of (8, 128), each of one number: 1, 2, 3, ...
inline Array NumberedBlocks(int64_t count) {
  Array x(kF32, {count, 8, 128});
  x.Generate([](int64_t flat) { return static_cast<double>(1 + flat / 1024); });
  return x;
}
inline Array Blocks(int64_t count) { return Array(kF32, {count, 8, 128}); }

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_REPORTS_SUPPORT_H_
