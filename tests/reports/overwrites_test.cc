// Memory that is written again while it is in use: windows, banks of output, scopes (field_reports.md P22, P25, S02,
// S16).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using OverwritesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(OverwritesReportTest);

// Sums the blocks of x through a ring, spoiling each window once it is read; the next block for a slot is fetched
// after that, or before.
RefFunction SumsAndSpoils(int64_t depth, bool fetches_after) {
  return [=](KernelContext& core, Ref x, Ref y) {
    const int64_t steps = x.shape()[0];
    auto kernel = [&](Ref slots, Ref sum, SemaphoreRef arrived) {
      auto fetch = [&](int64_t step) {
        return core.MakeAsyncCopy(x.At(step), slots.At(step % depth), arrived.At(step % depth));
      };
      sum.Write<float>().setZero();
      for (int64_t step = 0; step < depth; ++step) fetch(step).Start();
      for (int64_t step = 0; step < steps; ++step) {
        const Ref window = fetch(step).target();
        fetch(step).Wait();
        sum.ReadWrite<float>() += window.Read<float>();
        if (!fetches_after && step + depth < steps) fetch(step + depth).Start();
        window.Write<float>().setConstant(100);
        if (fetches_after && step + depth < steps) fetch(step + depth).Start();
      }
      core.SyncCopy(sum, y);
    };
    core.RunScoped(kernel, VmemTiles(depth, "slots"), VmemTile("sum"), DmaSemaphore({depth}, "arrived"));
  };
}

TEST_P(OverwritesReportTest, P22AWindowThatIsOverwrittenAfterItsReadGivesTheSameSumForEveryDepth) {
  const Array x = NumberedBlocks(4);
  for (int64_t depth : {1, 2, 3}) {
    Array y(kF32, {8, 128});
    EXPECT_THAT(Run(SumsAndSpoils(depth, /*fetches_after=*/true), {In("x", x), Out("y", y)}), IsProved());
    EXPECT_TRUE((y.Matrix<float>() == 1.0f + 2.0f + 3.0f + 4.0f).all()) << depth << " slots";
  }
}

TEST_P(OverwritesReportTest, P22AWindowThatIsOverwrittenWhenItsNextBlockIsOnTheWayIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(4);
  for (int64_t depth : {1, 2, 3}) {
    Array y(kF32, {8, 128});
    const RunReport report = Run(SumsAndSpoils(depth, /*fetches_after=*/false), {In("x", x), Out("y", y)});
    EXPECT_THAT(report,
                HasOnly(FaultKind::kRace, HasSubstr("the kernel writes slots while a copy is still filling it")));
  }
}

// Three steps a batch add 1 to one tile, which the first of them sets to zero and the last of them sends.
RefFunction OneTileOut(bool waits_before_the_next_write) {
  return [=](KernelContext& core, Ref y) {
    auto kernel = [&](Ref tile, SemaphoreRef sent) {
      auto send = [&](int64_t batch) { return core.MakeAsyncCopy(tile, y.At(batch), sent); };
      for (int64_t batch = 0; batch < 2; ++batch) {
        for (int64_t step = 0; step < 3; ++step) {
          if (step == 0 && batch > 0 && waits_before_the_next_write) send(batch - 1).Wait();
          if (step == 0) tile.Write<float>().setZero();
          tile.ReadWrite<float>() += 1.0f;
        }
        if (batch > 0 && !waits_before_the_next_write) send(batch - 1).Wait();
        send(batch).Start();
      }
      send(1).Wait();
    };
    core.RunScoped(kernel, VmemTile("tile"), DmaSemaphore({}, "sent"));
  };
}

TEST_P(OverwritesReportTest, P25ZeroingASingleTileWhileItIsSentIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Array y = Blocks(2);
  const RunReport report = Run(OneTileOut(/*waits_before_the_next_write=*/false), {Out("y", y)});
  ASSERT_THAT(report, HasOnly(FaultKind::kRace, AllOf(HasSubstr("the kernel writes tile while a copy is still reading"),
                                                      HasSubstr("sent"))));
  EXPECT_THAT(report.faults[0].accesses, ElementsAre(AccessKind::kCoreWrite, AccessKind::kDmaRead));
}

TEST_P(OverwritesReportTest, P25ASingleTileThatIsWaitedForBeforeTheNextWriteIsThreeEverywhere) {
  Array y = Blocks(2);
  EXPECT_THAT(Run(OneTileOut(/*waits_before_the_next_write=*/true), {Out("y", y)}), IsProved());
  for (int64_t batch : {0, 1}) EXPECT_TRUE((y.Matrix<float>({batch}) == 3.0f).all());
}

