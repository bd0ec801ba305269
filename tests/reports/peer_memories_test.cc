// Copies between all memories, of parts of parts, of sizes that data gives, in a grid; indices below zero
// (interpreter_cases.md H7, W9).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

using PeerMemoriesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerMemoriesReportTest);

constexpr MemorySpace kSpaces[] = {MemorySpace::kHbm, MemorySpace::kVmem, MemorySpace::kSmem};

// Calls use(ref) with `operand`, or with scratch of its kind that holds the same and, if `back`, is copied back.
void Staged(KernelContext& core, const Ref& operand, MemorySpace space, bool back,
            const std::function<void(Ref)>& use) {
  if (space == MemorySpace::kHbm) return use(operand);
  auto staged = [&](Ref scratch) {
    core.SyncCopy(operand, scratch);
    use(scratch);
    if (back) core.SyncCopy(scratch, operand);
  };
  core.RunScoped(staged, ScopedMemory{space, operand.shape(), operand.dtype(), "scratch"});
}

TEST_P(PeerMemoriesReportTest, H07PartsOfPartsAreCopiedBetweenEveryTwoMemories) {
  const Array x = Array::Iota(kF32, {3, 16, 256});
  for (MemorySpace from : kSpaces) {
    for (MemorySpace to : kSpaces) {
      Array y = Array::Full(kF32, {2, 8, 128}, -1);
      auto kernel = [=](KernelContext& core, Ref x, Ref y) {
        Staged(core, x, from, /*back=*/false, [&](Ref x) {
          Staged(core, y, to, /*back=*/true, [&](Ref y) {
            core.SyncCopy(x.At(2).At(Ds(1, 7, 2)).At(Ds(2, 4), Ds(3, 100)), y.At(Ds(1, 1)).At(0, Ds(3, 4), Ds(5, 100)));
          });
        });
      };
      EXPECT_THAT(Run(kernel, {In("x", x), InOut("y", y)}), IsProved());
      Array expected = Array::Full(kF32, {2, 8, 128}, -1);
      for (int64_t row = 0; row < 4; ++row) {
        for (int64_t c = 0; c < 100; ++c) expected.Set({1, 3 + row, 5 + c}, x.Get({2, 5 + 2 * row, 3 + c}));
      }
      EXPECT_EQ(y, expected) << MemorySpaceName(from) << " to " << MemorySpaceName(to);
    }
  }
}

TEST_P(PeerMemoriesReportTest, H07ACopyTakesAsManyRowsAsDataSays) {
  const Array sizes = Array::FromValues<int32_t>({4}, {5, 0, 8, 1});
  const Array x = Array::Iota(kF32, {4, 8, 128});
  Array y = Array::Full(kF32, {4, 8, 128}, -1), expected = y;
  auto kernel = [](KernelContext& core, Ref sizes, Ref x, Ref y) {
    for (int64_t page = 0; page < 4; ++page) {
      const int64_t rows = sizes.Get<int32_t>({page});
      core.SyncCopy(x.At(page, Ds(0, rows)), y.At(page, Ds(8 - rows, rows)));
    }
  };
  const RunReport report = Run(kernel, {In("sizes", sizes, MemorySpace::kSmem), In("x", x), InOut("y", y)});
  EXPECT_THAT(report, IsProved());
  EXPECT_EQ(report.CountersOf("x").bytes_in, (5 + 0 + 8 + 1) * 512);
  for (int64_t page = 0; page < 4; ++page) {
    const int64_t rows = static_cast<int64_t>(sizes.Get({page}));
    expected.Matrix<float>({page}).bottomRows(rows) = x.Matrix<float>({page}).topRows(rows);
  }
  EXPECT_EQ(y, expected);
}

// Each step of a grid copies a block within HBM and waits for that of the step before.
void CopiesInAGrid(KernelContext& core, const Ref& x, const Ref& y) {
  const int64_t steps = x.shape()[0];
  auto kernel = [&](SemaphoreRef done) {
    auto copy = [&](int64_t i) { return core.MakeAsyncCopy(x.At(i), y.At(steps - 1 - i), done.At(i % 2)); };
    int64_t in_flight = -1;
    auto body = [&](KernelContext& core, Refs) {
      copy(core.ProgramId(0)).Start();
      if (in_flight >= 0) copy(in_flight).Wait();
      in_flight = core.ProgramId(0);
    };
    Emit(body, {.grid = {steps}, .core_axis = 0, .dimension_semantics = {DimensionSemantics::kParallel}})(core, Refs());
    if (in_flight >= 0) copy(in_flight).Wait();
  };
  core.RunScoped(kernel, DmaSemaphore({2}, "done"));
}

TEST_P(PeerMemoriesReportTest, H07AGridOfCopiesWithinHbmMovesEveryBlockOnAnyNumberOfCores) {
  const Array x = Array::Iota(kF32, {6, 8, 128});
  for (int cores : {1, 2, 4}) {
    Array y = Blocks(6);
    const RunReport report = Run(CopiesInAGrid, {In("x", x), Out("y", y)}, cores);
    EXPECT_THAT(report, IsProved());
    EXPECT_THAT(report, HasTransfers("y", 6));
    for (int64_t i = 0; i < 6; ++i) EXPECT_TRUE((y.Matrix<float>({5 - i}) == x.Matrix<float>({i})).all()) << i;
  }
}

