// In steady state neither the order of a launch nor its shadow allocates anything. Counts every `new` of this binary; a
// sanitizer has its own, so there the same is only run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "runtime/check/footprint_regions.h"
#include "runtime/check/order.h"
#include "runtime/check/region_tree.h"
#include "runtime/memory/allocation.h"
#include "runtime/testing/sanitizer.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

#ifndef STRANDCORE_SANITIZED
void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

namespace strandcore {
namespace {

// How often `step` allocates when it has been repeated for a while.
int64_t AllocationsOf(const std::function<void(int)>& step) {
  for (int i = 0; i < 2000; ++i) step(i);
  const int64_t before = allocations.load();
  for (int i = 2000; i < 4000; ++i) step(i);
  return allocations.load() - before;
}

TEST(SteadyStateTest, APipelineAllocatesNothing) {
  LaunchOrder order(4);
  SemaphoreId s[4];
  for (SemaphoreId& each : s) each = order.AddSemaphore(0);
  EXPECT_EQ(AllocationsOf([&](int i) {
              order.Start(0, {s[i % 2], 4096});
              order.Start(0, {s[2 + i % 2], 4096});
              order.Access(0);
              if (i == 0) return;
              order.Wait(0, s[(i + 1) % 2], 4096);
              order.Wait(0, s[2 + (i + 1) % 2], 4096);
            }),
            0);
}

TEST(SteadyStateTest, CopiesThatShareASemaphoreAllocateNothing) {
  LaunchOrder order(2);
  const SemaphoreId s = order.AddSemaphore(0);
  EXPECT_EQ(AllocationsOf([&](int i) {
              order.Start(0, {s, 1});
              if (i % 16 == 15) order.Wait(0, s, 16);
            }),
            0);
}

// Clocks of twenty entries, posts that are no chain, a semaphore that begins and ends.
TEST(SteadyStateTest, ABarrierOfManyCoresAllocatesNothing) {
  constexpr int kCores = 20;
  LaunchOrder order(kCores);
  SemaphoreId s[kCores];
  for (int core = 0; core < kCores; ++core) s[core] = order.AddSemaphore(core);
  EXPECT_EQ(AllocationsOf([&](int) {
              for (int core = 0; core < kCores; ++core) {
                order.Access(core);
                for (int other = 1; other < kCores; ++other) order.Signal(core, s[(core + other) % kCores], 1);
              }
              for (int core = 0; core < kCores; ++core) {
                order.Wait(core, s[core], 1);
                order.Wait(core, s[core], kCores - 2);
                const SemaphoreId scoped = order.AddSemaphore(core);
                order.Start(core, {scoped, 8});
                order.Wait(core, scoped, 8);
                order.EndSemaphore(core, scoped);
              }
            }),
            0);
}

// Of plain, strided and reshaped views, and of one of many leaves.
TEST(SteadyStateTest, VisitingTheRegionsOfAViewAllocatesNothing) {
  const auto x = Allocation::Make({.name = "x", .shape = {64, 1024}});
  const Ref all(x->get());
  RegionTree<int> tree((*x)->physical_shape(), 0);
  EXPECT_EQ(AllocationsOf([&](int i) {
              const Ref views[] = {all.At(Ds(i % 8 * 8, 8), Ds(128, 128)), all.At(Ds(i % 32, 2, 32)),
                                   all.Reshape({65536}).At(Ds(i % 64 * 1000, 1000)), all};
              for (const Ref& view : views) {
                ForEachRegion(view, [&](const Region& region) {
                  tree.ForEach(region, [](int& state, const Region&) { ++state; });
                });
              }
            }),
            0);
}

}  // namespace
}  // namespace strandcore
