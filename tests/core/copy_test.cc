// Copies between a core's memories, as a kernel makes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/exec/agent_identity.h"
#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

Array Numbered(const Dims& shape) { return Array::Iota(DType::kInt32, shape); }

using CopyTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CopyTest);

TEST_P(CopyTest, HbmToHbm) {
  const Array x = Numbered({16, 256});
  Array y(DType::kInt32, {16, 256});
  const RunReport report =
      Run([](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y); }, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.CountersOf("x"), (OperandCounters{"x", 1, 16 * 256 * 4, 0, 0}));
  EXPECT_EQ(report.CountersOf("y"), (OperandCounters{"y", 0, 0, 1, 16 * 256 * 4}));
}

// HBM -> first -> second -> HBM, so that each pair of spaces is copied between.
void ThroughScratch(KernelContext& core, const Ref& x, const Ref& y, MemorySpace first, MemorySpace second) {
  auto scratch = [&](MemorySpace space) { return ScopedMemory{space, x.shape(), DType::kInt32, ""}; };
  core.RunScoped(
      [&](Ref a, Ref b) {
        core.SyncCopy(x, a);
        core.SyncCopy(a, b);
        core.SyncCopy(b, y);
      },
      scratch(first), scratch(second));
}

TEST_P(CopyTest, EveryPairOfMemories) {
  for (MemorySpace first : {MemorySpace::kVmem, MemorySpace::kSmem}) {
    for (MemorySpace second : {MemorySpace::kVmem, MemorySpace::kSmem}) {
      const Array x = Numbered({5, 130});  // padded in HBM and VMEM, dense in SMEM
      Array y(DType::kInt32, {5, 130});
      auto kernel = [=](KernelContext& core, Ref x, Ref y) { ThroughScratch(core, x, y, first, second); };
      EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
      EXPECT_EQ(x, y) << MemorySpaceName(first) << " to " << MemorySpaceName(second);
    }
  }
}

TEST_P(CopyTest, OfEveryElementTypeButBool) {
  for (DType dtype : kAllDTypes) {
    if (dtype == DType::kBool) continue;
    const Array x = Array::Iota(dtype, {3, 40});
    Array y(dtype, {3, 40});
    auto kernel = [=](KernelContext& core, Ref x, Ref y) {
      core.RunScoped(
          [&](Ref tile) {
            core.SyncCopy(x, tile);
            core.SyncCopy(tile, y);
          },
          Vmem({3, 40}, dtype));
    };
    EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
    EXPECT_EQ(x, y) << DTypeName(dtype);
  }
}

// S12: a copy of one element pays four bytes.
TEST_P(CopyTest, OfOneElement) {
  for (const Dims& shape : {Dims({1}), Dims({1, 1}), Dims({2})}) {
    const Array x = Numbered(shape);
    Array y(DType::kInt32, shape), unused(DType::kInt32, {7});
    int64_t paid = 0;
    auto kernel = [&](KernelContext& core, Ref x, Ref, Ref y) {
      core.RunScoped(
          [&](SemaphoreRef done) {
            const AsyncCopy copy = core.MakeAsyncCopy(x, y, done);
            copy.Start();
            while ((paid = core.ReadSemaphore(done)) == 0) {
            }
            copy.Wait();
          },
          DmaSemaphore());
    };
    EXPECT_THAT(Run(kernel, {In("x", x), In("unused", unused), Out("y", y)}), IsClean());
    EXPECT_EQ(x, y);
    EXPECT_EQ(paid, 4 * shape.Product());
  }
}

TEST_P(CopyTest, OfPartsAndStridesAndSqueezedDimensions) {
  const Array x = Numbered({4, 16, 256});
  Array y(DType::kInt32, {8, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile) {
          // Rows 1, 3, ... 15 of page 2; every other column.
          core.SyncCopy(x.At(2, Ds(1, 8, 2), Ds(0, 128, 2)), tile.At(1));
          core.SyncCopy(tile.At(1), y);
        },
        Vmem({2, 8, 128}, DType::kInt32));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 128; ++column) {
      ASSERT_EQ(y.Get({row, column}), 2 * 4096 + (2 * row + 1) * 256 + 2 * column) << row << ", " << column;
    }
  }
}

