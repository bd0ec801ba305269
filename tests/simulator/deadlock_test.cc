// Deadlocks: known the moment nothing can run, on every backend; who waits, where, for what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

using DeadlockTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(DeadlockTest);

TEST_P(DeadlockTest, OfOneCoreSaysWhatItHasAndNeeds) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef slots) {
          core.Signal(slots.At(1), 2);
          core.Wait(slots.At(1), 3);
        },
        RegularSemaphore({2}, "slots"));
  };
  EXPECT_THAT(Run(kernel), HasFault(FaultKind::kDeadlock,
                                    MatchesRegex("deadlock: nothing can run\n"
                                                 "  core 0, kernel \\(deadlock_test.cc:[0-9]+\\): slots\\[1\\] holds 2 "
                                                 "of 3 units\n"
                                                 "  who could pay slots\\[1\\]: nobody, no other core is running")));
}

// The copy is complete, but shorter than what is waited for.
TEST_P(DeadlockTest, OfACopyCountsBytes) {
  const Array x(DType::kFloat32, {32, 128});
  Array y(DType::kFloat32, {32, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          core.MakeAsyncCopy(x.At(Ds(0, 8)), y.At(Ds(0, 8)), done).Start();
          core.MakeAsyncCopy(x, y, done).Wait();
        },
        DmaSemaphore({}, "done"));
  };
  EXPECT_THAT(
      Run(kernel, {In("x", x), Out("y", y)}),
      HasFault(FaultKind::kDeadlock, AllOf(HasSubstr("done holds 4,096 of 16,384 bytes"),
                                           HasSubstr("no copy on it is in flight, and no other core is running"))));
}

TEST_P(DeadlockTest, OfASignalThatNeverComesNamesTheWaiterAlone) {
  auto kernel = [](KernelContext& core) {
    if (core.core_index() == 0) WaitForEver(core);
  };
  const RunReport report = Run(kernel, {}, 3);
  EXPECT_THAT(report,
              HasFault(FaultKind::kDeadlock, AllOf(HasSubstr("core 0, kernel"), HasSubstr("never holds 0 of 3 units"),
                                                   Not(HasSubstr("core 1")))));
  ASSERT_THAT(report.faults, SizeIs(1));
  ASSERT_THAT(report.faults[0].places, SizeIs(1));
  EXPECT_EQ(report.faults[0].places[0].core, (CoreId{0, 0}));
  EXPECT_TRUE(report.faults[0].places[0].site.ToString().starts_with("support.h:"));
}

TEST_P(DeadlockTest, OfTwoCoresThatWaitForEachOtherNamesBoth) {
  const RunReport report = Run(WaitForEver, {}, 2);
  EXPECT_THAT(report,
              HasFault(FaultKind::kDeadlock,
                       MatchesRegex("deadlock: nothing can run\n"
                                    "  cores 0–1, kernel \\(support.h:[0-9]+\\): never holds 0 of 3 units\n"
                                    "  who could pay never: nobody, all 2 cores that have not ended wait; no other "
                                    "core has ever signalled it")));
  EXPECT_THAT(report.faults[0].places, SizeIs(2));
}

TEST_P(DeadlockTest, OfCoresThatWaitAlikeIsOneLine) {
  auto kernel = [](KernelContext& core) {
    if (core.core_index() == 3) return;
    core.RunScoped([&](SemaphoreRef credits) { core.Wait(credits, core.core_index() == 6 ? 2 : 1); },
                   RegularSemaphore({}, "credits"));
  };
  const RunReport report = Run(kernel, {}, 7);
  EXPECT_THAT(report,
              HasFault(FaultKind::kDeadlock,
                       MatchesRegex("deadlock: nothing can run\n"
                                    "  cores 0–2, 4–5, kernel \\(deadlock_test.cc:[0-9]+\\): credits holds 0 of 1 "
                                    "unit\n"
                                    "  who could pay credits: nobody, all 6 cores that have not ended wait; no "
                                    "other core has ever signalled it\n"
                                    "  core 6, kernel \\(deadlock_test.cc:[0-9]+\\): credits holds 0 of 2 units\n"
                                    "  who could pay credits: nobody, all 6 cores that have not ended wait; no "
                                    "other core has ever signalled it")));
  EXPECT_THAT(report.faults[0].places, SizeIs(6));
}

