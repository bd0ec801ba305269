// Cores that hand data to each other, and the order that they forget (field_reports.md S04 to S07, S14, S18). The peers
// of the reports are cores of one device here; a page of a shared array is each one's buffer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using CoresReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(CoresReportTest);

struct Scatter {
  bool meets_before_scatter = true;
  int32_t second_place = 1;
  int64_t rows = 8;  // of a block that is scattered
};

// Core 0 brings the table of places, core 1 scatters blocks by it.
RefFunction ScattersByTable(const Scatter& scatter, Exchange& exchange) {
  return [&exchange, scatter](KernelContext& core, Ref places, Ref table, Ref x, Ref y) {
    if (core.core_index() == 0) {
      core.SyncCopy(places, table);
      if (scatter.meets_before_scatter) core.Signal(exchange.Get(core));
      return;
    }
    auto kernel = [&](Ref cell, SemaphoreRef brought) {
      exchange.Publish(brought);
      if (scatter.meets_before_scatter) core.Wait(brought);
      core.SyncCopy(table, cell);
      for (int64_t i : {0, 1}) {
        const Ref block = x.At(Ds(8 * i, scatter.rows));
        core.SyncCopy(block, y.At(Ds(8 * cell.Get<int32_t>({i}), scatter.rows)));
      }
    };
    core.RunScoped(kernel, Smem({2}, DType::kInt32, "cell"), RegularSemaphore({}, "brought"));
  };
}

class ScatterReportTest : public ReportTest {
 protected:
  RunReport RunScatter(const Scatter& scatter) {
    Exchange exchange;
    const Array places = Array::FromValues<int32_t>({2}, {0, scatter.second_place});
    return Run(ScattersByTable(scatter, exchange),
               {In("places", places), InOut("table", table), In("x", x), Out("y", y)}, 2);
  }
  // Before it is brought, places that are there too: a race, and not by chance something else.
  Array table = Array::FromValues<int32_t>({2}, {1, 0});
  Array x = Integers(kF32, {16, 128}, 1);
  Array y{kF32, {16, 128}};
};
STRANDCORE_ON_EVERY_BACKEND(ScatterReportTest);

TEST_P(ScatterReportTest, S04WithAHandOverBeforeTheScatterItIsRight) {
  EXPECT_THAT(RunScatter({}), IsProved());
  EXPECT_EQ(y, x);
}

TEST_P(ScatterReportTest, S04WithoutABarrierBeforeTheScatterTheTableIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunScatter({.meets_before_scatter = false}),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("table"), HasSubstr("core 0"), HasSubstr("core 1"))));
}

TEST_P(ScatterReportTest, S04APlaceFromThePaddingOfTheTableIsOutOfBounds) {
  EXPECT_THAT(RunScatter({.second_place = 2}),
              HasOne(FaultKind::kOutOfBounds,
                     AllOf(HasSubstr("y: rows 16–23 of dimension 0 lie outside 0–15"), HasSubstr("core 1"))));
}

TEST_P(ScatterReportTest, S04ABlockLargerThanWhatIsLeftIsOutOfBounds) {
  EXPECT_THAT(RunScatter({.rows = 12}),
              HasOne(FaultKind::kOutOfBounds,
                     AllOf(HasSubstr("x: rows 8–19 of dimension 0 lie outside 0–15"), HasSubstr("core 1"))));
}

// One core's semaphores, for the others to pay.
struct Ring {
  explicit Ring(int cores) : barriers(static_cast<size_t>(cores)), received(static_cast<size_t>(cores)) {}
  SemaphoreRef Barrier(KernelContext& core, int of) { return barriers[static_cast<size_t>(of)].Get(core); }
  SemaphoreRef Received(KernelContext& core, int of) { return received[static_cast<size_t>(of)].Get(core); }
  std::vector<Exchange> barriers, received;
};

// Signals both neighbours and waits for both.
void MeetNeighbours(KernelContext& core, Ring& ring, int64_t which) {
  const int cores = core.num_cores(), me = core.core_index();
  for (int neighbour : {(me + 1) % cores, (me + cores - 1) % cores}) {
    core.Signal(ring.Barrier(core, neighbour).At(which));
  }
  core.Wait(ring.Barrier(core, me).At(which), 2);
}

// Each core clears its inbox and then makes two calls, of which each meets the neighbours, so that they have cleared
// theirs, and puts a block into the left one's inbox.
RefFunction TwoCalls(Ring& ring, bool double_barrier) {
  return [&ring, double_barrier](KernelContext& core, Ref zeros, Ref x, Ref inbox) {
    const int me = core.core_index(), left = (me + core.num_cores() - 1) % core.num_cores();
    auto kernel = [&](SemaphoreRef barriers) {
      ring.barriers[static_cast<size_t>(me)].Publish(barriers);
      core.SyncCopy(zeros, inbox.At(me));
      for (int64_t call : {0, 1}) {
        MeetNeighbours(core, ring, 0);
        if (double_barrier) MeetNeighbours(core, ring, 1);
        core.SyncCopy(x.At(me), inbox.At(left, call));
      }
    };
    core.RunScoped(kernel, RegularSemaphore({2}, "barriers"));
  };
}

