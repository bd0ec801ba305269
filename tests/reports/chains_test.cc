// Chains of cores that hand blocks on through few slots: whether they hang is a matter of slack (field_reports.md S18,
// I10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using ChainsReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(ChainsReportTest);

constexpr int64_t kItems = 5;

// From one core to another through slots of an HBM array: a token in `full` for a block that is there, one in `free`
// for a slot that may be filled.
class Channel {
 public:
  explicit Channel(int64_t slots) : slots_(slots) {}

  void Open(SemaphoreRef own_free) { free_.Publish(own_free); }
  void Receive(SemaphoreRef own_full) { full_.Publish(own_full); }

  // Of the sender. It has all credits at first, and takes them back at the end.
  void Send(KernelContext& core, SemaphoreRef own_free, const Ref& block, const Ref& pages, int64_t item) {
    if (item >= slots_) core.Wait(own_free);
    core.SyncCopy(block, pages.At(item % slots_));
    core.Signal(full_.Get(core));
  }
  void Close(KernelContext& core, SemaphoreRef own_free, int64_t items) {
    core.Wait(own_free, std::min(items, slots_));
  }
  // Of the receiver.
  void Take(KernelContext& core, SemaphoreRef own_full, const Ref& pages, const Ref& block, int64_t item) {
    core.Wait(own_full);
    core.SyncCopy(pages.At(item % slots_), block);
    core.Signal(free_.Get(core));
  }

 private:
  const int64_t slots_;
  Exchange full_, free_;
};

// Adds 1 to each block of x on core 1 and again on core 2. Core 0 sends to core 1, core 1 to core 2; with
// `tells_the_wrong_core`, core 0 says to core 2 that a block for core 1 is there.
RefFunction ThreeInARow(Channel& first, Channel& second, bool tells_the_wrong_core) {
  return [&first, &second, tells_the_wrong_core](KernelContext& core, Ref x, Ref pages, Ref y) {
    auto kernel = [&](Ref tile, SemaphoreRef full, SemaphoreRef free) {
      if (core.core_index() == 0) first.Open(free);
      if (core.core_index() == (tells_the_wrong_core ? 2 : 1)) first.Receive(full);
      if (core.core_index() == 1) second.Open(free);
      if (core.core_index() == 2) second.Receive(full);
      for (int64_t item = 0; item < kItems; ++item) {
        if (core.core_index() == 0) {
          core.SyncCopy(x.At(item), tile);
          first.Send(core, free, tile, pages.At(0), item);
          continue;
        }
        Channel& from = core.core_index() == 1 ? first : second;
        from.Take(core, full, pages.At(core.core_index() - 1), tile, item);
        tile.ReadWrite<float>() += 1.0f;
        if (core.core_index() == 1) second.Send(core, free, tile, pages.At(1), item);
        if (core.core_index() == 2) core.SyncCopy(tile, y.At(item));
      }
      if (core.core_index() < 2) (core.core_index() == 0 ? first : second).Close(core, free, kItems);
    };
    core.RunScoped(kernel, VmemTile("tile"), RegularSemaphore({}, "full"), RegularSemaphore({}, "free"));
  };
}

TEST_P(ChainsReportTest, S18ThreeCoresInARowWithOneSlotEachDoNotHang) {
  const Array x = NumberedBlocks(kItems);
  Array y = Blocks(kItems), pages(kF32, {2, 1, 8, 128});
  Channel first(1), second(1);
  const RunReport report = Run(ThreeInARow(first, second, /*tells_the_wrong_core=*/false),
                               {In("x", x), InOut("pages", pages), Out("y", y)}, 3);
  EXPECT_THAT(report, IsProved());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>() + 2.0f).all());
}

TEST_P(ChainsReportTest, S18TheTokenOfABlockAtTheWrongConsumerIsADeadlockThatNamesWhoWaits) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(kItems);
  Array y = Blocks(kItems), pages(kF32, {2, 1, 8, 128});
  Channel first(1), second(1);
  const RunReport report = Run(ThreeInARow(first, second, /*tells_the_wrong_core=*/true),
                               {In("x", x), InOut("pages", pages), InOut("y", y)}, 3);
  EXPECT_THAT(report, HasAmong(FaultKind::kDeadlock,
                               AllOf(HasSubstr("full holds 0 of 1 unit"), ::testing::ContainsRegex("cores? 1"),
                                     HasSubstr("chains_test.cc:"))));
}

// Core 0 sends each block to cores 1 and 2. Core 1 hands on the sum of every two; core 2 takes such a sum before it
// takes the blocks that it was made of. So two blocks must fit between cores 0 and 2.
struct Broadcast {
  explicit Broadcast(int64_t slots) : to_1(slots), to_2(slots), sums(1) {}
  Channel to_1, to_2, sums;
};

struct Tokens {
  Tokens(KernelContext& core, const Ref& tile, const Ref& sum, const SemaphoreRef& tokens)
      : core(core), tile(tile), sum(sum), tokens(tokens) {}
  KernelContext& core;
  Ref tile, sum;
  SemaphoreRef tokens;
};

