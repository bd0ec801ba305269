// Units that are left on a semaphore when it ends (field_reports.md S10, S20).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

using LeftoversReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(LeftoversReportTest);

// Signals its own semaphore twice, waits `waits` times.
RefFunction SignalsTwice(int waits) {
  return [waits](KernelContext& core) {
    auto kernel = [&](SemaphoreRef ready) {
      core.Signal(ready, 2);
      for (int i = 0; i < waits; ++i) core.Wait(ready);
    };
    core.RunScoped(kernel, RegularSemaphore({}, "ready"));
  };
}

TEST_P(LeftoversReportTest, S10AUnitThatIsLeftIsReportedWithItsSemaphoreAndItsSignal) {
  const RunReport report = Run(SignalsTwice(1));
  EXPECT_THAT(report,
              HasOne(FaultKind::kSemaphoreNotZero, AllOf(HasSubstr("ready"), HasSubstr("core 0"),
                                                         HasSubstr("1 unit left"), HasSubstr("leftovers_test.cc:"))));
  EXPECT_THAT(Run(SignalsTwice(2)), IsProved());
}

TEST_P(LeftoversReportTest, S10EveryCoreIsLookedAt) {
  const RunReport report = Run(SignalsTwice(1), {}, 3);
  EXPECT_THAT(report.ToString(),
              AnyOf(HasSubstr("cores 0–2"), AllOf(HasSubstr("core 0"), HasSubstr("core 1"), HasSubstr("core 2"))));
  EXPECT_THAT(report, HasOnly(FaultKind::kSemaphoreNotZero, HasSubstr("ready")));
  EXPECT_THAT(Run(SignalsTwice(2), {}, 3), IsProved());
}

RefFunction PushesThree(int64_t pops) {
  return [pops](KernelContext& core) {
    auto kernel = [&](SemaphoreRef tokens) {
      for (int push = 0; push < 3; ++push) core.Signal(tokens);
      core.Wait(tokens, pops);
    };
    core.RunScoped(kernel, RegularSemaphore({}, "tokens"));
  };
}

TEST_P(LeftoversReportTest, S20ATokenThatIsLeftIsReportedByTheKernelThatLeftItAndALaterOneIsNotHurt) {
  Simulator& simulator = MakeSimulator();
  EXPECT_THAT(simulator.Run(PushesThree(2), {}),
              HasOne(FaultKind::kSemaphoreNotZero,
                     AllOf(HasSubstr("tokens of core 0 ends with 1 unit left"), HasSubstr("leftovers_test.cc:"))));
  EXPECT_THAT(simulator.Run(PushesThree(3), {}), IsProved());
}

}  // namespace
}  // namespace strandcore::testing
