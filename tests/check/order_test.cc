#include "runtime/check/order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace strandcore {
namespace {

TEST(LaunchOrderTest, ASignalOrdersWhatCameBeforeItAndNotWhatComesAfter) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(1);
  const AccessEpoch before = order.Access(0);
  order.Signal(0, s, 1);
  const AccessEpoch after = order.Access(0);
  EXPECT_FALSE(order.Ordered(before, 1));
  order.Wait(1, s, 1);
  EXPECT_TRUE(order.Ordered(before, 1));
  EXPECT_FALSE(order.Ordered(after, 1));
  EXPECT_TRUE(order.Ordered(after, 0));
}

TEST(LaunchOrderTest, AccessesBetweenTwoPostsShareAnEpoch) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(1);
  const AccessEpoch first = order.Access(0);
  EXPECT_EQ(order.Access(0), first);
  order.Signal(0, s, 1);
  order.Signal(0, s, 1);
  EXPECT_EQ(order.Access(0).value, first.value + 1);
}

TEST(LaunchOrderTest, AWaitDoesNotAdvanceACore) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0);
  const AccessEpoch before = order.Access(0);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  EXPECT_EQ(order.Access(0), before);
}

TEST(LaunchOrderTest, ASlotIsUsedAgainOnlyWhenItsCoreKnowsTheLastUse) {
  LaunchOrder order(1);
  const SemaphoreId s = order.AddSemaphore(0);
  const StartedTransfer first = order.Start(0, {s, 1});
  const StartedTransfer second = order.Start(0, {s, 1});
  EXPECT_NE(first.read.entry, second.read.entry);
  order.Wait(0, s, 1);
  // Either may have been paid for.
  const StartedTransfer third = order.Start(0, {s, 1});
  EXPECT_NE(third.read.entry, first.read.entry);
  EXPECT_NE(third.read.entry, second.read.entry);
  order.Wait(0, s, 2);
  const StartedTransfer fourth = order.Start(0, {s, 1});
  EXPECT_LE(fourth.read.entry, 3u);
  EXPECT_TRUE(order.Ordered(first.written, 0));
  EXPECT_FALSE(order.Ordered(fourth.read, 0));
}

TEST(LaunchOrderTest, ASlotIsNotUsedAgainWhenOnlyItsSourceIsKnownToBeRead) {
  LaunchOrder order(2);
  const SemaphoreId send = order.AddSemaphore(0);
  const SemaphoreId receive = order.AddSemaphore(1);
  const StartedTransfer first = order.Start(0, {send, 1}, {receive, 1});
  order.Wait(0, send, 1);
  EXPECT_TRUE(order.Ordered(first.read, 0));
  EXPECT_FALSE(order.Ordered(first.written, 0));
  EXPECT_NE(order.Start(0, {send, 1}, {receive, 1}).read.entry, first.read.entry);
}

TEST(LaunchOrderTest, APipelineUsesAsManySlotsAsItHasCopiesInFlight) {
  LaunchOrder order(1);
  const SemaphoreId s[2] = {order.AddSemaphore(0), order.AddSemaphore(0)};
  for (int i = 0; i < 1000; ++i) {
    order.Start(0, {s[i % 2], 4096});
    if (i > 0) order.Wait(0, s[(i + 1) % 2], 4096);
  }
  EXPECT_LE(order.ClockOf(0).size(), 1u + 3u);
}

TEST(LaunchOrderTest, ATransferOfNothingTakesNoSlot) {
  LaunchOrder order(1);
  const SemaphoreId s = order.AddSemaphore(0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(order.Ordered(order.Start(0, {s, 0}).written, 0));
  order.Start(0, {s, 1});
  order.Wait(0, s, 1);
  EXPECT_EQ(order.ClockOf(0).size(), 2u);
}

TEST(LaunchOrderTest, UnitsHeldAtFirstAreKnownToAll) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0, 1);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  EXPECT_FALSE(order.Ordered(wrote, 0));
  order.Wait(0, s, 1);
  EXPECT_TRUE(order.Ordered(wrote, 0));
}

TEST(LaunchOrderTest, APostOfWhichEverythingIsKnownMayHavePaidInsteadToo) {
  LaunchOrder order(3);
  const SemaphoreId s = order.AddSemaphore(0);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  order.Signal(2, s, 1);
  order.Wait(0, s, 1);
  const std::optional<UnsurePost> unsure = order.WhyUnordered(wrote, 0);
  ASSERT_TRUE(unsure.has_value());
  EXPECT_EQ(unsure->post, (PostName{1, 0, 0}));
  EXPECT_EQ(unsure->instead, std::vector<PostName>({{2, 0, 0}}));
}

TEST(LaunchOrderTest, APostThatNobodyWaitedForExplainsNothing) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  EXPECT_FALSE(order.Ordered(wrote, 0));
  EXPECT_FALSE(order.WhyUnordered(wrote, 0).has_value());
}

TEST(LaunchOrderTest, ARaceIsExplainedByThePostAndWhoCouldHavePaidInstead) {
  LaunchOrder order(3);
  const SemaphoreId s = order.AddSemaphore(0);
  order.Access(2);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  order.Signal(2, s, 1);
  EXPECT_FALSE(order.WhyUnordered(wrote, 0).has_value());
  order.Wait(0, s, 1);
  const std::optional<UnsurePost> unsure = order.WhyUnordered(wrote, 0);
  ASSERT_TRUE(unsure.has_value());
  EXPECT_EQ(unsure->semaphore, s);
  EXPECT_EQ(unsure->post, (PostName{1, 0, 0}));
  EXPECT_EQ(unsure->wait, (WaitName{0, 0}));
  EXPECT_EQ(unsure->instead, std::vector<PostName>({{2, 0, 0}}));
  EXPECT_TRUE(order.IsOpen(0, s));
  order.Wait(0, s, 1);
  EXPECT_FALSE(order.IsOpen(0, s));
  EXPECT_FALSE(order.WhyUnordered(wrote, 0).has_value());
}

