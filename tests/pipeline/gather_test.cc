// Pipelines whose index maps read a table in SMEM: which blocks travel, and how often (seed_pipeline.md 1.17).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using GatherTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(GatherTest);

using Table = std::vector<int32_t>;

struct Case {
  Table table;
  int64_t copies_in;
  int64_t copies_out;
};

Array TableArray(const Table& table) { return Array::FromValues<int32_t>({static_cast<int64_t>(table.size())}, table); }

// Block i of y is block table[i mod size] of x.
void ExpectGathered(const Array& x, const Array& y, const Table& table) {
  for (int64_t i = 0; i < y.shape()[0] / 8; ++i) {
    const auto from = x.Matrix<int32_t>().middleRows(8 * table[static_cast<size_t>(i) % table.size()], 8);
    EXPECT_TRUE((y.Matrix<int32_t>().middleRows(8 * i, 8) == from).all()) << "block " << i;
  }
}

// Gathers by the table in two fused cycles: the first half of y, then the second.
void GatherTwice(KernelContext& core, const Ref& ids, const Ref& x, const Ref& y) {
  const int64_t steps = ids.shape()[0];
  auto gather = [&](Ref offset) {
    offset.Set<int32_t>(0);
    const BlockSpec from({8, 128}, [&](GridIndex g) { return BlockIndex{ids.Get<int32_t>({g[0]}), 0}; });
    const BlockSpec to({8, 128}, [&](GridIndex g) { return BlockIndex{g[0] + offset.Get<int32_t>(), 0}; });
    const Pipeline pipeline = Emit(Copy<int32_t>, {.grid = {Dynamic(steps)}, .in_specs = {from}, .out_specs = {to}});
    Allocations allocations = pipeline.MakeAllocations(core, {x, y});
    for (bool first : {true, false}) {
      if (!first) offset.Set<int32_t>(static_cast<int32_t>(steps));
      pipeline(core, {x, y},
               {.allocations = &allocations,
                .first_cycle = first,
                .last_cycle = !first,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], x); }});
    }
  };
  core.RunScoped(gather, Smem({1}, DType::kInt32));
}

TEST_P(GatherTest, InTwoCyclesCopiesABlockThatStaysOnceACycle) {
  const Case cases[] = {{{0, 1, 2, 3, 4, 5}, 12, 12},
                        {{2, 2, 2, 2, 2, 2}, 2, 12},
                        {{0, 0, 7, 7, 4, 4}, 6, 12},
                        {{3, 3, 7, 7, 5, 3, 3}, 8, 14},
                        {{5}, 2, 2}};
  for (const Case& c : cases) {
    Array ids = TableArray(c.table);
    Array x = Numbers(DType::kInt32, {64, 128});
    Array y(DType::kInt32, {16 * ids.shape()[0], 128});
    const RunReport report = Run(GatherTwice, {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    ExpectGathered(x, y, c.table);
    EXPECT_EQ(report.CountersOf("x").copies_in, c.copies_in);
    EXPECT_EQ(report.CountersOf("y").copies_out, c.copies_out);
    EXPECT_EQ(report.CountersOf("ids"), OperandCounters{"ids"});
  }
}

// One pipeline of ten steps, its table in SMEM: `in` of x's block, or else of y's.
RefFunction ByTable(bool in) {
  return [in](KernelContext& core, Ref ids, Ref x, Ref y) {
    const BlockSpec table({8, 128}, [&](GridIndex g) { return BlockIndex{ids.Get<int32_t>({g[0]}), 0}; });
    const Pipeline pipeline = Emit(Copy<int32_t>, {.grid = {Dynamic(ids.shape()[0])},
                                                   .in_specs = {in ? table : RowTile()},
                                                   .out_specs = {in ? RowTile() : table}});
    pipeline(core, {x, y});
  };
}

TEST_P(GatherTest, InOneCycleCopiesEachRunOfEqualBlocksOnce) {
  const Case cases[] = {{{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 1, 10},
                        {{0, 0, 2, 3, 3, 3, 1, 7, 6, 6}, 6, 10},
                        {{3, 3, 3, 7, 7, 7, 7, 7, 6, 6}, 3, 10},
                        {{0, 1, 2, 3, 4, 5, 0, 1, 2, 3}, 10, 10}};
  for (const Case& c : cases) {
    Array ids = TableArray(c.table);
    Array x = Numbers(DType::kInt32, {64, 128});
    Array y(DType::kInt32, {80, 128});
    const RunReport report = Run(ByTable(/*in=*/true), {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    ExpectGathered(x, y, c.table);
    EXPECT_EQ(report.CountersOf("x").copies_in, c.copies_in);
    EXPECT_EQ(report.CountersOf("y").copies_out, c.copies_out);
  }
}

TEST_P(GatherTest, ScatteringCopiesOutEachRunOfEqualBlocksOnce) {
  const Case cases[] = {{{0, 0, 2, 2, 2, 5, 3, 3}, 8, 4}, {{5, 5, 5, 5, 5, 5, 5, 5}, 8, 1}};
  for (const Case& c : cases) {
    Array ids = TableArray(c.table);
    Array x = Numbers(DType::kInt32, {64, 128});
    Array y(DType::kInt32, {64, 128});
    Array expected = y;
    for (size_t i = 0; i < c.table.size(); ++i) {
      expected.Matrix<int32_t>().middleRows(8 * c.table[i], 8) =
          x.Matrix<int32_t>().middleRows(8 * static_cast<int64_t>(i), 8);
    }
    const RunReport report =
        Run(ByTable(/*in=*/false), {In("ids", ids, MemorySpace::kSmem), In("x", x), InOut("y", y)});
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(y, expected);
    EXPECT_EQ(report.CountersOf("x").copies_in, c.copies_in);
    EXPECT_EQ(report.CountersOf("y").copies_out, c.copies_out);
  }
}

// P01: the body rewrites the table that decides about its own input.
void RewritesItsTable(KernelContext& core, const Ref& ids, const Ref& x, const Ref& y) {
  auto body = [&](KernelContext&, const Ref& from, const Ref& to) {
    for (int64_t i = 1; i < 6; ++i) ids.Set<int32_t>(3, {i});
    to.Write<int32_t>() = from.Read<int32_t>();
  };
  const BlockSpec from({std::nullopt, 8, 128}, [&](GridIndex g) { return BlockIndex{ids.Get<int32_t>({g[0]}), 0, 0}; });
  const BlockSpec to({std::nullopt, 8, 128}, Picking({0, -1, -1}));
  Emit(body, {.grid = {6}, .in_specs = {from}, .out_specs = {to}})(core, {x, y});
}

TEST_P(GatherTest, ATableThatChangesUnderWayIsFollowedOnlyByWhatIsStillToBeDecided) {
  Array ids = TableArray({0, 1, 2, 3, 4, 5});
  Array x(DType::kInt32, {6, 8, 128});
  x.Generate([](int64_t flat) { return flat / 1024; });
  Array y(DType::kInt32, {6, 8, 128});
  const RunReport report = Run(RewritesItsTable, {InOut("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  // Step 1 was fetched before the body wrote; from then on the table is 3 everywhere, and nothing is fetched again.
  const double expected[] = {0, 1, 1, 1, 1, 1};
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.Get({i, 0, 0}), expected[i]) << "block " << i;
  EXPECT_EQ(report.CountersOf("x").copies_in, 2);
}

}  // namespace
}  // namespace strandcore::testing
