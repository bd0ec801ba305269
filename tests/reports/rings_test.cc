// Rings of slots that authors turn by hand, deeper than a pipeline's two: which slot a step uses, when it is filled
// again, what is left at the end (field_reports.md P15 to P18, P20, P23, S20).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using RingsReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(RingsReportTest);

struct Ring {
  int64_t steps = 0;
  int64_t depth = 1;
  int64_t ahead = 1;           // how many steps before its use a block is fetched
  bool masks_fetches = true;   // none past the last step
  bool turns_by_fetch = true;  // the slot of a fetch is that of its own step, not that of the step it is made in
};

// y = x + 1 block by block, counting the steps.
RefFunction AddsOneThrough(const Ring& ring) {
  return [ring](KernelContext& core, Ref count, Ref x, Ref y) {
    auto kernel = [&](Ref slots, SemaphoreRef arrived) {
      auto fetch = [&](int64_t step, int64_t slot) {
        if (ring.masks_fetches && step >= ring.steps) return;
        core.MakeAsyncCopy(x.At(step), slots.At(slot), arrived.At(slot)).Start();
      };
      for (int64_t step = 0; step < ring.ahead; ++step) fetch(step, step % ring.depth);
      for (int64_t step = 0; step < ring.steps; ++step) {
        const Ref slot = slots.At(step % ring.depth);
        core.MakeAsyncCopy(x.At(step), slot, arrived.At(step % ring.depth)).Wait();
        slot.ReadWrite<float>() += 1.0f;
        core.SyncCopy(slot, y.At(step));
        count.Set<int32_t>(count.Get<int32_t>() + 1);
        fetch(step + ring.ahead, (ring.turns_by_fetch ? step + ring.ahead : step) % ring.depth);
      }
    };
    core.RunScoped(kernel, VmemTiles(ring.depth, "slots"), DmaSemaphore({ring.depth}, "arrived"));
  };
}

struct RingRun {
  Array x = NumberedBlocks(8);
  Array y = Array::Full(kF32, {8, 8, 128}, -9);
  Array count{DType::kInt32, {1}};
  Operands operands() { return {InOut("count", count, MemorySpace::kSmem), In("x", x), InOut("y", y)}; }
};

void ExpectOneAdded(const Ring& ring, const RingRun& run, const RunReport& report) {
  EXPECT_THAT(report, IsProved()) << ring.steps << " steps, " << ring.depth << " slots";
  EXPECT_EQ(run.count.Get({0}), ring.steps);
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(run.y.Get({i, 7, 127}), i < ring.steps ? run.x.Get({i, 7, 127}) + 1 : -9);
  EXPECT_EQ(report.CountersOf("x").copies_in, ring.steps) << "each block is fetched once";
  EXPECT_EQ(report.counters.waits, report.counters.transfers);
}

TEST_P(RingsReportTest, P15LoopsShorterThanTheRingRunEachStepOnceAndFetchEachBlockOnce) {
  for (int64_t steps = 0; steps <= 4; ++steps) {
    for (int64_t depth = 1; depth <= 4; ++depth) {
      const Ring ring = {.steps = steps, .depth = depth, .ahead = depth};
      RingRun run;
      const RunReport report = Run(AddsOneThrough(ring), run.operands());
      ExpectOneAdded(ring, run, report);
    }
  }
}

TEST_P(RingsReportTest, P16WithASlotReleasedOneStepLaterAnyNumberOfStepsIsRight) {
  for (const Ring& ring : {Ring{.steps = 5, .depth = 4, .ahead = 3}, Ring{.steps = 7, .depth = 3, .ahead = 2}}) {
    RingRun run;
    const RunReport report = Run(AddsOneThrough(ring), run.operands());
    ExpectOneAdded(ring, run, report);
  }
}

TEST_P(RingsReportTest, P16AFetchIntoTheSlotOfTheStepThatMakesItIsADeadlockOfTheSlotThatIsNeverFilled) {
  const Ring ring = {.steps = 5, .depth = 4, .ahead = 3, .turns_by_fetch = false};
  RingRun run;
  EXPECT_THAT(Run(AddsOneThrough(ring), run.operands()),
              HasAmong(FaultKind::kDeadlock, AllOf(HasSubstr("core 0"), HasSubstr("rings_test.cc:"),
                                                   HasSubstr("arrived[3] holds 0 of 4,096 bytes"))));
}

