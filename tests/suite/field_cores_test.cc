// What broke for people who split grids over cores, and in long runs (field_reports.md P26, P28).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using FieldCoresTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(FieldCoresTest);

struct Split {
  Grid grid;
  Semantics semantics;
  std::vector<Dims> first;  // each core's first grid point; the last one has none if it has no step
  std::vector<int64_t> steps;
};

TEST_P(FieldCoresTest, P26EveryPointIsVisitedOnceByTheCoreThatItBelongsTo) {
  const Semantics both = {kParallel, kParallel};
  const Split splits[] = {{{5}, {kParallel}, {{0}, {3}}, {3, 2}},
                          {{1}, {kParallel}, {{0}}, {1, 0}},
                          {{3, 5}, both, {{0, 0}, {0, 3}}, {9, 6}},
                          {{3, 4}, both, {{0, 0}, {0, 2}}, {6, 6}}};
  for (const Split& c : splits) {
    Recorder recorder;
    SimulatorOptions options = OptionsFor(2);
    options.observer = &recorder;
    auto body = [](KernelContext&) {};
    const Pipeline pipeline = Emit(body, {.grid = c.grid, .core_axis = 0, .dimension_semantics = c.semantics});
    ASSERT_THAT(MakeSimulator(options).Run(Once(pipeline), {}), IsClean());
    std::vector<std::vector<Dims>> points(2);
    for (const VisitedPoint& visited : VisitedPoints(recorder)) points[visited.core.core].push_back(visited.point);
    for (size_t core : {0u, 1u}) {
      EXPECT_EQ(points[core].size(), static_cast<size_t>(c.steps[core]));
      if (points[core].empty()) continue;
      EXPECT_EQ(points[core][0], c.first[core]);
    }
  }
}

TEST_P(FieldCoresTest, P26ACoreWithoutStepsMovesNothingAndDoesNotHoldUpTheOther) {
  const Array x = Integers(DType::kFloat32, {8, 128}, 1);
  Array y(DType::kFloat32, {8, 128});
  const BlockSpec tile({8, 128}, Picking({0, -1}));
  const Pipeline pipeline =
      Emit(Copy<float>,
           {.grid = {1}, .in_specs = {tile}, .out_specs = {tile}, .core_axis = 0, .dimension_semantics = {kParallel}});
  const RunReport report = Run(Once(pipeline), {In("x", x), Out("y", y)}, 2);
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>()).all());
  EXPECT_EQ(report.counters.transfers, 2);
}

TEST_P(FieldCoresTest, P26GridsThatCannotBeSplitAreRefused) {
  auto body = [](KernelContext&) {};
  const auto splitting = [&](const Grid& grid, const Semantics& semantics) {
    return Once(Emit(body, {.grid = grid, .core_axis = 0, .dimension_semantics = semantics}));
  };
  EXPECT_THAT(Run(splitting({4, 4}, {kArbitrary, kArbitrary}), {}, 2),
              IsRefused("a parallel dimension is expected, given none"));
  EXPECT_THAT(Run(splitting({Dynamic(4), Dynamic(4)}, {kParallel, kParallel}), {}, 2),
              IsRefused("all parallel ones are dynamic"));
}

// Steps whose blocks of 32 KiB put more than 2^31 bytes through each of two slots, and whose number needs more than 16
// bits; where a sanitizer makes them slow, only the latter.
constexpr int64_t kLongRun = Times(132000, 66000);
constexpr int64_t kColumns = Times(1024, 128);

TEST_P(FieldCoresTest, P28NothingChangesAfter65536StepsAnd2GiBThroughASlot) {
  if (!backend().deterministic() && backend().threads != 2) GTEST_SKIP() << "the threads differ in nothing here";
  if (backend().policy && backend().policy->kind != Policy::Kind::kEager) GTEST_SKIP() << "nor do the policies";
  Array x(DType::kFloat32, {16, kColumns});
  x.Matrix<float>().bottomRows(8).setOnes();
  Array count(DType::kInt32, {1});
  const BlockSpec alternating({8, kColumns}, [](GridIndex g) { return BlockIndex{g[0] % 2, 0}; });
  auto body = [](KernelContext& core, Ref x, Ref count) {
    const bool right = x.Get<float>({7, kColumns - 1}) == static_cast<float>(core.ProgramId(0) % 2);
    if (right) count.Set<int32_t>(count.Get<int32_t>() + 1);
  };
  const Pipeline pipeline = Emit(body, {.grid = {Dynamic(kLongRun)}, .in_specs = {alternating}});
  auto kernel = [&](KernelContext& core, Ref x, Ref count) { pipeline(core, {x}, {.scratches = {count}}); };
  const RunReport report = Run(kernel, {In("x", x), InOut("count", count, MemorySpace::kSmem)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(count.Get({0}), kLongRun);
  EXPECT_EQ(report.CountersOf("x").copies_in, kLongRun);
  EXPECT_EQ(report.CountersOf("x").bytes_in, kLongRun * 8 * kColumns * 4);
}

}  // namespace
}  // namespace strandcore::testing