class TwoCallsReportTest : public ReportTest {
 protected:
  RunReport RunCalls(int cores, bool double_barrier) {
    Ring ring(cores);
    const Array zeros = Blocks(2), x = NumberedBlocks(cores);
    Array inbox(kF32, {cores, 2, 8, 128});
    return Run(TwoCalls(ring, double_barrier), {In("zeros", zeros), In("x", x), Out("inbox", inbox)}, cores);
  }
};
STRANDCORE_ON_EVERY_BACKEND(TwoCallsReportTest);

// A fast neighbour's two signals pass for one of each: the core enters though the other neighbour is not there yet.
TEST_P(TwoCallsReportTest, S05ABarrierSemaphoreThatTheNextCallUsesAgainIsARaceInARingOfFour) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunCalls(4, /*double_barrier=*/false), HasOnly(FaultKind::kRace, HasSubstr("inbox")));
}

// In a ring of three each is everybody's neighbour: who signals twice has himself been waited for by the third.
TEST_P(TwoCallsReportTest, S05InARingOfThreeTheSameIsProvedRight) {
  EXPECT_THAT(RunCalls(3, /*double_barrier=*/false), IsProved());
}

TEST_P(TwoCallsReportTest, S05ASecondBarrierOnASemaphoreOfItsOwnIsRight) {
  for (int cores : {3, 4}) EXPECT_THAT(RunCalls(cores, /*double_barrier=*/true), IsProved()) << cores << " cores";
}

// Both cores wait for the block that the other sends; core 1 sends one, or not.
RefFunction SendsAndWaitsToReceive(Ring& ring, bool both_send) {
  return [&ring, both_send](KernelContext& core, Ref x, Ref inbox) {
    const int me = core.core_index(), other = 1 - me;
    auto kernel = [&](SemaphoreRef sent, SemaphoreRef received) {
      ring.received[static_cast<size_t>(me)].Publish(received);
      const AsyncCopy copy = core.MakeAsyncRemoteCopy(x.At(me), inbox.At(other), sent, ring.Received(core, other));
      if (me == 0 || both_send) {
        copy.Start();
        copy.Wait();
      }
      // What I have received; of what the other has this tells nothing.
      core.MakeAsyncRemoteCopy(x.At(other), inbox.At(me), sent, received).WaitReceived(core);
    };
    core.RunScoped(kernel, DmaSemaphore({}, "sent"), DmaSemaphore({}, "received"));
  };
}

TEST_P(CoresReportTest, S06AWaitToReceiveWhereNobodySendsIsADeadlockOfTheReceiver) {
  Ring ring(2);
  const Array x = NumberedBlocks(2);
  Array inbox = Blocks(2);
  EXPECT_THAT(Run(SendsAndWaitsToReceive(ring, /*both_send=*/false), {In("x", x), InOut("inbox", inbox)}, 2),
              HasAmong(FaultKind::kDeadlock, AllOf(HasSubstr("core 0"), HasSubstr("cores_test.cc:"),
                                                   HasSubstr("received holds 0 of 4,096 bytes"))));
}

TEST_P(CoresReportTest, S06WhereBothSendBothReceive) {
  Ring ring(2);
  const Array x = NumberedBlocks(2);
  Array inbox = Blocks(2);
  EXPECT_THAT(Run(SendsAndWaitsToReceive(ring, /*both_send=*/true), {In("x", x), Out("inbox", inbox)}, 2), IsProved());
  EXPECT_EQ(inbox.Get({0, 0, 0}), 2);
  EXPECT_EQ(inbox.Get({1, 0, 0}), 1);
}

// Each core sends its block to the right and in the next step sends on what it has received.
RefFunction Forwards(Ring& ring, bool waits_to_receive_first) {
  return [&ring, waits_to_receive_first](KernelContext& core, Ref x, Ref inbox) {
    const int me = core.core_index(), right = (me + 1) % core.num_cores();
    auto kernel = [&](SemaphoreRef sent, SemaphoreRef received) {
      ring.received[static_cast<size_t>(me)].Publish(received);
      auto send = [&](const Ref& block, int64_t step) {
        return core.MakeAsyncRemoteCopy(block, inbox.At(right, step), sent.At(step),
                                        ring.Received(core, right).At(step));
      };
      auto wait_received = [&](int64_t step) {
        core.MakeAsyncRemoteCopy(x.At(me), inbox.At(me, step), sent.At(step), received.At(step)).WaitReceived(core);
      };
      const AsyncCopy own = send(x.At(me), 0), forwarded = send(inbox.At(me, 0), 1);
      own.Start();
      own.Wait();
      if (waits_to_receive_first) wait_received(0);
      forwarded.Start();
      if (!waits_to_receive_first) wait_received(0);
      forwarded.Wait();
      wait_received(1);
    };
    core.RunScoped(kernel, DmaSemaphore({2}, "sent"), DmaSemaphore({2}, "received"));
  };
}

