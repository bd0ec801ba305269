// What a wait proves, and what is left on a semaphore or in flight at the end, on one core (field_reports.md S01, S11);
// S08, S09, S12 and S13 are in tests/core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using SemaphoresReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(SemaphoresReportTest);

// z = x - y, block by block: two slots an operand, the next blocks on their way before the current ones are waited for.
RefFunction SubtractsThroughSlots(bool own_semaphores) {
  return [=](KernelContext& core, Ref x, Ref y, Ref z) {
    const int64_t steps = x.shape()[0];
    auto kernel = [&](Ref x_slots, Ref y_slots, Ref result, SemaphoreRef arrived) {
      auto fetch = [&](int operand, int64_t step) {
        const SemaphoreRef semaphore = own_semaphores ? arrived.At(operand, step % 2) : arrived.At(0, 0);
        return core.MakeAsyncCopy((operand == 0 ? x : y).At(step), (operand == 0 ? x_slots : y_slots).At(step % 2),
                                  semaphore);
      };
      for (int operand : {0, 1}) fetch(operand, 0).Start();
      for (int64_t step = 0; step < steps; ++step) {
        for (int operand : {0, 1}) {
          if (step + 1 < steps) fetch(operand, step + 1).Start();
        }
        for (int operand : {0, 1}) fetch(operand, step).Wait();
        result.Write<float>() = x_slots.At(step % 2).Read<float>() - y_slots.At(step % 2).Read<float>();
        core.SyncCopy(result, z.At(step));
      }
    };
    core.RunScoped(kernel, VmemTiles(2, "x_slots"), VmemTiles(2, "y_slots"), VmemTile("result"),
                   DmaSemaphore({2, 2}, "arrived"));
  };
}

struct Difference {
  Array x = NumberedBlocks(4);
  Array y = Array::Full(kF32, {4, 8, 128}, 10);
  Array z = Blocks(4);
  Operands operands() { return {In("x", x), In("y", y), Out("z", z)}; }
  bool right() const {
    for (int64_t i = 0; i < 4; ++i) {
      if (!(z.Matrix<float>({i}) == x.Matrix<float>({i}) - 10.0f).all()) return false;
    }
    return true;
  }
};

TEST_P(SemaphoresReportTest, S01OneSemaphoreForTwoOperandsAndTheNextStepProvesNone) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Difference difference;
  const RunReport report = Run(SubtractsThroughSlots(/*own_semaphores=*/false), difference.operands());
  EXPECT_THAT(report,
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("the kernel reads x_slots while a copy is still filling"),
                                              HasSubstr("arrived[0, 0]"))));
  EXPECT_THAT(report, HasOnly(FaultKind::kRace, HasSubstr("the kernel reads y_slots while a copy is still filling")));
}

TEST_P(SemaphoresReportTest, S01ASemaphoreOfItsOwnForEachOperandAndSlotIsRight) {
  Difference difference;
  EXPECT_THAT(Run(SubtractsThroughSlots(/*own_semaphores=*/true), difference.operands()), IsProved());
  EXPECT_TRUE(difference.right());
}

// The policy that completes the newest copy first, and that only when somebody waits.
TEST(SemaphoresOnWaitReportTest, S01CopiesThatFinishNewestFirstShowTheWrongNumbersOfTheSharedSemaphoreAlone) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (bool own_semaphores : {false, true}) {
    Difference difference;
    Simulator simulator({.policy = Policy::OnWait()});
    simulator.Run(SubtractsThroughSlots(own_semaphores), difference.operands());
    EXPECT_EQ(difference.right(), own_semaphores);
  }
}

RefFunction SendsTile(bool waits) {
  return [=](KernelContext& core, Ref tile, Ref y) {
    auto kernel = [&](SemaphoreRef sent) {
      const AsyncCopy copy = core.MakeAsyncCopy(tile, y, sent);
      copy.Start();
      if (waits) copy.Wait();
    };
    core.RunScoped(kernel, DmaSemaphore({}, "sent"));
  };
}

TEST_P(SemaphoresReportTest, S11ACopyOutThatNobodyWaitsForIsReportedWhetherOrNotItIsComplete) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (DmaMode dma : {DmaMode::kOverlap, DmaMode::kSynchronous}) {
    const Array tile = NumberedBlocks(1);
    Array y = Blocks(1);
    SimulatorOptions options = OptionsFor(1);
    options.dma = dma;
    const RunReport report =
        MakeSimulator(options).Run(SendsTile(/*waits=*/false), {In("tile", tile, MemorySpace::kVmem), Out("y", y)});
    EXPECT_THAT(report, HasAmong(FaultKind::kTransferInFlightAtExit,
                                 AllOf(HasSubstr("y"), HasSubstr("core 0"), HasSubstr("semaphores_test.cc:"))));
  }
}

TEST_P(SemaphoresReportTest, S11ACopyOutThatIsWaitedForIsRight) {
  const Array tile = NumberedBlocks(1);
  Array y = Blocks(1);
  EXPECT_THAT(Run(SendsTile(/*waits=*/true), {In("tile", tile, MemorySpace::kVmem), Out("y", y)}), IsProved());
  EXPECT_EQ(y, tile);
}

}  // namespace
}  // namespace strandcore::testing
