// The step limit: ends runs that would go on for ever, and says who still ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StepLimitTest : public ScheduleTest {
 protected:
  RunReport RunWithLimit(int64_t limit, const RefFunction& kernel, int cores = 1) {
    SimulatorOptions options = OptionsFor(cores);
    options.step_limit = limit;
    return MakeSimulator(options).Run(kernel, {});
  }
};
STRANDCORE_ON_EVERY_BACKEND(StepLimitTest);

TEST_P(StepLimitTest, EndsAPollThatNeverEnds) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          while (core.ReadSemaphore(s) == 0) {
          }
        },
        RegularSemaphore());
  };
  const RunReport report = RunWithLimit(1000, kernel);
  EXPECT_EQ(report.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(report, IsRefused("the step limit of 1000 is reached (core 0, kernel"));
  EXPECT_THAT(report, IsRefused("\n  still running: core 0, kernel (step_limit_test.cc:"));
}

TEST_P(StepLimitTest, NamesTheCoresThatStillRanAndNoOthers) {
  std::atomic<bool> core_2_runs{false};
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() == 1) return;
    if (core.core_index() == 2) {
      core_2_runs = true;
      WaitForEver(core);
    }
    // A core that has not begun when the limit is reached never begins. On one thread it begins while this one gives
    // its turns away, of which there are many: the host thread posts the cores one by one. On more it begins before
    // this one makes its first request.
    while (!backend().one_thread() && !core_2_runs.load()) std::this_thread::yield();
    for (;;) core.Delay(1);
  };
  EXPECT_THAT(
      RunWithLimit(200'000, kernel, 3),
      IsRefusedWith(AllOf(HasSubstr("the step limit of 200000 is reached"), HasSubstr("still running: core 0, kernel"),
                          Not(HasSubstr("running: core 1")), HasSubstr("still running: core 2, kernel"))));
}

TEST_P(StepLimitTest, EndsALongDelay) {
  auto kernel = [](KernelContext& core) { core.Delay(int64_t{1} << 40); };
  EXPECT_THAT(RunWithLimit(500, kernel), IsRefused("the step limit of 500 is reached (core 0, kernel"));
}

TEST_P(StepLimitTest, CountsScopes) {
  auto kernel = [](KernelContext& core) {
    for (;;) core.RunScoped([](Ref) {}, Smem({1}, DType::kInt32));
  };
  EXPECT_THAT(RunWithLimit(100, kernel), IsRefused("the step limit of 100 is reached"));
}

TEST_P(StepLimitTest, OfJustEnoughStepsIsNotReached) {
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 10; ++i) core.Delay(1);
  };
  EXPECT_THAT(RunWithLimit(10, kernel), IsClean());
  EXPECT_THAT(RunWithLimit(9, kernel), IsRefused("the step limit of 9 is reached"));
}

TEST_P(StepLimitTest, IsCountedAnewInEachRun) {
  SimulatorOptions options = OptionsFor(1);
  options.step_limit = 10;
  Simulator& simulator = MakeSimulator(options);
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 10; ++i) core.Delay(1);
  };
  for (int i = 0; i < 3; ++i) EXPECT_THAT(simulator.Run(kernel, {}), IsClean());
}

}  // namespace
}  // namespace strandcore::testing
