// What the checker says of a run, on every backend alike: each fault, and its repaired twin one line apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckerTest : public ScheduleTest {
 protected:
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y{DType::kFloat32, {8, 128}};

  static void InScope(KernelContext& core, const std::function<void(Ref, Ref, SemaphoreRef, SemaphoreRef)>& body) {
    const auto tile = Vmem({8, 128}, DType::kFloat32, "tile");
    core.RunScoped(body, tile, Vmem({8, 128}, DType::kFloat32, "other"), DmaSemaphore({}, "done"),
                   DmaSemaphore({}, "also"));
  }
};
STRANDCORE_ON_EVERY_BACKEND(CheckerTest);

// Reads a tile before, or after, the wait for the copy that fills it.
RefFunction ReadsTile(bool waits_first) {
  return [=](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
          copy.Start();
          if (waits_first) copy.Wait();
          tile.Read<float>();
          if (!waits_first) copy.Wait();
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
  };
}

TEST_P(CheckerTest, AReadBeforeTheWaitIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer reports it too";
#endif
  const RunReport report = Run(ReadsTile(false), {In("x", x)});
  EXPECT_THAT(report,
              HasFault(FaultKind::kRace,
                       AllOf(HasSubstr("the kernel reads tile while a copy is still filling it"),
                             HasSubstr("reads tile, rows 0–7, columns 0–127"),
                             HasSubstr("core 0 has not waited done for this copy (4,096 bytes started, 0 waited)"),
                             HasSubstr("checker_test.cc:"))));
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_THAT(report.faults[0].accesses, ElementsAre(AccessKind::kCoreRead, AccessKind::kDmaWrite));
  EXPECT_FALSE(report.proved);
}

TEST_P(CheckerTest, AReadAfterTheWaitIsSilentAndProved) {
  const RunReport report = Run(ReadsTile(true), {In("x", x)});
  EXPECT_THAT(report, IsClean());
  EXPECT_TRUE(report.proved);
  EXPECT_THAT(report.notes, IsEmpty());
}

// More reads of one place in flight than are kept: what a later write would meet is not known whole.
TEST_P(CheckerTest, MoreAccessesOfOnePlaceThanAreKeptProveNothing) {
  for (const int copies : {200, 300}) {
    auto kernel = [=](KernelContext& core, const Ref& x) {
      core.RunScoped(
          [&](Ref tiles, SemaphoreRef done) {
            for (int i = 0; i < copies; ++i) core.MakeAsyncCopy(x.At(0), tiles.At(i), done).Start();
            for (int i = 0; i < copies; ++i) core.MakeAsyncCopy(x.At(0), tiles.At(i), done).Wait();
          },
          Vmem({copies, 128}, DType::kFloat32, "tiles"), DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x)});
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(report.proved, copies == 200);
    const std::string why = copies == 300 ? "x has seen more than 256 accesses of one place" : "";
    EXPECT_THAT(report.why_not_proved, HasSubstr(why));
  }
}

TEST_P(CheckerTest, TwoCopiesThatFillOneTileAreReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer reports it too";
#endif
  for (bool waits_between : {false, true}) {
    auto kernel = [&](KernelContext& core, const Ref& x) {
      InScope(core, [&](const Ref& tile, const Ref&, const SemaphoreRef& done, const SemaphoreRef& also) {
        const AsyncCopy first = core.MakeAsyncCopy(x, tile, done), second = core.MakeAsyncCopy(x, tile, also);
        first.Start();
        if (waits_between) first.Wait();
        second.Start();
        if (!waits_between) first.Wait();
        second.Wait();
      });
    };
    const RunReport report = Run(kernel, {In("x", x)});
    if (waits_between) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report, HasFault(FaultKind::kRace, HasSubstr("a copy writes tile while a copy is still filling it")));
    }
  }
}

// Two equal copies on one semaphore: one wait proves neither, two prove both.
TEST_P(CheckerTest, AWaitThatEitherCopyCouldHavePaidProvesNeither) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer reports it too";
#endif
  for (bool waits_for_both : {false, true}) {
    auto kernel = [&](KernelContext& core, const Ref& x) {
      InScope(core, [&](const Ref& tile, const Ref& other, const SemaphoreRef& done, const SemaphoreRef&) {
        const AsyncCopy first = core.MakeAsyncCopy(x, tile, done), second = core.MakeAsyncCopy(x, other, done);
        first.Start();
        second.Start();
        first.Wait();
        if (waits_for_both) second.Wait();
        tile.Read<float>();
        if (!waits_for_both) second.Wait();
      });
    };
    const RunReport report = Run(kernel, {In("x", x)});
    if (waits_for_both) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report,
                  HasFault(FaultKind::kRace,
                           HasSubstr("may have been paid by the copy started by core 0, kernel (checker_test.cc:")));
    }
  }
}

