// Semaphores that end with units left, on every backend alike: each program and its repaired twin one line apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

using SemaphoreNotZeroTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(SemaphoreNotZeroTest);

constexpr FaultKind kKind = FaultKind::kSemaphoreNotZero;

TEST_P(SemaphoreNotZeroTest, WhatIsLeftIsReportedWithWhoSignalled) {
  for (bool repaired : {false, true}) {
    const RunReport report = Run([&](KernelContext& core) {
      core.RunScoped(
          [&](SemaphoreRef ready) {
            for (int i = 0; i < 3; ++i) core.Signal(ready);
            core.Signal(ready, 2);
            core.Wait(ready, repaired ? 5 : 1);
          },
          RegularSemaphore({}, "ready"));
    });
    if (repaired) {
      EXPECT_THAT(report, IsClean());
      continue;
    }
    ASSERT_THAT(report, HasFault(kKind, HasSubstr("ready of core 0 ends with 4 units left")));
    ASSERT_EQ(report.faults.size(), 1u) << report;
    EXPECT_EQ(report.faults[0].count, 1);
    EXPECT_THAT(
        report.faults[0].lines,
        ElementsAre(MatchesRegex("core 0 signalled it 4 times, 5 units in all, first at core 0, kernel "
                                 "\\(semaphore_not_zero_test.cc:[0-9]+\\), then also at core 0, kernel "
                                 "\\(semaphore_not_zero_test.cc:[0-9]+\\)"),
                    "core 0 waited for 1 unit",
                    MatchesRegex("its scope was left by core 0, kernel \\(semaphore_not_zero_test.cc:[0-9]+\\)")));
    EXPECT_FALSE(report.proved);
  }
}

// Makes a semaphore of core 0 known to the others.
class Shared {
 public:
  void Set(const SemaphoreRef& semaphore) {
    semaphore_ = semaphore;
    made_.store(true, std::memory_order_release);
  }
  SemaphoreRef Get(KernelContext& core) const {
    while (!made_.load(std::memory_order_acquire)) core.Delay(1);
    return semaphore_;
  }

 private:
  SemaphoreRef semaphore_;
  std::atomic<bool> made_{false};
};

// Two cores signal a third, which waits for one signal too few; so a signal may come before its scope's end or after
// it.
RunReport TwoSignalOne(Simulator& simulator, int64_t waits, bool late) {
  Shared shared;
  std::atomic<bool> left{false};
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() > 0) {
      const SemaphoreRef ready = shared.Get(core);
      while (late && !left.load(std::memory_order_acquire)) core.Delay(1);
      core.Signal(ready, core.core_index());
      return;
    }
    core.RunScoped(
        [&](SemaphoreRef ready) {
          shared.Set(ready);
          if (waits > 0) core.Wait(ready, waits);
        },
        RegularSemaphore({}, "ready"));
    left.store(true, std::memory_order_release);
    // What begins now must not be taken for what has ended.
    for (int i = 0; i < 3; ++i) {
      core.RunScoped(
          [&](SemaphoreRef own) {
            core.Signal(own);
            core.Delay(3);
            core.Wait(own);
          },
          RegularSemaphore({}, "own"));
    }
  };
  return simulator.Run(kernel, {});
}

TEST_P(SemaphoreNotZeroTest, EveryCoreThatSignalledIsNamed) {
  EXPECT_THAT(TwoSignalOne(MakeSimulator(3), 3, false), IsClean());
  const RunReport report = TwoSignalOne(MakeSimulator(3), 1, false);
  ASSERT_EQ(report.faults.size(), 1u) << report;
  EXPECT_THAT(report, HasFault(kKind, AllOf(HasSubstr("ready of core 0 ends with 2 units left"),
                                            HasSubstr("core 1 signalled it once, 1 unit in all, first at core 1"),
                                            HasSubstr("core 2 signalled it once, 2 units in all, first at core 2"),
                                            HasSubstr("core 0 waited for 1 unit\n"))));
}

TEST_P(SemaphoreNotZeroTest, ASignalThatComesAfterTheScopesEndCounts) {
  for (bool late : {false, true}) {
    const RunReport report = TwoSignalOne(MakeSimulator(3), 0, late);
    ASSERT_EQ(report.faults.size(), 1u) << report;
    EXPECT_THAT(report, HasFault(kKind, AllOf(HasSubstr("ready of core 0 ends with 3 units left"),
                                              HasSubstr("core 2 signalled it once, 2 units in all"),
                                              HasSubstr("core 0 waited for none of them"))));
  }
}

