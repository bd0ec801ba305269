#include "runtime/exec/stack_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

TEST(StackPoolTest, RoundsUpToWholePages) {
  EXPECT_EQ(StackPool(4 * 4096 + 1).stack_bytes(), 5u * 4096);
  EXPECT_EQ(StackPool(kStackBytes).stack_bytes(), kStackBytes);
}

TEST(StackPoolTest, CountsWhatIsTaken) {
  StackPool pool(kStackBytes);
  EXPECT_EQ(pool.in_use(), 0);
  std::byte* a = *pool.Take();
  std::byte* b = *pool.Take();
  EXPECT_EQ(pool.in_use(), 2);
  pool.Return(a);
  pool.Return(b);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(StackPoolTest, HandsOutTheStackThatCameBackLast) {
  StackPool pool(kStackBytes);
  std::byte* a = *pool.Take();
  std::byte* b = *pool.Take();
  pool.Return(a);
  pool.Return(b);
  EXPECT_EQ(*pool.Take(), b);
  EXPECT_EQ(*pool.Take(), a);
  pool.Return(a);
  pool.Return(b);
}

TEST(StackPoolTest, StacksDoNotOverlapAndHaveRoomForTheirGuards) {
  StackPool pool(kStackBytes);
  std::vector<std::byte*> stacks;
  for (int i = 0; i < 3000; ++i) {
    stacks.push_back(*pool.Take());
    // The ends of each are usable.
    stacks.back()[0] = stacks.back()[kStackBytes - 1] = std::byte{1};
  }
  std::sort(stacks.begin(), stacks.end());
  for (size_t i = 1; i < stacks.size(); ++i) {
    ASSERT_GE(stacks[i] - stacks[i - 1], static_cast<ptrdiff_t>(kStackBytes + 4096));
  }
  for (std::byte* stack : stacks) pool.Return(stack);
}

TEST(StackPoolTest, SaysSoWhenThereIsNoAddressSpace) {
  StackPool pool(size_t{1} << 46);
  const absl::Status status = pool.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "no address space for 8 kernel stacks of 70368744177664 bytes");
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(StackPoolTest, IsSharedByThreads) {
  StackPool pool(kStackBytes);
  auto take_and_return = [&pool] {
    for (int i = 0; i < 2000; ++i) {
      std::byte* stack = *pool.Take();
      stack[0] = std::byte{2};  // a second owner of it would be a race
      pool.Return(stack);
    }
  };
  std::thread other(take_and_return);
  take_and_return();
  other.join();
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(StackPoolDeathTest, ANotReturnedStackIsABug) {
  EXPECT_DEATH({ static_cast<void>(*StackPool(kStackBytes).Take()); }, "in_use_ == 0");
}

// A sanitizer has its own report for the same fault.
#ifndef STRANDCORE_SANITIZED
TEST(StackPoolDeathTest, RunningIntoTheGuardFaults) {
  StackPool pool(kStackBytes);
  std::byte* stack = *pool.Take();
  EXPECT_EXIT(std::memset(stack - 1, 1, 1), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(std::memset(stack - 4096, 1, 1), ::testing::KilledBySignal(SIGSEGV), "");
  pool.Return(stack);
}
#endif

}  // namespace
}  // namespace strandcore::testing