// Large enough for many chunks, and in both directions at once.
TEST_P(CopyTest, OfMegabytes) {
  const Array x = Numbered({512, 1024});
  Array y(DType::kInt32, {512, 1024}), z(DType::kInt32, {512, 1024});
  auto kernel = [](KernelContext& core, Ref x, Ref y, Ref z) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef a, SemaphoreRef b) {
          core.SyncCopy(x, tile);
          const AsyncCopy to_y = core.MakeAsyncCopy(tile, y, a), to_z = core.MakeAsyncCopy(tile, z, b);
          to_y.Start();
          to_z.Start();
          to_y.Wait();
          to_z.Wait();
        },
        Vmem({512, 1024}, DType::kInt32), DmaSemaphore(), DmaSemaphore());
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y), Out("z", z)}), IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(x, z);
}

// A wait looks at bytes alone: two copies on one semaphore are paid by one wait for both (I06).
TEST_P(CopyTest, TwoOnOneSemaphoreArePaidByOneWait) {
  const Array x = Numbered({16, 128});
  Array y(DType::kInt32, {16, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          core.MakeAsyncCopy(x.At(Ds(0, 8)), tile.At(Ds(0, 8)), done).Start();
          core.MakeAsyncCopy(x.At(Ds(8, 8)), tile.At(Ds(8, 8)), done).Start();
          core.MakeAsyncCopy(x, tile, done).Wait();
          core.SyncCopy(tile, y);
        },
        Vmem({16, 128}, DType::kInt32), DmaSemaphore());
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(CopyTest, NobodyWaitsForStillCompletes) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "its copy is not waited for, which is a race";
#endif
  const Array x = Numbered({512, 256});
  Array y(DType::kInt32, {512, 256});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped([&](SemaphoreRef done) { core.MakeAsyncCopy(x, y, done).Start(); }, DmaSemaphore());
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  EXPECT_EQ(report.counters.transfers, 1);
  EXPECT_EQ(report.counters.waits, 0);
  EXPECT_EQ(x, y);
}

TEST_P(CopyTest, ManyInFlightAtOnce) {
  constexpr int kRows = 200;
  const Array x = Numbered({kRows, 64});
  Array y(DType::kInt32, {kRows, 64});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          for (int i = 0; i < kRows; ++i) core.MakeAsyncCopy(x.At(i), y.At(kRows - 1 - i), done.At(i)).Start();
          for (int i = 0; i < kRows; ++i) core.MakeAsyncCopy(x.At(i), y.At(kRows - 1 - i), done.At(i)).Wait();
        },
        DmaSemaphore({kRows}));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  for (int i = 0; i < kRows; ++i) ASSERT_EQ(y.Get({kRows - 1 - i, 63}), x.Get({i, 63}));
}

// S13: the scope of a semaphore has nothing to do with that of a buffer.
TEST_P(CopyTest, IntoAnInnerScopeOnAnOuterSemaphore) {
  Array y(DType::kInt32, {2, 1});
  const Array x = Array::Full(DType::kInt32, {1}, 41);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          core.RunScoped(
              [&](Ref inner) {
                const AsyncCopy copy = core.MakeAsyncCopy(x, inner.At(0), done);
                copy.Start();
                copy.Wait();
                core.SyncCopy(inner, y.At(Ds(0, 1)));
              },
              Vmem({1, 1}, DType::kInt32));
        },
        DmaSemaphore());
  };
  EXPECT_THAT(Run(kernel, {In("x", x), InOut("y", y)}), IsClean());
  EXPECT_EQ(y.Get({0, 0}), 41);
  EXPECT_EQ(y.Get({1, 0}), 0);
}

}  // namespace
}  // namespace strandcore::testing