TEST_P(SemaphoreNotZeroTest, ALoopOfScopesIsOneFaultWithACount) {
  for (bool repaired : {false, true}) {
    const RunReport report = Run(
        [&](KernelContext& core) {
          for (int i = 0; i < 5; ++i) {
            core.RunScoped(
                [&](SemaphoreRef ready) {
                  core.Signal(ready, 2);
                  core.Wait(ready, repaired || i == 1 ? 2 : 1);
                },
                RegularSemaphore({}, "ready"));
          }
        },
        {}, 2);
    if (repaired) {
      EXPECT_THAT(report, IsClean());
      continue;
    }
    // Each core has its own.
    ASSERT_EQ(report.faults.size(), 2u) << report;
    for (size_t core : {0u, 1u}) {
      EXPECT_EQ(report.faults[core].count, 4);
      EXPECT_EQ(report.faults[core].headline, absl::StrCat("ready of core ", core, " ends with 1 unit left"));
    }
  }
}

TEST_P(SemaphoreNotZeroTest, OfAnArrayOfSemaphoresEachIsNamed) {
  const RunReport report = Run([&](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef slots) {
          for (int i = 0; i < 3; ++i) core.Signal(slots.At(i), i);
        },
        RegularSemaphore({3}, "slots"));
  });
  ASSERT_EQ(report.faults.size(), 2u) << report;
  EXPECT_EQ(report.faults[0].headline, "slots[1] of core 0 ends with 1 unit left");
  EXPECT_EQ(report.faults[1].headline, "slots[2] of core 0 ends with 2 units left");
}

TEST_P(SemaphoreNotZeroTest, AWaitThatDoesNotSubtractLeavesWhatItWaitedFor) {
  for (bool repaired : {false, true}) {
    const RunReport report = Run([&](KernelContext& core) {
      core.RunScoped(
          [&](SemaphoreRef ready) {
            core.Signal(ready);
            core.WaitUntil(ready);
            if (repaired) core.Wait(ready);
          },
          RegularSemaphore({}, "ready"));
    });
    if (repaired) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report, HasFault(kKind, HasSubstr("core 0 waited for none of them")));
    }
  }
}

// A copy is complete once any of its bytes is waited for, if it alone pays.
TEST_P(SemaphoreNotZeroTest, BytesOfACopyThatIsProvenAreReported) {
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  for (int64_t bytes : {1024, 4096}) {
    auto kernel = [&](KernelContext& core, const Ref& x) {
      core.RunScoped(
          [&](Ref tile, SemaphoreRef done) {
            core.MakeAsyncCopy(x, tile, done).Start();
            core.WaitForBytes(done, bytes, Site::Here());
          },
          Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x)});
    if (bytes == 4096) {
      EXPECT_THAT(report, IsClean());
      continue;
    }
    ASSERT_EQ(report.faults.size(), 1u) << report;
    EXPECT_THAT(report, HasFault(kKind, AllOf(HasSubstr("done of core 0 ends with 3,072 bytes left"),
                                              HasSubstr("core 0 paid it by copies once, 4,096 bytes in all, first at"),
                                              HasSubstr("core 0 waited for 1,024 bytes"))));
  }
}

TEST_P(SemaphoreNotZeroTest, ACopyThatNobodyWaitedForIsReportedOnceAlone) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "it races with the host";
#endif
  Array x = Array::Iota(DType::kFloat32, {8, 128}), y(DType::kFloat32, {8, 128});
  auto kernel = [&](KernelContext& core, const Ref& x, const Ref& y) {
    core.RunScoped([&](SemaphoreRef done) { core.MakeAsyncCopy(x, y, done).Start(); }, DmaSemaphore({}, "done"));
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  ASSERT_EQ(report.faults.size(), 1u) << report;
  EXPECT_EQ(report.faults[0].kind, FaultKind::kTransferInFlightAtExit);
}

TEST_P(SemaphoreNotZeroTest, ARunThatStoppedMidwayHasNone) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef ready) {
          core.Signal(ready);
          core.Check(false, "stop here");
        },
        RegularSemaphore({}, "ready"));
  };
  const RunReport report = Run(kernel);
  ASSERT_EQ(report.faults.size(), 1u) << report;
  EXPECT_EQ(report.faults[0].kind, FaultKind::kKernelError);
}

TEST_P(SemaphoreNotZeroTest, ManyPayersAndPlacesAreBounded) {
  Shared shared;
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() > 0) return core.Signal(shared.Get(core));
    core.RunScoped(
        [&](SemaphoreRef ready) {
          shared.Set(ready);
          core.Signal(ready);
          core.Signal(ready);
          core.Signal(ready);
          core.Signal(ready);
        },
        RegularSemaphore({}, "ready"));
  };
  const RunReport report = Run(kernel, {}, 12);
  ASSERT_EQ(report.faults.size(), 1u) << report;
  EXPECT_THAT(report, HasFault(kKind, AllOf(HasSubstr("ends with 15 units left"), HasSubstr(" and elsewhere\n"),
                                            HasSubstr("core 7 signalled it"), HasSubstr("and 4 more cores\n"))));
}

}  // namespace
}  // namespace strandcore::testing