TEST_P(CheckerTest, MemoryFreedUnderACopyIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the copy is waited for by nobody";
#endif
  for (bool waits_inside : {false, true}) {
    auto kernel = [&](KernelContext& core, const Ref& x) {
      core.RunScoped(
          [&](SemaphoreRef done) {
            auto start = [&](Ref tile) {
              const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
              copy.Start();
              if (waits_inside) copy.Wait();
            };
            core.RunScoped(start, Vmem({8, 128}, DType::kFloat32, "tile"));
            if (!waits_inside) core.WaitForBytes(done, 4096, Site::Here());
          },
          DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x)});
    if (waits_inside) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report, HasFault(FaultKind::kUseAfterScope,
                                   AllOf(HasSubstr("tile is freed while a copy may still be filling it"),
                                         HasSubstr("core 0 has not waited done for it"))));
    }
  }
}

TEST_P(CheckerTest, ACopyThatNobodyWaitedForIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "it races with the host";
#endif
  for (bool waits : {false, true}) {
    auto kernel = [&](KernelContext& core, const Ref& x, const Ref& y) {
      core.RunScoped(
          [&](SemaphoreRef done) {
            const AsyncCopy copy = core.MakeAsyncCopy(x, y, done);
            copy.Start();
            if (waits) copy.Wait();
          },
          DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
    if (waits) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report, HasFault(FaultKind::kTransferInFlightAtExit, HasSubstr("a copy to y may be in flight")));
    }
  }
}

// Core 0 fills y; core 1 reads it, after a hand-over or without.
TEST_P(CheckerTest, AMissingHandOverBetweenCoresIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer reports it too";
#endif
  for (bool hands_over : {false, true}) {
    SemaphoreRef full;
    std::atomic<bool> made{false};
    auto kernel = [&](KernelContext& core, const Ref& x, const Ref& y) {
      if (core.core_index() == 0) {
        while (!made.load(std::memory_order_acquire)) core.Delay(1);
        core.SyncCopy(x, y);
        if (hands_over) core.Signal(full);
        return;
      }
      core.RunScoped(
          [&](SemaphoreRef semaphore, Ref tile) {
            full = semaphore;
            made.store(true, std::memory_order_release);
            if (hands_over) core.Wait(semaphore);
            core.SyncCopy(y, tile);
          },
          RegularSemaphore({}, "full"), Vmem({8, 128}, DType::kFloat32, "tile"));
    };
    const RunReport report = Run(kernel, {In("x", x), Out("y", y)}, 2);
    if (hands_over) {
      EXPECT_THAT(report, IsClean());
      EXPECT_TRUE(report.proved);
    } else {
      EXPECT_THAT(report, HasFault(FaultKind::kRace, AllOf(HasSubstr("y"), HasSubstr("core 0"), HasSubstr("core 1"))));
      EXPECT_NE(report.faults[0].places[0].core, report.faults[0].places[1].core);
    }
  }
}

TEST_P(CheckerTest, PartsThatDoNotMeetDoNotRace) {
  Array wide(DType::kFloat32, {16, 256});
  auto kernel = [](KernelContext& core, const Ref& wide) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          // The left half of the rows is filled while the right half of them, and the rows below, are used.
          const AsyncCopy copy = core.MakeAsyncCopy(wide.At(Ds(0, 8), Ds(0, 128)), tile.At(Ds(0, 8), Ds(0, 128)), done);
          copy.Start();
          tile.At(Ds(0, 8), Ds(128, 128)).Write<float>().setZero();
          tile.At(Ds(8, 8)).Write<float>().setZero();
          copy.Wait();
        },
        Vmem({16, 256}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
  };
  EXPECT_THAT(Run(kernel, {In("wide", wide)}), IsClean());
}

TEST_P(CheckerTest, SwitchedOffItSaysNothing) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the program races";
#endif
  SimulatorOptions options = OptionsFor(1);
  options.check = false;
  const RunReport report = MakeSimulator(options).Run(ReadsTile(false), {In("x", x)});
  EXPECT_THAT(report, IsClean());
  EXPECT_FALSE(report.proved);
}

}  // namespace
}  // namespace strandcore::testing