void Source(Broadcast& broadcast, Tokens& own, const Ref& x, const Ref& pages) {
  broadcast.to_1.Open(own.tokens.At(0));
  broadcast.to_2.Open(own.tokens.At(1));
  for (int64_t item = 0; item < 4; ++item) {
    own.core.SyncCopy(x.At(item), own.tile);
    broadcast.to_2.Send(own.core, own.tokens.At(1), own.tile, pages.At(1), item);
    broadcast.to_1.Send(own.core, own.tokens.At(0), own.tile, pages.At(0), item);
  }
  broadcast.to_1.Close(own.core, own.tokens.At(0), 4);
  broadcast.to_2.Close(own.core, own.tokens.At(1), 4);
}

void Adder(Broadcast& broadcast, Tokens& own, const Ref& pages) {
  broadcast.to_1.Receive(own.tokens.At(0));
  broadcast.sums.Open(own.tokens.At(1));
  for (int64_t item = 0; item < 4; ++item) {
    broadcast.to_1.Take(own.core, own.tokens.At(0), pages.At(0), own.tile, item);
    if (item % 2 == 0) own.sum.Write<float>() = own.tile.Read<float>();
    if (item % 2 == 1) own.sum.ReadWrite<float>() += own.tile.Read<float>();
    if (item % 2 == 1) broadcast.sums.Send(own.core, own.tokens.At(1), own.sum, pages.At(2), item / 2);
  }
  broadcast.sums.Close(own.core, own.tokens.At(1), 2);
}

void Divider(Broadcast& broadcast, Tokens& own, const Ref& pages, const Ref& y) {
  broadcast.to_2.Receive(own.tokens.At(0));
  broadcast.sums.Receive(own.tokens.At(1));
  for (int64_t item = 0; item < 4; ++item) {
    if (item % 2 == 0) broadcast.sums.Take(own.core, own.tokens.At(1), pages.At(2), own.sum, item / 2);
    broadcast.to_2.Take(own.core, own.tokens.At(0), pages.At(1), own.tile, item);
    own.tile.Write<float>() = own.sum.Read<float>() - own.tile.Read<float>();
    own.core.SyncCopy(own.tile, y.At(item));
  }
}

RefFunction Broadcasts(Broadcast& broadcast) {
  return [&broadcast](KernelContext& core, Ref x, Ref pages, Ref y) {
    auto kernel = [&](Ref tile, Ref sum, SemaphoreRef tokens) {
      Tokens own(core, tile, sum, tokens);
      if (core.core_index() == 0) Source(broadcast, own, x, pages);
      if (core.core_index() == 1) Adder(broadcast, own, pages);
      if (core.core_index() == 2) Divider(broadcast, own, pages, y);
    };
    core.RunScoped(kernel, VmemTile("tile"), VmemTile("sum"), RegularSemaphore({2}, "tokens"));
  };
}

class BroadcastReportTest : public ReportTest {
 protected:
  RunReport RunBroadcast(int64_t slots) {
    Broadcast broadcast(slots);
    Array pages(kF32, {3, 2, 8, 128});
    return Run(Broadcasts(broadcast), {In("x", x), InOut("pages", pages), InOut("y", y)}, 3);
  }
  Array x = NumberedBlocks(4);
  Array y = Blocks(4);
};
STRANDCORE_ON_EVERY_BACKEND(BroadcastReportTest);

TEST_P(BroadcastReportTest, S18TwoReadersThatMeetAgainHangWithOneSlotAndEveryCoreThatWaitsIsNamed) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunBroadcast(/*slots=*/1),
              HasAmong(FaultKind::kDeadlock, AllOf(HasSubstr("core 0"), HasSubstr("core 1"), HasSubstr("core 2"))));
}

TEST_P(BroadcastReportTest, S18WithTwoSlotsTheyDoNot) {
  EXPECT_THAT(RunBroadcast(/*slots=*/2), IsProved());
  // Each block is the other one of its two.
  for (int64_t item = 0; item < 4; ++item)
    EXPECT_EQ(y.Get({item, 0, 0}), x.Get({item % 2 == 0 ? item + 1 : item - 1, 0, 0}));
}

// A value that is carried in a queue of one slot: taken, and put back into the same queue before or after its slot is
// given free.
TEST_P(ChainsReportTest, I10AQueueThatIsReservedBeforeItsOnlySlotIsPoppedIsADeadlock) {
  for (bool pops_first : {true, false}) {
    auto kernel = [=](KernelContext& core) {
      auto queue = [&](Ref slot, SemaphoreRef full, SemaphoreRef free) {
        slot.Set<int32_t>(0);
        core.Signal(full);
        for (int step = 0; step < 3; ++step) {
          core.Wait(full);
          const int32_t carried = slot.Get<int32_t>();
          if (pops_first) core.Signal(free);
          core.Wait(free);
          if (!pops_first) core.Signal(free);
          slot.Set<int32_t>(carried + 1);
          core.Signal(full);
        }
        core.Wait(full);
        core.Check(slot.Get<int32_t>() == 3, "three steps were carried");
      };
      core.RunScoped(queue, Smem({1}, DType::kInt32, "slot"), RegularSemaphore({}, "full"),
                     RegularSemaphore({}, "free"));
    };
    if (pops_first) {
      EXPECT_THAT(Run(kernel), IsProved());
    } else {
      EXPECT_THAT(Run(kernel), HasAmong(FaultKind::kDeadlock,
                                        AllOf(HasSubstr("free holds 0 of 1 unit"), HasSubstr("chains_test.cc:"))));
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
