// The fast ways and the thrift of SemaphoreOrder and TransferSlots against the rule taken at its word: all posts are
// kept with their whole labels, each transfer has an entry of its own, and each wait sorts all posts by each entry.
#include "runtime/check/semaphore_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "runtime/check/order.h"

namespace strandcore {
namespace {

using Label = std::vector<uint64_t>;

uint64_t At(const Label& label, size_t entry) { return entry < label.size() ? label[entry] : 0; }
void Raise(Label& label, size_t entry, uint64_t value) {
  if (entry >= label.size()) label.resize(entry + 1);
  label[entry] = std::max(label[entry], value);
}

class LiteralOrder {
 public:
  LiteralOrder(size_t cores, size_t semaphores) : clocks_(cores), semaphores_(semaphores), entries_(cores) {}

  AccessEpoch Access(size_t core) {
    Raise(clocks_[core], core, At(clocks_[core], core) + 1);
    return {static_cast<ClockEntry>(core), clocks_[core][core]};
  }
  void Post(size_t core, size_t semaphore, int64_t units, AccessEpoch proven = {}) {
    Label label = clocks_[core];
    Raise(label, proven.entry, proven.value);
    semaphores_[semaphore].posts.push_back({units, label});
    semaphores_[semaphore].slack += units;
  }
  ClockEntry NewEntry() { return static_cast<ClockEntry>(entries_++); }

  void Wait(size_t core, size_t semaphore, int64_t units, bool decrement) {
    Counter& counter = semaphores_[semaphore];
    const int64_t slack = counter.slack - units;
    if (decrement) counter.slack = slack;
    Label& clock = clocks_[core];
    for (size_t entry = 0; entry < entries_; ++entry) Raise(clock, entry, Learned(counter, slack, entry));
  }
  bool Ordered(AccessEpoch epoch, size_t core) const { return At(clocks_[core], epoch.entry) >= epoch.value; }
  int64_t Held(size_t semaphore) const { return semaphores_[semaphore].slack; }

 private:
  struct Posted {
    int64_t units;
    Label label;
  };
  struct Counter {
    int64_t slack = 0;
    std::vector<Posted> posts;
  };

  static uint64_t Learned(const Counter& counter, int64_t slack, size_t entry) {
    std::vector<std::pair<uint64_t, int64_t>> tokens;
    for (const Posted& post : counter.posts) tokens.emplace_back(At(post.label, entry), post.units);
    std::sort(tokens.begin(), tokens.end(), std::greater<>());
    for (const auto& [value, units] : tokens) {
      if (units > slack) return value;
      slack -= units;
    }
    return 0;
  }

  std::vector<Label> clocks_;
  std::vector<Counter> semaphores_;
  size_t entries_;
};

// Does the same at random with both, and compares what the waiting core knows after each wait.
class BothOrders {
 public:
  BothOrders(uint64_t seed, int cores, int semaphores)
      : random_(seed),
        cores_(cores),
        order_(cores),
        literal_(static_cast<size_t>(cores), static_cast<size_t>(semaphores)),
        largest_(1 + Below(3)),
        wait_percent_(25 + Below(50)) {
    for (int i = 0; i < semaphores; ++i) {
      owners_.push_back(Below(cores));
      ids_.push_back(order_.AddSemaphore(owners_.back()));
    }
  }

  void Step() {
    const int core = Below(cores_);
    const int semaphore = Below(static_cast<int>(ids_.size()));
    if (Below(100) < wait_percent_) return Wait(semaphore);
    const int64_t units = 1 + Below(largest_);
    accesses_.push_back({order_.Access(core), literal_.Access(static_cast<size_t>(core))});
    if (Below(2) == 0) return Start(core, semaphore, units);
    order_.Signal(core, ids_[static_cast<size_t>(semaphore)], units);
    literal_.Post(static_cast<size_t>(core), static_cast<size_t>(semaphore), units);
  }

 private:
  struct Both {
    AccessEpoch run;
    AccessEpoch literal;
  };
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }

  void Start(int core, int send, int64_t units) {
    const int receive = Below(2) == 0 ? -1 : Below(static_cast<int>(ids_.size()));
    SemaphoreUnits received;
    if (receive >= 0) received = {ids_[static_cast<size_t>(receive)], units};
    const StartedTransfer started = order_.Start(core, {ids_[static_cast<size_t>(send)], units}, received);
    const ClockEntry entry = literal_.NewEntry();
    accesses_.push_back({started.read, {entry, 1}});
    accesses_.push_back({started.written, {entry, 2}});
    const auto by = static_cast<size_t>(core);
    literal_.Post(by, static_cast<size_t>(send), units, {entry, receive >= 0 ? 1u : 2u});
    if (receive >= 0) literal_.Post(by, static_cast<size_t>(receive), units, {entry, 2});
  }

  void Wait(int semaphore) {
    const auto at = static_cast<size_t>(semaphore);
    const int64_t held = literal_.Held(at);
    if (held == 0) return;
    const int64_t units = Below(3) == 0 ? held : 1 + Below(static_cast<int>(std::min<int64_t>(held, 4)));
    const bool decrement = Below(8) != 0;
    const int owner = owners_[at];
    order_.Wait(owner, ids_[at], units, decrement);
    literal_.Wait(static_cast<size_t>(owner), at, units, decrement);
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const bool expected = literal_.Ordered(accesses_[i].literal, static_cast<size_t>(owner));
      ASSERT_EQ(order_.Ordered(accesses_[i].run, owner), expected) << "access " << i << " of " << accesses_.size();
    }
  }

  std::mt19937_64 random_;
  const int cores_;
  LaunchOrder order_;
  LiteralOrder literal_;
  const int largest_;
  const int wait_percent_;
  std::vector<int> owners_;
  std::vector<SemaphoreId> ids_;
  std::vector<Both> accesses_;
};

void Compare(uint64_t seeds, int cores, int semaphores, int steps) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    BothOrders both(seed, cores, semaphores);
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) both.Step();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(SemaphoreOrderTest, OneCoreLearnsWhatTheRuleSays) { Compare(100, 1, 3, 120); }
TEST(SemaphoreOrderTest, CoresLearnWhatTheRuleSays) { Compare(150, 3, 4, 120); }
TEST(SemaphoreOrderTest, WithOneSemaphoreCoresLearnWhatTheRuleSays) { Compare(100, 4, 1, 120); }
TEST(SemaphoreOrderTest, WithManyCoresAndSemaphoresCoresLearnWhatTheRuleSays) { Compare(30, 8, 12, 400); }
TEST(LongSemaphoreOrderTest, CoresLearnWhatTheRuleSaysInLongRuns) { Compare(200, 3, 3, 900); }

}  // namespace
}  // namespace strandcore
