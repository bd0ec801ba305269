// Signals and waits between kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/exec/agent_identity.h"
#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

using SemaphoreCoreTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(SemaphoreCoreTest);

// S08.
TEST_P(SemaphoreCoreTest, ASignalOfThreePaysWaitsOfTwoAndOne) {
  std::vector<int64_t> held;
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          core.Signal(s, 3);
          held.push_back(core.ReadSemaphore(s));
          core.Wait(s, 2);
          held.push_back(core.ReadSemaphore(s));
          core.Wait(s);
          held.push_back(core.ReadSemaphore(s));
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel), IsClean());
  EXPECT_THAT(held, ElementsAre(3, 1, 0));
}

// S09.
TEST_P(SemaphoreCoreTest, WaitUntilLeavesTheUnits) {
  int64_t held = -1;
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          core.Signal(s, 2);
          for (int i = 0; i < 3; ++i) core.WaitUntil(s, 2);
          held = core.ReadSemaphore(s);
          core.Wait(s, 2);
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel), IsClean());
  EXPECT_EQ(held, 2);
}

TEST_P(SemaphoreCoreTest, WaitUntilThatBlocksLeavesTheUnitsToo) {
  Exchange exchange;
  int64_t held = -1;
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() == 1) {
      const SemaphoreRef s = exchange.Get(core);
      for (int i = 0; i < 2; ++i) core.Signal(s);
      return;
    }
    core.RunScoped(
        [&](SemaphoreRef s) {
          exchange.Publish(s);
          for (int i = 0; i < 3; ++i) core.WaitUntil(s, 2);
          held = core.ReadSemaphore(s);
          core.Wait(s, 2);
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
  EXPECT_EQ(held, 2);
}

TEST_P(SemaphoreCoreTest, OfAnArrayAreIndependent) {
  std::vector<int64_t> held;
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          core.Signal(s.At(0, 1), 5);
          core.Signal(s.At(1).At(0), 7);
          core.Wait(s.At(0, 1), 2);
          for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) held.push_back(core.ReadSemaphore(s.At(i, j)));
          }
          core.Wait(s.At(0, 1), 3);
          core.Wait(s.At(1, 0), 7);
        },
        RegularSemaphore({2, 2}));
  };
  EXPECT_THAT(Run(kernel), IsClean());
  EXPECT_THAT(held, ElementsAre(0, 3, 7, 0));
}

TEST_P(SemaphoreCoreTest, WaitsAndSignalsOfNothingPass) {
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          core.Wait(s, 0);
          core.Signal(s, 0);
          core.WaitUntil(s, 0);
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel), IsClean());
}

// I02: the waiter is parked long before the signal, again and again, in both directions.
TEST_P(SemaphoreCoreTest, TwoCoresWakeEachOtherTenThousandTimes) {
  const int rounds = Times(10'000, 500);
  Exchange exchange[2];
  std::vector<int> rounds_done(2, 0);
  auto kernel = [&](KernelContext& core) {
    const int me = core.core_index();
    core.RunScoped(
        [&](SemaphoreRef mine, SemaphoreRef end) {
          exchange[me].Publish(mine);
          const SemaphoreRef other = exchange[1 - me].Get(core);
          for (int i = 0; i < rounds; ++i) {
            if (me == 0) core.Signal(other);
            core.Wait(mine);
            if (me == 1) core.Signal(other);
            ++rounds_done[me];
          }
          static_cast<void>(end);
        },
        RegularSemaphore(), RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
  EXPECT_THAT(rounds_done, ElementsAre(rounds, rounds));
}

// I02 as reported: the waiter waits first; what wakes it is a copy that it starts later than another core's signal.
TEST_P(SemaphoreCoreTest, ACopyStartedAfterAnotherCoresSignalWakesItsWaiter) {
  const int rounds = Times(2'000, 200);
  const Array x = Array::Iota(DType::kInt32, {8, 128});
  Array y(DType::kInt32, {8, 128});
  Exchange exchange;
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    if (core.core_index() == 1) {
      const SemaphoreRef go = exchange.Get(core);
      for (int i = 0; i < rounds; ++i) core.Signal(go);
      return;
    }
    core.RunScoped(
        [&](SemaphoreRef go, SemaphoreRef done) {
          exchange.Publish(go);
          for (int i = 0; i < rounds; ++i) {
            core.Wait(go);
            const AsyncCopy copy = core.MakeAsyncCopy(x, y, done);
            copy.Start();
            copy.Wait();
          }
        },
        RegularSemaphore(), DmaSemaphore());
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}, 2), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(SemaphoreCoreTest, ManyCoresSignalOne) {
  constexpr int kCores = 8;
  const int signals = Times(2'000, 200);
  Exchange exchange;
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() > 0) {
      const SemaphoreRef s = exchange.Get(core);
      for (int i = 0; i < signals; ++i) core.Signal(s, 1 + i % 2);
      return;
    }
    core.RunScoped(
        [&](SemaphoreRef s) {
          exchange.Publish(s);
          const int64_t all = int64_t{kCores - 1} * (signals + signals / 2);
          for (int64_t left = all; left > 0;) {
            const int64_t units = std::min<int64_t>(left, 1 + left % 5);
            core.Wait(s, units);
            left -= units;
          }
          core.Check(core.ReadSemaphore(s) == 0, "all are used up");
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel, {}, kCores), IsClean());
}

// A poll gives its turn away, so it ends under every policy: of another core's signal ...
TEST_P(SemaphoreCoreTest, APollOfAnotherCoresSignalEnds) {
  for (int poller : {0, 1}) {
    Exchange exchange;
    auto kernel = [&](KernelContext& core) {
      if (core.core_index() != poller) return core.Signal(exchange.Get(core));
      core.RunScoped(
          [&](SemaphoreRef s) {
            exchange.Publish(s);
            while (core.ReadSemaphore(s) == 0) {
            }
            core.Wait(s);
          },
          RegularSemaphore());
    };
    EXPECT_THAT(Run(kernel, {}, 2), IsClean());
  }
}

// ... and of a copy that nobody waits for.
TEST_P(SemaphoreCoreTest, APollOfACopyEnds) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "a poll orders nothing, so it races";
#endif
  const Array x = Array::Iota(DType::kInt32, {512, 256});
  Array y(DType::kInt32, {512, 256});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          core.MakeAsyncCopy(x, y, done).Start();
          while (core.ReadSemaphore(done) < y.bytes()) {
          }
        },
        DmaSemaphore());
  };
  // (The checker would say that nothing proves the copy complete.)
  SimulatorOptions options = OptionsFor(1);
  options.check = false;
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(SemaphoreCoreTest, TwoPollsOfEachOtherEnd) {
  Exchange exchange[2];
  auto kernel = [&](KernelContext& core) {
    const int me = core.core_index();
    core.RunScoped(
        [&](SemaphoreRef mine, SemaphoreRef) {
          exchange[me].Publish(mine);
          const SemaphoreRef other = exchange[1 - me].Get(core);
          for (int i = 1; i <= 50; ++i) {
            core.Signal(other);
            while (core.ReadSemaphore(mine) < i) {
            }
          }
          // The other still looks at its own until it has seen this core's last.
          core.Signal(other);
          core.Wait(mine, 51);
        },
        RegularSemaphore(), RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
}

}  // namespace
}  // namespace strandcore::testing