// Each core signals the next one once and waits for two: in the second round all wait for each other.
TEST_P(DeadlockTest, OfCoresThatHaveSignalledEachOtherDrawsTheCycle) {
  SemaphoreRef turns[3];
  std::atomic<int> made{0};
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef turn) {
          turns[core.core_index()] = turn;
          made.fetch_add(1);
          while (made.load() < 3) core.Delay(1);
          core.Signal(turns[(core.core_index() + 1) % 3]);
          core.Wait(turn);
          core.Wait(turn);
        },
        RegularSemaphore({}, "turn"));
  };
  EXPECT_THAT(Run(kernel, {}, 3),
              HasFault(FaultKind::kDeadlock,
                       MatchesRegex(
                           "deadlock: nothing can run\n"
                           "  cores 0–2, kernel \\(deadlock_test.cc:[0-9]+\\): turn holds 0 of 1 unit\n"
                           "  who could pay turn: nobody, all 3 cores that have not ended wait\n"
                           "  core 2 signalled that of core 0 1 time, last at core 2, kernel \\(deadlock_test.cc:[0-9]+"
                           "\\), and waits itself\n"
                           "  core 0 signalled that of core 1 1 time, last at core 0, kernel \\(deadlock_test.cc:[0-9]+"
                           "\\), and waits itself\n"
                           "  core 1 signalled that of core 2 1 time, last at core 1, kernel \\(deadlock_test.cc:[0-9]+"
                           "\\), and waits itself\n"
                           "  who waits for whom: core 0 –turn→ core 2 –turn→ core 1 –turn→ core 0")));
}

TEST_P(DeadlockTest, SaysThatAPayerHasEnded) {
  SemaphoreRef shared;
  std::atomic<bool> made{false};
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() == 1) {
      while (!made.load()) core.Delay(1);
      for (int i = 0; i < 3; ++i) core.Signal(shared);
      return;
    }
    core.RunScoped(
        [&](SemaphoreRef full) {
          shared = full;
          made.store(true);
          for (int i = 0; i < 4; ++i) core.Wait(full);
        },
        RegularSemaphore({}, "full"));
  };
  EXPECT_THAT(Run(kernel, {}, 2),
              HasFault(FaultKind::kDeadlock,
                       MatchesRegex("deadlock: nothing can run\n"
                                    "  core 0, kernel \\(deadlock_test.cc:[0-9]+\\): full holds 0 of 1 unit\n"
                                    "  who could pay full: nobody, no other core is running\n"
                                    "  core 1 signalled it 3 times, last at core 1, kernel "
                                    "\\(deadlock_test.cc:[0-9]+\\), and has ended")));
}

TEST_P(DeadlockTest, OfAWaitThatWouldNotSubtractIsOneToo) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped([&](SemaphoreRef s) { core.WaitUntil(s, 1); }, RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel), HasFault(FaultKind::kDeadlock, HasSubstr("semaphore 0 holds 0 of 1 unit\n")));
}

TEST_P(DeadlockTest, UnwindsItsKernels) {
  std::atomic<int> alive{0};
  auto kernel = [&](KernelContext& core) {
    Counted outer(alive);
    core.RunScoped(
        [&](Ref) {
          Counted inner(alive);
          WaitForEver(core);
        },
        Vmem({8, 128}, DType::kFloat32));
  };
  EXPECT_THAT(Run(kernel, {}, 4), HasFault(FaultKind::kDeadlock, HasSubstr("all 4 cores")));
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(DeadlockTest, LeavesTheSimulatorUsable) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Simulator& simulator = MakeSimulator(2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(simulator.Run(WaitForEver, {}), HasFault(FaultKind::kDeadlock, HasSubstr("never")));
    EXPECT_EQ(simulator.held(), 0);
  }
  Array y(DType::kFloat32, {8, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    if (core.core_index() == 1) CopyAcross(core, x, y);
  };
  EXPECT_THAT(simulator.Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

// What a kernel throws because it is unwound does not hide why it was.
TEST_P(DeadlockTest, IsTheFirstCauseWhateverItsKernelThrowsThen) {
  auto kernel = [](KernelContext& core) {
    try {
      WaitForEver(core);
    } catch (...) {
      throw std::runtime_error("another error");
    }
  };
  EXPECT_THAT(Run(kernel), HasFault(FaultKind::kDeadlock, Not(HasSubstr("another error"))));
}

// In a pipeline the report says phase, operand, cycle and step.
TEST_P(DeadlockTest, InABodySaysWhichStep) {
  const BlockSpec block({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto body = [](KernelContext& core, Ref) {
    if (core.ProgramId(0) == 2) WaitForEver(core);
  };
  auto pipeline = EmitPipeline(body, {.grid = {4}, .in_specs = {block}, .out_specs = {}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const Array x(DType::kFloat32, {32, 128});
  EXPECT_THAT(Run([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", x)}),
              HasFault(FaultKind::kDeadlock, HasSubstr("\n  core 0, cycle 0, step (2,), body (support.h:")));
}

}  // namespace
}  // namespace strandcore::testing