TEST_P(RingsReportTest, P23TheDrainFetchesNothingMore) {
  const Ring ring = {.steps = 3, .depth = 3, .ahead = 3};
  RingRun run;
  const RunReport report = Run(AddsOneThrough(ring), run.operands());
  ExpectOneAdded(ring, run, report);
}

TEST_P(RingsReportTest, P23FetchesOfTheDrainThatNobodyWaitsForFillMemoryThatIsGivenBack) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Ring ring = {.steps = 3, .depth = 3, .ahead = 3, .masks_fetches = false};
  RingRun run;
  EXPECT_THAT(Run(AddsOneThrough(ring), run.operands()),
              HasAmong(FaultKind::kUseAfterScope,
                       AllOf(HasSubstr("slots is freed while a copy may still be filling it"), HasSubstr("arrived"))));
}

// Blocks 0, 2, 4, 6 of x into y, the next one on its way while one is worked on.
RefFunction EveryOtherBlock(bool counts_steps) {
  return [=](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](Ref slots, SemaphoreRef arrived) {
      auto fetch = [&](int64_t i) {
        const int64_t slot = counts_steps ? i / 2 % 2 : i % 2;
        return core.MakeAsyncCopy(x.At(i), slots.At(slot), arrived.At(slot));
      };
      fetch(0).Start();
      for (int64_t i = 0; i < 8; i += 2) {
        const AsyncCopy current = fetch(i);
        current.Wait();
        if (i + 2 < 8) fetch(i + 2).Start();
        core.SyncCopy(current.target(), y.At(i / 2));
      }
    };
    core.RunScoped(kernel, VmemTiles(2, "slots"), DmaSemaphore({2}, "arrived"));
  };
}

TEST_P(RingsReportTest, P20ALoopVariableInTwosAsASlotNumberFillsTheSlotInUse) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(8);
  Array y = Blocks(4);
  const RunReport report = Run(EveryOtherBlock(/*counts_steps=*/false), {In("x", x), Out("y", y)});
  EXPECT_THAT(report, HasOnly(FaultKind::kRace, AllOf(HasSubstr("slots"), HasSubstr("index 0, rows 0–7"))));
}

TEST_P(RingsReportTest, P20ACountOfTheStepsAsASlotNumberUsesBoth) {
  const Array x = NumberedBlocks(8);
  Array y = Blocks(4);
  EXPECT_THAT(Run(EveryOtherBlock(/*counts_steps=*/true), {In("x", x), Out("y", y)}), IsProved());
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(y.Get({i, 0, 0}), x.Get({2 * i, 0, 0}));
}

// Core 0 fills slots in turn, core 1 sends them on: a fill takes a credit of its slot, and leaves a token there.
struct Passing {
  int64_t trips = 0;
  int64_t slots = 2;              // that core 0 turns
  int64_t slots_of_consumer = 2;  // that core 1 turns
  bool preload_takes_credit = true;
};

struct Hand {
  Exchange free, full;
};

void Produce(KernelContext& core, const Passing& passing, Hand& hand, const Ref& x, const Ref& slots) {
  auto kernel = [&](SemaphoreRef free) {
    hand.free.Publish(free);
    const SemaphoreRef full = hand.full.Get(core);
    for (int64_t slot = 0; slot < passing.slots; ++slot) core.Signal(free.At(slot));
    for (int64_t trip = 0; trip < passing.trips; ++trip) {
      const int64_t slot = trip % passing.slots;
      if (trip > 0 || passing.preload_takes_credit) core.Wait(free.At(slot));
      core.SyncCopy(x.At(trip), slots.At(slot));
      core.Signal(full.At(slot));
    }
    // What the last use of each slot has given back.
    for (int64_t slot = 0; slot < passing.slots; ++slot) core.Wait(free.At(slot));
    if (!passing.preload_takes_credit && passing.trips > 0) core.Wait(free.At(0));
  };
  core.RunScoped(kernel, RegularSemaphore({passing.slots}, "free"));
}

