// Semaphores as kernels on hardware use them (interpreter_cases.md H1, H2, H4, H6, W5, W14, W15).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerSemaphoresReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerSemaphoresReportTest);

TEST_P(PeerSemaphoresReportTest, H01ASignalOfFiveIsWaitedForInPiecesAndReadShowsWhatIsLeft) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef ready) {
          core.Signal(ready, 5);
          for (const int64_t piece : {2, 0, 1, 2}) {
            const int64_t before = core.ReadSemaphore(ready);
            core.Wait(ready, piece);
            EXPECT_EQ(core.ReadSemaphore(ready), before - piece);
          }
          EXPECT_EQ(core.ReadSemaphore(ready), 0);
        },
        RegularSemaphore({}, "ready"));
  };
  EXPECT_THAT(Run(kernel), IsClean());
}

// Semaphore i of an array holds i, whether the index is written down or computed.
TEST_P(PeerSemaphoresReportTest, H01OfAnArrayEachHoldsWhatItWasGiven) {
  Array table(DType::kInt32, {6});
  auto kernel = [](KernelContext& core, Ref table) {
    core.RunScoped(
        [&](SemaphoreRef ready) {
          for (int64_t i = 0; i < 6; ++i) core.Signal(ready.At(i / 3, i % 3), i);
          core.Signal(ready.At(0, 2), 3);
          core.Wait(ready.At(0, 2), 3);
          for (int64_t i = 0; i < 6; ++i) {
            table.Set<int32_t>(static_cast<int32_t>(core.ReadSemaphore(ready.At(i / 3).At(i % 3))), {i});
          }
          for (int64_t i = 0; i < 6; ++i) core.Wait(ready.At(i / 3, i % 3), i);
        },
        RegularSemaphore({2, 3}, "ready"));
  };
  EXPECT_THAT(Run(kernel, {Out("table", table, MemorySpace::kSmem)}), IsClean());
  EXPECT_THAT(table.ToVector<int32_t>(), ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(PeerSemaphoresReportTest, H02ADmaSemaphoreHoldsNothingAfterItsWait) {
  const Array x = NumberedBlocks(1);
  auto kernel = [](KernelContext& core, Ref x) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef arrived) {
          const AsyncCopy copy = core.MakeAsyncCopy(x.At(0), tile, arrived);
          copy.Start();
          copy.Wait();
          EXPECT_EQ(core.ReadSemaphore(arrived), 0);
        },
        VmemTile("tile"), DmaSemaphore({}, "arrived"));
  };
  EXPECT_THAT(Run(kernel, {In("x", x)}), IsClean());
}

// Three blocks of x, counted on one regular semaphore; `waited` of them are waited for before they are sent on.
RefFunction CountsCopies(int64_t waited) {
  return [waited](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tiles, SemaphoreRef arrived) {
          for (int64_t i = 0; i < 3; ++i) core.MakeAsyncCopy(x.At(i), tiles.At(i), arrived).Start();
          core.Wait(arrived, waited);
          for (int64_t i = 0; i < 3; ++i) core.SyncCopy(tiles.At(i), y.At(2 - i));
          core.Wait(arrived, 3 - waited);
        },
        VmemTiles(3, "tiles"), RegularSemaphore({}, "arrived"));
  };
}

class RegularCopiesTest : public ReportTest {
 protected:
  RunReport RunOn(Chip chip, const RefFunction& kernel, const Operands& operands, int cores = 1) {
    SimulatorOptions options = OptionsFor(cores);
    options.chip = chip;
    return MakeSimulator(options).Run(kernel, operands);
  }
};
STRANDCORE_ON_EVERY_BACKEND(RegularCopiesTest);

TEST_P(RegularCopiesTest, H04ARegularSemaphoreCountsOneACopy) {
  const Array x = NumberedBlocks(3);
  Array y = Blocks(3);
  EXPECT_THAT(RunOn(Chip::kV6e, CountsCopies(3), {In("x", x), Out("y", y)}), IsProved());
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE((y.Matrix<float>({i}) == static_cast<float>(3 - i)).all()) << i;
}