// ---- W9

struct Indexed {
  Ref x, y;            // in HBM, (8, 128)
  Ref tile;            // in VMEM, holding x
  Ref table;           // in SMEM, (4,)
  SemaphoreRef slots;  // (2,)
};

struct UseAt {
  const char* message;  // where the index is -1
  std::function<void(KernelContext&, const Indexed&, int64_t)> use;
};

std::vector<UseAt> UsesAt() {
  using Core = KernelContext;
  using Parts = const Indexed;
  return {
      {"operand x: row -1 of dimension 0 lies outside 0–7",
       [](Core& core, Parts& p, int64_t i) { core.SyncCopy(p.x.At(i), p.y.At(0)); }},
      {"operand y: row -1 of dimension 0 lies outside 0–7",
       [](Core& core, Parts& p, int64_t i) { core.SyncCopy(p.x.At(0), p.y.At(i)); }},
      {"operand x: a slice of dimension 0 has start -1",
       [](Core& core, Parts& p, int64_t i) { core.SyncCopy(p.x.At(Ds(i, 1)), p.y.At(Ds(0, 1))); }},
      {"operand y: a slice of dimension 0 has start -1",
       [](Core& core, Parts& p, int64_t i) { core.SyncCopy(p.x.At(Ds(0, 1)), p.y.At(Ds(i, 1))); }},
      {"tile: row -1 of dimension 0 lies outside 0–7",
       [](Core& core, Parts& p, int64_t i) {
         p.tile.At(Ds(0, 1)).Store(p.tile.At(i).Load<float>());
         core.SyncCopy(p.tile.At(0), p.y.At(0));
       }},
      {"tile: row -1 of dimension 0 lies outside 0–7",
       [](Core& core, Parts& p, int64_t i) {
         p.tile.At(i).Store(p.tile.At(0).Load<float>());
         core.SyncCopy(p.tile.At(0), p.y.At(0));
       }},
      {"tile: column -1 of dimension 1 lies outside 0–127",
       [](Core& core, Parts& p, int64_t i) {
         p.tile.Set(p.tile.Get<float>({0, 0}), {0, i});
         core.SyncCopy(p.tile.At(0), p.y.At(0));
       }},
      {"tile: column -1 of dimension 1 lies outside 0–127",
       [](Core& core, Parts& p, int64_t i) {
         p.tile.Set(p.tile.Get<float>({0, i}), {0, 0});
         core.SyncCopy(p.tile.At(0), p.y.At(0));
       }},
      {"table: element -1 of dimension 0 lies outside 0–3",
       [](Core& core, Parts& p, int64_t i) { core.SyncCopy(p.x.At(p.table.Get<int32_t>({i})), p.y.At(0)); }},
      {"table: element -1 of dimension 0 lies outside 0–3",
       [](Core& core, Parts& p, int64_t i) {
         p.table.Set<int32_t>(0, {i});
         core.SyncCopy(p.x.At(p.table.Get<int32_t>({0})), p.y.At(0));
       }},
      {"semaphore slots[:]: index -1 of dimension 0 lies outside 0–1",
       [](Core& core, Parts& p, int64_t i) {
         core.Signal(p.slots.At(i));
         core.Wait(p.slots.At(0));
         core.SyncCopy(p.x.At(0), p.y.At(0));
       }},
  };
}

RefFunction UsesIndex(const UseAt& use, int64_t index) {
  return [use, index](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](Ref tile, Ref table, SemaphoreRef slots) {
      core.SyncCopy(x, tile);
      for (int64_t i = 0; i < 4; ++i) table.Set<int32_t>(static_cast<int32_t>(i), {i});
      use.use(core, {x, y, tile, table, slots}, index);
    };
    core.RunScoped(kernel, VmemTile("tile"), Smem({4}, DType::kInt32, "table"), RegularSemaphore({2}, "slots"));
  };
}

// Not counted from the end, never clamped, and no launch permits it: neither reads nor writes, in no memory.
TEST_P(PeerMemoriesReportTest, W09AnIndexBelowZeroStopsReadsAndWritesHoweverTheLaunchIsBounded) {
  const Array x = Array::Iota(kF32, {8, 128});
  for (Bounds bounds : {Bounds::kLogical, Bounds::kPadded}) {
    for (OutOfRangeReads reads : {OutOfRangeReads::kFault, OutOfRangeReads::kUninitialised}) {
      SimulatorOptions options = OptionsFor(1);
      options.bounds = bounds;
      options.out_of_range_reads = reads;
      Simulator& simulator = MakeSimulator(options);
      for (const UseAt& use : UsesAt()) {
        Array y = Array::Full(kF32, {8, 128}, -1), expected = y;
        EXPECT_THAT(simulator.Run(UsesIndex(use, -1), {In("x", x), InOut("y", y)}),
                    HasOne(FaultKind::kOutOfBounds, HasSubstr(use.message)));
        EXPECT_EQ(y, expected) << "nothing is written: " << use.message;
        EXPECT_THAT(simulator.Run(UsesIndex(use, 0), {In("x", x), InOut("y", y)}), IsProved()) << use.message;
        expected.Matrix<float>().row(0) = x.Matrix<float>().row(0);
        EXPECT_EQ(y, expected) << use.message;
      }
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