TEST_P(CoresReportTest, S07ForwardingAfterTheWaitOfTheOwnSendAloneIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Ring ring(3);
  const Array x = NumberedBlocks(3);
  Array inbox(kF32, {3, 2, 8, 128});
  EXPECT_THAT(
      Run(Forwards(ring, /*waits_to_receive_first=*/false), {In("x", x), InOut("inbox", inbox)}, 3),
      HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy reads inbox while a copy"), HasSubstr("still filling it"))));
}

TEST_P(CoresReportTest, S07ForwardingAfterBothWaitsIsRight) {
  Ring ring(3);
  const Array x = NumberedBlocks(3);
  Array inbox(kF32, {3, 2, 8, 128});
  EXPECT_THAT(Run(Forwards(ring, /*waits_to_receive_first=*/true), {In("x", x), Out("inbox", inbox)}, 3), IsProved());
  for (int64_t core : {0, 1, 2}) {
    EXPECT_EQ(inbox.Get({core, 0, 7, 127}), 1 + (core + 2) % 3);
    EXPECT_EQ(inbox.Get({core, 1, 7, 127}), 1 + (core + 1) % 3);
  }
}

enum class AfterSend { kReadsAndWritesSource, kWritesSourceBeforeTheWait, kReadsTarget };

// Core 0 sends rows 0 to 7 of its page into rows 8 to 15 of core 1's.
RefFunction SendsUpperToLower(Ring& ring, AfterSend after) {
  return [&ring, after](KernelContext& core, Ref x, Ref pages) {
    auto sends = [&](Ref tile, SemaphoreRef sent) {
      const Ref source = pages.At(0, Ds(0, 8)), target = pages.At(1, Ds(8, 8));
      const AsyncCopy copy = core.MakeAsyncRemoteCopy(source, target, sent, ring.Received(core, 1));
      core.SyncCopy(x, source);
      copy.Start();
      if (after == AfterSend::kWritesSourceBeforeTheWait) core.SyncCopy(x, source);
      copy.Wait();
      core.SyncCopy(source, tile);
      core.SyncCopy(x, source);
      if (after == AfterSend::kReadsTarget) core.SyncCopy(target, tile);
    };
    auto receives = [&](Ref tile, SemaphoreRef received) {
      ring.received[1].Publish(received);
      const Ref target = pages.At(1, Ds(8, 8));
      core.MakeAsyncRemoteCopy(pages.At(0, Ds(0, 8)), target, received, received).WaitReceived(core);
      core.SyncCopy(target, tile);
    };
    if (core.core_index() == 0) core.RunScoped(sends, VmemTile("tile"), DmaSemaphore({}, "sent"));
    if (core.core_index() == 1) core.RunScoped(receives, VmemTile("tile"), DmaSemaphore({}, "received"));
  };
}

class SlicesReportTest : public ReportTest {
 protected:
  RunReport RunSend(AfterSend after) {
    Ring ring(2);
    return Run(SendsUpperToLower(ring, after), {In("x", x), InOut("pages", pages)}, 2);
  }
  Array x = Integers(kF32, {8, 128}, 1);
  Array pages = Array::Full(kF32, {2, 16, 128}, -9);
};
STRANDCORE_ON_EVERY_BACKEND(SlicesReportTest);

TEST_P(SlicesReportTest, S14DifferentSlicesAtBothEndsAreKeptApartAndTheWaitFreesTheSource) {
  EXPECT_THAT(RunSend(AfterSend::kReadsAndWritesSource), IsProved());
  EXPECT_TRUE((pages.Matrix<float>({0}).topRows(8) == x.Matrix<float>()).all());
  EXPECT_TRUE((pages.Matrix<float>({0}).bottomRows(8) == -9.0f).all());
  EXPECT_TRUE((pages.Matrix<float>({1}).topRows(8) == -9.0f).all());
  EXPECT_TRUE((pages.Matrix<float>({1}).bottomRows(8) == x.Matrix<float>()).all());
}

TEST_P(SlicesReportTest, S14WritingTheSourceBeforeItsWaitIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunSend(AfterSend::kWritesSourceBeforeTheWait),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy writes pages while a copy is still reading it"),
                                              HasSubstr("index 0, rows 0–7"))));
}

TEST_P(SlicesReportTest, S14TheWaitOfTheSenderTellsNothingOfTheTarget) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunSend(AfterSend::kReadsTarget),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy reads pages while a copy is still filling it"),
                                              HasSubstr("index 1, rows 8–15"))));
}

}  // namespace
}  // namespace strandcore::testing