TEST_P(RegularCopiesTest, H04AWaitForTwoOfThreeCopiesShowsNone) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(3);
  Array y = Blocks(3);
  EXPECT_THAT(RunOn(Chip::kV6e, CountsCopies(2), {In("x", x), Out("y", y)}),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy reads tiles while a copy is still filling it"),
                                              HasSubstr("the waits of core 0 on arrived"),
                                              HasSubstr("instead of the copy that is still filling it"))));
}

TEST_P(RegularCopiesTest, H04TheWaitOfTheCopyItselfIsRefusedAndSoAreEarlierChips) {
  const Array x = NumberedBlocks(1);
  Array y = Blocks(1);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped([&](SemaphoreRef done) { core.MakeAsyncCopy(x, y, done).Wait(); }, RegularSemaphore({}, "done"));
  };
  EXPECT_THAT(RunOn(Chip::kV7x, kernel, {In("x", x), Out("y", y)}),
              IsRefused("Wait of a copy: expected a copy on a DMA semaphore, given one on regular semaphore done"));
  EXPECT_THAT(RunOn(Chip::kV5e, kernel, {In("x", x), Out("y", y)}),
              IsRefused("copy: expected one DMA semaphore of the copying core (chips from v6e on count copies on "
                        "regular ones too), given regular semaphore done"));
}

// Core 0 sends both blocks to core 1, on regular semaphores at both ends; core 1 signals back that it has them.
TEST_P(RegularCopiesTest, H04ACopyToAnotherCoreCountsOneAtBothEnds) {
  const Array x = NumberedBlocks(2);
  Array y = Blocks(2);
  for (bool mixes : {false, true}) {
    Exchange arrivals, replies;
    auto kernel = [&](KernelContext& core, Ref x, Ref y) {
      core.RunScoped(
          [&](SemaphoreRef sent, SemaphoreRef arrived, SemaphoreRef reply, SemaphoreRef bytes) {
            if (core.core_index() == 1) {
              arrivals.Publish(arrived);
              core.Wait(arrived, 2);
              core.Signal(replies.Get(core));
              return;
            }
            replies.Publish(reply);
            for (int64_t i : {0, 1}) {
              core.MakeAsyncRemoteCopy(x.At(i), y.At(1 - i), mixes ? bytes : sent, arrivals.Get(core)).Start();
            }
            core.Wait(sent, 2);
            core.Wait(reply);
          },
          RegularSemaphore({}, "sent"), RegularSemaphore({}, "arrived"), RegularSemaphore({}, "reply"),
          DmaSemaphore({}, "bytes"));
    };
    const RunReport report = RunOn(Chip::kV6e, kernel, {In("x", x), Out("y", y)}, 2);
    if (mixes) {
      EXPECT_THAT(report, IsRefused("remote copy: expected one DMA semaphore to be paid on arrival, given regular"));
      continue;
    }
    EXPECT_THAT(report, IsProved());
    EXPECT_EQ(y.Get({0, 0, 0}), 2);
    EXPECT_EQ(y.Get({1, 7, 127}), 1);
  }
}

TEST_P(PeerSemaphoresReportTest, H06AnArrayOfSemaphoresCannotBePaidByACopy) {
  const Array x = NumberedBlocks(1);
  Array y = Blocks(1);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped([&](SemaphoreRef done) { core.MakeAsyncCopy(x, y, done); }, DmaSemaphore({2}, "done"));
  };
  EXPECT_THAT(
      Run(kernel, {In("x", x), Out("y", y)}),
      IsRefused("copy: expected one DMA semaphore of the copying core, given DMA semaphore done[:] of shape (2,"));
}

