#include "runtime/check/solve.h"

#include <gtest/gtest.h>

#include "runtime/check/order.h"
#include "runtime/check/request_log.h"

namespace strandcore {
namespace {

TEST(SolvedOrderTest, APostThatCouldHaveComeEarlierTakesAwayWhatTheRunClaimed) {
  RequestLog log(3, 1000);
  LaunchOrder order(3, &log);
  const SemaphoreId s = order.AddSemaphore(0);
  const AccessEpoch wrote = order.Access(1);
  order.Signal(1, s, 1);
  order.Wait(0, s, 1);
  EXPECT_TRUE(order.Ordered(wrote, 0));
  order.Signal(2, s, 1);
  order.Wait(0, s, 1);
  SolvedOrder solved(log);
  const AccessName write = AccessName::OfCore(1, 0);
  EXPECT_FALSE(solved.Ordered(write, AccessName::OfCore(0, 0)));
  EXPECT_FALSE(solved.Ordered(write, AccessName::OfCore(0, 1)));
  EXPECT_TRUE(solved.Ordered(write, AccessName::OfCore(0, 2)));
  EXPECT_FALSE(solved.Ordered(AccessName::OfCore(1, 1), AccessName::OfCore(0, 2)));
}

TEST(SolvedOrderTest, ATransferInAReusedSlotIsItself) {
  RequestLog log(1, 1000);
  LaunchOrder order(1, &log);
  const SemaphoreId s = order.AddSemaphore(0);
  const StartedTransfer first = order.Start(0, {s, 1});
  order.Wait(0, s, 1);
  const StartedTransfer second = order.Start(0, {s, 1});
  EXPECT_EQ(first.read.entry, second.read.entry);
  order.Wait(0, s, 1);
  SolvedOrder solved(log);
  const AccessName wrote = AccessName::OfTransfer(first.serial, true);
  EXPECT_FALSE(solved.Ordered(wrote, AccessName::OfCore(0, 1)));
  EXPECT_TRUE(solved.Ordered(wrote, AccessName::OfCore(0, 2)));
  EXPECT_TRUE(solved.Ordered(wrote, AccessName::OfTransfer(second.serial, false)));
  EXPECT_FALSE(solved.Ordered(AccessName::OfTransfer(second.serial, true), AccessName::OfCore(0, 3)));
  EXPECT_TRUE(solved.Ordered(AccessName::OfTransfer(second.serial, true), AccessName::OfCore(0, 4)));
}

// A ring of cores that pass tokens on, `rounds` times; core 0 is paid by a stranger once, so that it must be solved.
void RunRing(LaunchOrder& order, int32_t cores, int rounds) {
  std::vector<SemaphoreId> ready;
  for (int32_t core = 0; core < cores; ++core) ready.push_back(order.AddSemaphore(core));
  for (int round = 0; round < rounds; ++round) {
    for (int32_t core = 0; core < cores; ++core) {
      const auto next = static_cast<size_t>((core + 1) % cores);
      if (round > 0 || core > 0) order.Wait(core, ready[static_cast<size_t>(core)], 1);
      order.Access(core);
      order.Start(core, {ready[static_cast<size_t>(core)], 1});
      order.Wait(core, ready[static_cast<size_t>(core)], 1);
      order.Signal(core, ready[next], 1);
      if (round == rounds / 2 && core == 2) order.Signal(core, ready[0], 1);
    }
  }
}

TEST(SolvedOrderTest, ALongLogIsSolved) {
  constexpr int kRounds = 1000;
  RequestLog log(4, 1 << 20);
  LaunchOrder order(4, &log);
  RunRing(order, 4, kRounds);
  EXPECT_TRUE(order.late());
  ASSERT_FALSE(log.cut());
  SolvedOrder solved(log);
  const AccessName end = AccessName::OfCore(0, order.RequestsOf(0));
  for (int64_t i = 0; i < 4 * kRounds; ++i) {
    // From the stray signal on, core 0 cannot tell its own transfers' completion from what the others send it.
    const int64_t round = i / 4;
    const bool known = solved.Ordered(AccessName::OfTransfer(i, true), end);
    EXPECT_TRUE(known || round >= kRounds / 2) << i;
    EXPECT_FALSE(known && round > kRounds / 2 && i % 4 == 0) << i;
  }
  EXPECT_EQ(solved.stats().accesses, 2 * 4 * kRounds);
}

TEST(SolvedOrderTest, WhatCountedAsProvenAtTheLimitIsSolvedExactly) {
  RequestLog log(2, 1 << 20);
  LaunchOrder order(2, &log);
  const SemaphoreId s = order.AddSemaphore(1);
  const int count = static_cast<int>(kMaxLivePosts) + 6;
  std::vector<StartedTransfer> started;
  for (int i = 0; i < count; ++i) started.push_back(order.Start(0, {s, 1}));
  order.Wait(1, s, 1);
  order.Wait(1, s, count - 1);
  EXPECT_TRUE(order.Ordered(started[0].written, 1));
  SolvedOrder solved(log);
  const AccessName first = AccessName::OfTransfer(started[0].serial, true);
  EXPECT_FALSE(solved.Ordered(first, AccessName::OfCore(1, 1)));
  EXPECT_TRUE(solved.Ordered(first, AccessName::OfCore(1, 2)));
}

TEST(RequestLogTest, AFullListCutsTheLogAndKeepsWhatItHas) {
  RequestLog log(2, 1);
  LaunchOrder order(2, &log);
  const SemaphoreId s = order.AddSemaphore(0);
  order.Signal(0, s, 7);
  EXPECT_FALSE(log.cut());
  for (int i = 0; i < 1000; ++i) order.Signal(0, s, 1);
  EXPECT_TRUE(log.cut());
  EXPECT_LT(log.CountOf(0), 1000u);
  EXPECT_EQ(log.Of(0, 0).units, 7);
  EXPECT_EQ(order.RequestsOf(0), 1001);
}

TEST(RequestLogTest, AClearedLogIsAsNew) {
  RequestLog log(1, 1);
  for (int launch = 0; launch < 2; ++launch) {
    LaunchOrder order(1, &log);
    const SemaphoreId s = order.AddSemaphore(0, 3);
    for (int i = 0; i < 1000; ++i) order.Signal(0, s, launch);
    EXPECT_TRUE(log.cut());
    EXPECT_EQ(log.SemaphoresOf(0), 1);
    EXPECT_EQ(log.Of(0, 0).units, launch);
    log.Clear();
    EXPECT_FALSE(log.cut());
    EXPECT_EQ(log.CountOf(0), 0u);
  }
}

}  // namespace
}  // namespace strandcore
