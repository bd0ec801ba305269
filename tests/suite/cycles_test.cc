// Several invocations over the same buffers (upstream_tests.md 3.2), with two buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/copy.h"
#include "kernels/gather.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using CyclesSuiteTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CyclesSuiteTest);

// Half `i` of the rows.
Ref Half(const Ref& ref, int64_t i) { return ref.At(Ds(i * ref.shape()[0] / 2, ref.shape()[0] / 2)); }

// 3.2 copy_with_multiple_cycles.
TEST_P(CyclesSuiteTest, ACopyInTwoCyclesMovesBothHalves) {
  const Array x = Array::Iota(DType::kInt32, {512, 512});
  Array y(DType::kInt32, {512, 512});
  const BlockSpec block({128, 128}, Picking({0, 1}));
  const Pipeline pipeline = Emit(CopyBody, {.grid = {2, 4}, .in_specs = {block}, .out_specs = {block}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    Allocations buffers = pipeline.MakeAllocations(core, {Half(x, 0), Half(y, 0)});
    for (int64_t cycle : {0, 1}) {
      pipeline(core, {Half(x, cycle), Half(y, cycle)},
               {.allocations = &buffers,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 1,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], Half(x, 1)); }});
    }
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.CountersOf("x").copies_in, 16);
  EXPECT_EQ(report.CountersOf("y").copies_out, 16);
}

// Gathers by the table twice: the second cycle's output lies behind the first one's.
void GatherTwice(KernelContext& core, const Ref& ids, const Ref& x, const Ref& y) {
  const int64_t steps = ids.shape()[0];
  auto gather = [&](const Ref& offset) {
    offset.Set<int32_t>(0);
    const BlockSpec to({128, 128}, [&](GridIndex g) { return BlockIndex{g[0] + offset.Get<int32_t>(), 0}; });
    const Pipeline pipeline = Emit(CopyBody, {.grid = {Dynamic(steps)},
                                              .in_specs = {BlocksByTable({.block_rows = 128, .columns = 128}, ids)},
                                              .out_specs = {to}});
    Allocations buffers = pipeline.MakeAllocations(core, {x, y});
    for (bool first : {true, false}) {
      if (!first) offset.Set<int32_t>(static_cast<int32_t>(steps));
      pipeline(core, {x, y},
               {.allocations = &buffers,
                .first_cycle = first,
                .last_cycle = !first,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], x); }});
    }
  };
  core.RunScoped(gather, Smem({1}, DType::kInt32));
}

struct GatherCase {
  std::vector<int32_t> table;
  int64_t copies_in, copies_out;
};

// 3.2 block_gather_with_multiple_cycles.
TEST_P(CyclesSuiteTest, AGatherInTwoCyclesFetchesAgainWhereTheTableChanges) {
  const GatherCase cases[] = {{{0, 1, 2, 3, 4, 5}, 12, 12},
                              {{2, 2, 2, 2, 2, 2}, 2, 12},
                              {{0, 0, 7, 7, 4, 4}, 6, 12},
                              {{3, 3, 7, 7, 5, 3, 3}, 8, 14},
                              {{5}, 2, 2}};
  const Array x = Array::Iota(DType::kInt32, {1024, 128});
  for (const GatherCase& c : cases) {
    const int64_t steps = static_cast<int64_t>(c.table.size());
    const Array ids = Array::FromValues<int32_t>({steps}, c.table);
    Array y(DType::kInt32, {2 * 128 * steps, 128});
    const RunReport report = Run(GatherTwice, {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    for (int64_t i = 0; i < 2 * steps; ++i) {
      const auto from = x.Matrix<int32_t>().middleRows(128 * c.table[static_cast<size_t>(i % steps)], 128);
      EXPECT_TRUE((y.Matrix<int32_t>().middleRows(128 * i, 128) == from).all()) << "block " << i;
    }
    EXPECT_EQ(report.CountersOf("x").copies_in, c.copies_in);
    EXPECT_EQ(report.CountersOf("y").copies_out, c.copies_out);
  }
}

void AddBlocks(KernelContext& core, const Ref& x, const Ref& z) {
  if (core.ProgramId(0) == 0) {
    z.Write<int32_t>() = x.Read<int32_t>();
  } else {
    z.ReadWrite<int32_t>() += x.Read<int32_t>();
  }
}

// 3.2 pipeline_with_accumulator.
TEST_P(CyclesSuiteTest, AnAccumulatorOfTwoCyclesSumsAllBlocksAndTravelsOnce) {
  const Array x = Array::Iota(DType::kInt32, {1024, 128});
  Array z(DType::kInt32, {128, 128});
  const Pipeline pipeline = Emit(AddBlocks, {.grid = {4},
                                             .in_specs = {BlockSpec({128, 128}, Picking({0, -1}))},
                                             .out_specs = {BlockSpec({128, 128}, Picking({-1, -1}))},
                                             .should_accumulate_out = true});
  const Schedule& fixed = Schedule::Fixed();
  auto kernel = [&](KernelContext& core, Ref x, Ref z) {
    Allocations buffers = pipeline.MakeAllocations(core, {Half(x, 0), z});
    for (int64_t cycle : {0, 1}) {
      pipeline(core, {Half(x, cycle), z},
               {.allocations = &buffers,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 1,
                .init_accumulators = cycle == 0,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], Half(x, 1), fixed); },
                .schedule = fixed});
    }
  };
  const RunReport report = Run(kernel, {In("x", x), Out("z", z)});
  ASSERT_THAT(report, IsClean());
  Array sum(DType::kInt32, {128, 128});
  for (int64_t i = 0; i < 8; ++i) sum.Matrix<int32_t>() += x.Matrix<int32_t>().middleRows(128 * i, 128);
  EXPECT_EQ(z, sum);
  EXPECT_EQ(report.CountersOf("x").copies_in, 8);
  EXPECT_EQ(report.CountersOf("z").copies_in, 0);
  EXPECT_EQ(report.CountersOf("z").copies_out, 1);
}

}  // namespace
}  // namespace strandcore::testing