TEST(LaunchOrderTest, ALatePostNamesTheWaitItCouldHaveComeBefore) {
  LaunchOrder order(3);
  const SemaphoreId s = order.AddSemaphore(0);
  order.Access(1);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  EXPECT_TRUE(order.IsExact());
  order.Signal(2, s, 1);
  EXPECT_TRUE(order.late());
  EXPECT_FALSE(order.IsExact());
  ASSERT_EQ(order.late_posts().size(), 1u);
  EXPECT_EQ(order.late_posts()[0].post, (PostName{2, 0, 0}));
  EXPECT_EQ(order.late_posts()[0].wait, (WaitName{0, 0}));
}

TEST(LaunchOrderTest, APostThatFollowsFromTheWaitIsNotLate) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0);
  const SemaphoreId back = order.AddSemaphore(1);
  order.Access(1);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  order.Signal(1, s, 1);  // by the same core as before
  order.Signal(0, back, 1);
  order.Start(0, {s, 1});  // by the owner
  EXPECT_FALSE(order.late());
}

TEST(LaunchOrderTest, AnEndedSemaphoresIdIsUsedAgainAsNew) {
  LaunchOrder order(3);
  const SemaphoreId s = order.AddSemaphore(0);
  order.Access(2);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  order.Signal(2, s, 1);
  order.Wait(0, s, 1);
  EXPECT_TRUE(order.EndSemaphore(0, s).has_value());
  EXPECT_EQ(order.AddSemaphore(0), s);
  order.Signal(0, s, 1);
  order.Wait(0, s, 1);
  EXPECT_FALSE(order.EndSemaphore(0, s).has_value());
  EXPECT_FALSE(order.Ordered(wrote, 0));
}

TEST(LaunchOrderTest, AtTheLimitTheOldestPostCountsAsProvenAndIsNoted) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(1);
  const int count = static_cast<int>(kMaxLivePosts) + 1;
  std::vector<AccessEpoch> wrote;
  for (int i = 0; i < count; ++i) wrote.push_back(order.Start(0, {s, 1}).written);
  EXPECT_EQ(order.capped(), std::vector<SemaphoreId>({s}));
  EXPECT_FALSE(order.IsExact());
  order.Wait(1, s, 1);
  EXPECT_TRUE(order.Ordered(wrote[0], 1));
  EXPECT_FALSE(order.Ordered(wrote[1], 1));
  order.Wait(1, s, count - 1);
  EXPECT_TRUE(order.Ordered(wrote.back(), 1));
}

TEST(LaunchOrderTest, BelowTheLimitNothingIsNoted) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0);
  for (size_t i = 0; i < 4 * kMaxLivePosts; ++i) {
    order.Access(1);
    order.Signal(1, s, 1);
    if (i >= 2) order.Wait(0, s, 1);
  }
  EXPECT_TRUE(order.capped().empty());
}

TEST(LaunchOrderTest, WhatBecameKnownElsewhereDoesNotCountTowardsTheLimit) {
  LaunchOrder order(2);
  const SemaphoreId plenty = order.AddSemaphore(0, 1 << 20);  // no wait on it proves anything
  const SemaphoreId s = order.AddSemaphore(0);
  for (size_t i = 0; i < 4 * kMaxLivePosts; ++i) {
    order.Access(1);
    order.Signal(1, plenty, 1);
    order.Signal(1, s, 1);
    order.Wait(0, s, 1);
    order.Wait(0, plenty, 1);
  }
  EXPECT_TRUE(order.capped().empty());
}

// Two threads hand a token to and fro. (What is under test is that nothing breaks; run it under ThreadSanitizer.)
void PassTokens(LaunchOrder& order, int32_t self, std::atomic<int>* turn, const SemaphoreId* semaphores, int rounds) {
  AccessEpoch theirs;
  for (int i = 0; i < rounds; ++i) {
    order.Access(self);
    const SemaphoreId own = order.AddSemaphore(self);
    order.Start(self, {own, 64});
    order.Wait(self, own, 64);
    order.Signal(self, semaphores[1 - self], 1);
    turn[1 - self].fetch_add(1, std::memory_order_release);
    while (turn[self].load(std::memory_order_acquire) <= i) std::this_thread::yield();
    order.Wait(self, semaphores[self], 1);
    theirs = {static_cast<ClockEntry>(1 - self), static_cast<uint64_t>(i + 1)};
    EXPECT_TRUE(order.Ordered(theirs, self));
    EXPECT_FALSE(order.EndSemaphore(self, own).has_value());
  }
}
TEST(LaunchOrderTest, CoresMayCallAtOnce) {
  RequestLog log(2, 1 << 16);
  LaunchOrder order(2, &log);
  const SemaphoreId semaphores[2] = {order.AddSemaphore(0), order.AddSemaphore(1)};
  std::atomic<int> turn[2] = {0, 0};
  std::thread other([&] { PassTokens(order, 1, turn, semaphores, 2000); });
  PassTokens(order, 0, turn, semaphores, 2000);
  other.join();
  EXPECT_FALSE(order.late());
  EXPECT_FALSE(log.cut());
}

}  // namespace
}  // namespace strandcore