void Consume(KernelContext& core, const Passing& passing, Hand& hand, const Ref& slots, const Ref& y) {
  auto kernel = [&](SemaphoreRef full) {
    hand.full.Publish(full);
    const SemaphoreRef free = hand.free.Get(core);
    for (int64_t trip = 0; trip < passing.trips; ++trip) {
      core.Wait(full.At(trip % passing.slots));
      core.SyncCopy(slots.At(trip % passing.slots_of_consumer), y.At(trip));
      core.Signal(free.At(trip % passing.slots));
    }
  };
  core.RunScoped(kernel, RegularSemaphore({passing.slots}, "full"));
}

class PassingReportTest : public ReportTest {
 protected:
  RunReport Pass(const Passing& passing) {
    Hand hand;
    auto kernel = [&](KernelContext& core, Ref x, Ref slots, Ref y) {
      if (core.core_index() == 0) {
        Produce(core, passing, hand, x, slots);
      } else {
        Consume(core, passing, hand, slots, y);
      }
    };
    return Run(kernel, {In("x", x), InOut("slots", slots), InOut("y", y)}, 2);
  }
  void ExpectPassed(int64_t trips) const {
    for (int64_t i = 0; i < trips; ++i) EXPECT_EQ(y.Get({i, 7, 127}), x.Get({i, 7, 127})) << trips << " trips";
  }

  Array x = NumberedBlocks(9);
  Array slots = Array::Full(kF32, {3, 8, 128}, -1);
  Array y = Array::Full(kF32, {9, 8, 128}, -9);
};
STRANDCORE_ON_EVERY_BACKEND(PassingReportTest);

TEST_P(PassingReportTest, P17APreloadThatTakesItsCreditIsRightForOddAndEvenTrips) {
  for (int64_t trips : {0, 1, 7, 8}) {
    EXPECT_THAT(Pass({.trips = trips}), IsProved()) << trips << " trips";
    ExpectPassed(trips);
  }
}

TEST_P(PassingReportTest, P17APreloadWithoutItsCreditLetsASlotBeFilledWhileItIsSent) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (int64_t trips : {7, 8}) {
    EXPECT_THAT(Pass({.trips = trips, .preload_takes_credit = false}),
                HasOnly(FaultKind::kRace, AllOf(HasSubstr("slots"), HasSubstr("core 0"), HasSubstr("core 1"))))
        << trips << " trips";
  }
}

TEST_P(PassingReportTest, P18AConsumerThatTurnsThreeSlotsOfTwoSendsOneWhileItIsFilledThoughAllCountsBalance) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(Pass({.trips = 9, .slots_of_consumer = 3}),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("slots"), HasSubstr("core 0"), HasSubstr("core 1"))));
  // The third slot, which nobody fills, holds what it held before the run: that it is stale has no order to tell by.
  for (int64_t i : {2, 5, 8}) EXPECT_EQ(y.Get({i, 0, 0}), -1) << "transfer " << i;
}

TEST_P(PassingReportTest, P18AConsumerThatTurnsTheSameSlotsSendsEachOnceItIsFilled) {
  EXPECT_THAT(Pass({.trips = 9}), IsProved());
  ExpectPassed(9);
}

TEST_P(RingsReportTest, S20MixedSizesOfWaitsAreADeadlockThatSaysWhatIsLeft) {
  for (int64_t second : {40, 32}) {
    auto kernel = [=](KernelContext& core) {
      auto queue = [&](SemaphoreRef tokens) {
        core.Signal(tokens, 64);
        core.Wait(tokens, 32);
        core.Wait(tokens, second);
      };
      core.RunScoped(queue, RegularSemaphore({}, "tokens"));
    };
    if (second == 32) {
      EXPECT_THAT(Run(kernel), IsProved());
    } else {
      EXPECT_THAT(Run(kernel), HasAmong(FaultKind::kDeadlock,
                                        AllOf(HasSubstr("tokens holds 32 of 40 units"), HasSubstr("rings_test.cc:"))));
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