TEST_P(OverwritesReportTest, P25APipelineWithItsTwoSlotsIsThreeEverywhereToo) {
  Array y = Blocks(2);
  auto body = [](KernelContext& core, Ref y) {
    if (core.ProgramId(1) == 0) y.Write<float>().setZero();
    y.ReadWrite<float>() += 1.0f;
  };
  const BlockSpec batch({std::nullopt, 8, 128}, Picking({0, -1, -1}));
  EXPECT_THAT(Run(Once(Emit(body, {.grid = {2, 3}, .out_specs = {batch}})), {Out("y", y)}), IsProved());
  for (int64_t i : {0, 1}) EXPECT_TRUE((y.Matrix<float>({i}) == 3.0f).all());
}

// Stores blocks of 1, 2, ... into two banks in turn and sends them, each bank for the second time at step 2.
RefFunction TwoBanks(bool waits_first) {
  return [=](KernelContext& core, Ref y) {
    const int64_t steps = y.shape()[0];
    auto kernel = [&](Ref banks, SemaphoreRef sent) {
      auto send = [&](int64_t step) { return core.MakeAsyncCopy(banks.At(step % 2), y.At(step), sent.At(step % 2)); };
      for (int64_t step = 0; step < steps; ++step) {
        if (waits_first && step >= 2) send(step - 2).Wait();
        banks.At(step % 2).Write<float>().setConstant(static_cast<float>(step + 1));
        if (!waits_first && step >= 2) send(step - 2).Wait();
        send(step).Start();
      }
      for (int64_t step = steps - 2; step < steps; ++step) send(step).Wait();
    };
    core.RunScoped(kernel, VmemTiles(2, "banks"), DmaSemaphore({2}, "sent"));
  };
}

TEST_P(OverwritesReportTest, S02AStoreBeforeTheWaitOfTheLastCopyOutIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Array y = Blocks(3);
  const RunReport report = Run(TwoBanks(/*waits_first=*/false), {Out("y", y)});
  ASSERT_THAT(report, HasOne(FaultKind::kRace, AllOf(HasSubstr("the kernel writes banks while a copy is still reading"),
                                                     HasSubstr("index 0, rows 0–7"), HasSubstr("sent"))));
  EXPECT_THAT(report.faults[0].accesses, ElementsAre(AccessKind::kCoreWrite, AccessKind::kDmaRead));
  EXPECT_EQ(report.faults[0].count, 1) << "step 2, the first that uses a bank again";
}

TEST_P(OverwritesReportTest, S02AStoreAfterTheWaitIsRight) {
  const Array numbered = NumberedBlocks(5);
  Array y = Blocks(5);
  EXPECT_THAT(Run(TwoBanks(/*waits_first=*/true), {Out("y", y)}), IsProved());
  EXPECT_EQ(y, numbered);
}

// Two scopes one after the other: the tile of the first is sent, the tile of the second is written.
RefFunction TwoScopes(bool waits_in_the_scope) {
  return [=](KernelContext& core, Ref y) {
    auto kernel = [&](SemaphoreRef sent) {
      auto sends = [&](Ref tile) {
        tile.Write<float>().setConstant(1);
        const AsyncCopy copy = core.MakeAsyncCopy(tile, y, sent);
        copy.Start();
        if (waits_in_the_scope) copy.Wait();
      };
      core.RunScoped(sends, VmemTile("first"));
      core.RunScoped([](Ref tile) { tile.Write<float>().setConstant(2); }, VmemTile("second"));
      if (!waits_in_the_scope) core.WaitForBytes(sent, y.bytes(), Site::Here());
    };
    core.RunScoped(kernel, DmaSemaphore({}, "sent"));
  };
}

TEST_P(OverwritesReportTest, S16AScopeThatEndsUnderItsCopyIsReportedWhereItIsFreed) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Array y(kF32, {8, 128});
  EXPECT_THAT(Run(TwoScopes(/*waits_in_the_scope=*/false), {Out("y", y)}),
              HasOne(FaultKind::kUseAfterScope, AllOf(HasSubstr("first is freed while a copy may still be reading"),
                                                      HasSubstr("overwrites_test.cc:"), HasSubstr("sent"))));
  // What the copy reads is kept until it is complete, so the next scope cannot spoil it.
  EXPECT_TRUE((y.Matrix<float>() == 1.0f).all());
}

TEST_P(OverwritesReportTest, S16AScopeThatWaitsForItsCopyIsRight) {
  Array y(kF32, {8, 128});
  EXPECT_THAT(Run(TwoScopes(/*waits_in_the_scope=*/true), {Out("y", y)}), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == 1.0f).all());
}

}  // namespace
}  // namespace strandcore::testing
