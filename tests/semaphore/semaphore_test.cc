#include "runtime/semaphore/semaphore.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

// An owner whose wake-ups are counted, and whose thread can sleep until the next.
class Owner final : public Agent, public Strand {
 public:
  Owner() : Agent(Kind::kCore, 0) {}
  void Step() override {}
  void Post(Agent& agent) override {
    EXPECT_EQ(&agent, static_cast<Agent*>(this));
    wakes_.release();
  }
  bool Woken() { return wakes_.try_acquire(); }
  void Sleep() { wakes_.acquire(); }
  Waiter waiter() { return {this, this}; }

 private:
  std::counting_semaphore<> wakes_{0};
};

class SemaphoreTest : public ::testing::Test {
 protected:
  SemaphoreTest() { semaphore_.set_waiter(owner_.waiter()); }

  Owner owner_;
  Semaphore semaphore_;
};

TEST_F(SemaphoreTest, StartsAtZero) {
  EXPECT_EQ(semaphore_.value(), 0);
  EXPECT_TRUE(semaphore_.Holds(0));
  EXPECT_FALSE(semaphore_.Holds(1));
  EXPECT_FALSE(semaphore_.awaited());
}

// S08: a wait takes what it needs and leaves the rest.
TEST_F(SemaphoreTest, ASignalOfThreePaysWaitsOfTwoAndOne) {
  semaphore_.Signal(3);
  EXPECT_TRUE(semaphore_.Take(2));
  EXPECT_EQ(semaphore_.value(), 1);
  EXPECT_TRUE(semaphore_.Take(1));
  EXPECT_EQ(semaphore_.value(), 0);
  EXPECT_FALSE(owner_.Woken()) << "nobody was parked";
}

TEST_F(SemaphoreTest, AWaitOfNothingIsGranted) {
  EXPECT_TRUE(semaphore_.Take(0));
  semaphore_.Signal(0);
  EXPECT_EQ(semaphore_.value(), 0);
  EXPECT_FALSE(owner_.Woken());
}

TEST_F(SemaphoreTest, OnlyTheSignalThatCompletesTheWaitWakes) {
  EXPECT_FALSE(semaphore_.Take(3));
  EXPECT_TRUE(semaphore_.awaited());
  semaphore_.Signal(1);
  semaphore_.Signal(1);
  EXPECT_FALSE(owner_.Woken());
  semaphore_.Signal(2);
  EXPECT_TRUE(owner_.Woken());
  semaphore_.Signal(5);
  EXPECT_FALSE(owner_.Woken()) << "woken twice";
  EXPECT_EQ(semaphore_.value(), 6);
}

TEST_F(SemaphoreTest, GiveBackMakesAWaitThatDoesNotSubtract) {
  semaphore_.Signal(2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(semaphore_.Take(2));
    semaphore_.GiveBack(2);
  }
  EXPECT_EQ(semaphore_.value(), 2);
}

TEST_F(SemaphoreTest, CancelTakeWakesNobody) {
  semaphore_.Signal(1);
  EXPECT_FALSE(semaphore_.Take(5));
  semaphore_.CancelTake(5);
  EXPECT_EQ(semaphore_.value(), 1);
  EXPECT_FALSE(semaphore_.awaited());
  EXPECT_FALSE(owner_.Woken());
}

TEST_F(SemaphoreTest, HoldsMoreThan32Bits) {
  const int64_t many = int64_t{1} << 40;
  semaphore_.Signal(many);
  EXPECT_TRUE(semaphore_.Take(many));
}

TEST_F(SemaphoreTest, EveryParkedWaitIsWokenExactlyOnceUnderFire) {
  constexpr int kThreads = 4;
  const int signals = Times(25'000, 2'500);  // of each thread
  std::vector<std::thread> signallers;
  for (int i = 0; i < kThreads; ++i) {
    signallers.emplace_back([&] {
      for (int k = 0; k < signals; ++k) semaphore_.Signal(1 + k % 3);
    });
  }
  int64_t left = 0;
  for (int k = 0; k < signals; ++k) left += int64_t{kThreads} * (1 + k % 3);
  for (int64_t take = 1; left > 0; take = take % 7 + 1) {
    const int64_t units = std::min(take, left);
    if (!semaphore_.Take(units)) owner_.Sleep();
    left -= units;
  }
  for (std::thread& signaller : signallers) signaller.join();
  EXPECT_FALSE(owner_.Woken()) << "a wake-up too many";
  EXPECT_EQ(semaphore_.value(), 0);
}

TEST_F(SemaphoreTest, WhatHappenedBeforeTheSignalIsSeenAfterTheWait) {
  const int rounds = Times(20'000, 2'000);
  int64_t message = 0;  // a race unless the semaphore orders
  Semaphore read;
  Owner reader;
  read.set_waiter(reader.waiter());
  std::thread writer([&] {
    for (int i = 1; i <= rounds; ++i) {
      message = i;
      semaphore_.Signal(1);
      if (!read.Take(1)) reader.Sleep();
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    if (!semaphore_.Take(1)) owner_.Sleep();
    ASSERT_EQ(message, i);
    read.Signal(1);
  }
  writer.join();
}

TEST(SemaphoreKindTest, HasItsName) {
  EXPECT_EQ(SemaphoreKindName(SemaphoreKind::kDma), std::string("DMA"));
  EXPECT_EQ(SemaphoreKindName(SemaphoreKind::kRegular), std::string("regular"));
}

}  // namespace
}  // namespace strandcore::testing