// A copy that is described and never started moves nothing: who waits for it waits for ever, who reads its target
// reads what was never written.
TEST_P(PeerSemaphoresReportTest, H06ACopyThatIsNeverStartedIsADeadlockOfItsWaitOrLeavesItsTargetUnwritten) {
  const Array x = NumberedBlocks(1);
  for (bool waits : {true, false}) {
    Array y = Blocks(1);
    auto kernel = [&](KernelContext& core, Ref x, Ref y) {
      core.RunScoped(
          [&](SemaphoreRef done) {
            const AsyncCopy copy = core.MakeAsyncCopy(x, y, done);
            if (waits) copy.Wait();
          },
          DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
    if (waits) {
      EXPECT_THAT(report, HasOne(FaultKind::kDeadlock, HasSubstr("done holds 0 of 4,096 bytes")));
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kUninitialisedRead, HasSubstr("the host is handed y")));
    }
  }
}

// Core 1 writes y and signals once; core 0 waits and reads. What a signal too many does depends on where it is.
enum class TooMany { kNone, kBeforeTheWrite, kAfterTheWrite };

RefFunction HandsOver(Exchange& told, TooMany too_many) {
  return [&told, too_many](KernelContext& core, Ref y, Ref z) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef ready) {
          if (core.core_index() == 0) {
            told.Publish(ready);
            core.Wait(ready);
            core.SyncCopy(y, tile);
            core.SyncCopy(tile, z);
            return;
          }
          if (too_many == TooMany::kBeforeTheWrite) core.Signal(told.Get(core));
          tile.Write<float>().setConstant(5);
          core.SyncCopy(tile, y);
          core.Signal(told.Get(core));
          if (too_many == TooMany::kAfterTheWrite) core.Signal(told.Get(core));
        },
        VmemTile("tile"), RegularSemaphore({}, "ready"));
  };
}

TEST_P(PeerSemaphoresReportTest, W05ASignalTooManyBeforeTheWriteIsARaceAndOneAfterItIsLeft) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (TooMany too_many : {TooMany::kNone, TooMany::kBeforeTheWrite, TooMany::kAfterTheWrite}) {
    Array y(kF32, {8, 128}), z(kF32, {8, 128});
    Exchange told;
    const RunReport report = Run(HandsOver(told, too_many), {InOut("y", y), Out("z", z)}, 2);
    if (too_many == TooMany::kBeforeTheWrite) {
      EXPECT_THAT(report, HasAmong(FaultKind::kRace, AllOf(HasSubstr("y"), HasSubstr("ready"))));
      continue;
    }
    EXPECT_TRUE((z.Matrix<float>() == 5).all());
    if (too_many == TooMany::kNone) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kSemaphoreNotZero, AllOf(HasSubstr("ready"), HasSubstr("core 1"))));
    }
  }
}

TEST_P(PeerSemaphoresReportTest, W14ACoreOtherThanTheFirstSignalsItself) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef own) {
          if (core.core_index() != 1) return;
          core.Signal(own, 3);
          core.Wait(own, 2);
          EXPECT_EQ(core.ReadSemaphore(own), 1);
          core.Wait(own);
        },
        RegularSemaphore({}, "own"));
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
}

TEST_P(PeerSemaphoresReportTest, W15MoreThan33000ScopesAreAllRightAndHoldNothingAfterwards) {
  const int64_t scopes = Times(34'000, 4'000);
  Array sum(DType::kInt32, {1});
  auto kernel = [&](KernelContext& core, Ref sum) {
    sum.Set<int32_t>(0, {0});
    for (int64_t i = 0; i < scopes; ++i) {
      core.RunScoped(
          [&](Ref one, SemaphoreRef own) {
            one.Set<int32_t>(static_cast<int32_t>(i % 3), {0});
            core.Signal(own);
            core.Wait(own);
            sum.Set<int32_t>(sum.Get<int32_t>({0}) + one.Get<int32_t>({0}), {0});
          },
          Smem({1}, DType::kInt32, "one"), RegularSemaphore({}, "own"));
    }
  };
  EXPECT_THAT(Run(kernel, {Out("sum", sum, MemorySpace::kSmem)}), IsProved());
  EXPECT_EQ(sum.Get({0}), static_cast<double>(scopes / 3 * 3 + (scopes % 3 == 2 ? 1 : 0)));
}

}  // namespace
}  // namespace strandcore::testing
