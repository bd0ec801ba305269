#include "runtime/trace/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Event EventOn(int core, Event::Kind kind, int64_t amount = 0) {
  Event event;
  event.place.core = {0, core};
  event.kind = kind;
  event.amount = amount;
  return event;
}

TEST(EventTest, EveryKindHasItsOwnName) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(Event::Kind::kFree); ++i) {
    EXPECT_TRUE(names.insert(EventName(static_cast<Event::Kind>(i))).second) << i;
  }
}

TEST(EventTest, PrintsWhatItHas) {
  Event copy = EventOn(0, Event::Kind::kCopyIn);
  copy.place.in_pipeline = true;
  copy.place.phase = Phase::kCopyIn;
  copy.place.operand = "x";
  copy.place.grid_point = {1};
  copy.slot = 0;
  copy.start = {8, 0};
  copy.size = {8, 128};
  EXPECT_EQ(EventText(copy), "core 0, cycle 0, step (1,), copy_in of x: copy_in, slot 0, start (8, 0), size (8, 128)");
  Event done = EventOn(1, Event::Kind::kTransferDone, 4096);
  done.transfer = 3;
  EXPECT_EQ(EventText(done), "core 1, kernel: transfer_done, transfer 3, amount 4096");
  Event signal = EventOn(0, Event::Kind::kSignal, 2);
  signal.semaphore = "ready[1]";
  EXPECT_EQ(EventText(signal), "core 0, kernel: signal, semaphore ready[1], amount 2");
}

TEST(RecorderTest, KeepsEachCoresEventsInOrder) {
  Recorder recorder;
  recorder.OnEvent(EventOn(1, Event::Kind::kSignal));
  recorder.OnEvent(EventOn(0, Event::Kind::kWait));
  recorder.OnEvent(EventOn(1, Event::Kind::kWaitDone));
  EXPECT_THAT(recorder.Cores(), ElementsAre(CoreId{0, 0}, CoreId{0, 1}));
  ASSERT_EQ(recorder.EventsOf({0, 1}).size(), 2u);
  EXPECT_EQ(recorder.EventsOf({0, 1})[1].kind, Event::Kind::kWaitDone);
  EXPECT_EQ(TraceText(recorder),
            "core 0, kernel: wait\n"
            "core 1, kernel: signal\n"
            "core 1, kernel: wait_done\n");
}

TEST(RecorderTest, OfAnUnknownCoreHasNothing) {
  Recorder recorder;
  EXPECT_THAT(recorder.EventsOf({0, 3}), IsEmpty());
  recorder.OnEvent(EventOn(0, Event::Kind::kWait));
  recorder.Clear();
  EXPECT_THAT(recorder.Cores(), IsEmpty());
  EXPECT_EQ(TraceText(recorder), "");
}

TEST(RecorderTest, LosesNothingOfSeveralThreads) {
  constexpr int kEvents = 2000;
  Recorder recorder;
  auto record = [&](int core) {
    for (int i = 0; i < kEvents; ++i) recorder.OnEvent(EventOn(core, Event::Kind::kSignal, i));
  };
  std::thread other(record, 1);
  record(0);
  other.join();
  for (int core : {0, 1}) {
    ASSERT_EQ(recorder.EventsOf({0, core}).size(), static_cast<size_t>(kEvents));
    for (int i = 0; i < kEvents; ++i) ASSERT_EQ(recorder.EventsOf({0, core})[i].amount, i);
  }
}

}  // namespace
}  // namespace strandcore
