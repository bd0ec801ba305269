// Pipelines split over cores, and what program ids mean where (seed_pipeline.md 1.12, quirks Q4, Q5, Q6, Q18).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using CoresTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CoresTest);

TEST_P(CoresTest, EveryGridIsCoveredOnce) {
  struct Case {
    Grid grid;
    Semantics semantics;
  };
  const Case cases[] = {{{8, 3}, {kParallel, kArbitrary}},          {{5, 3}, {kParallel, kArbitrary}},
                        {{2, Dynamic(7)}, {kParallel, kArbitrary}}, {{5, 7}, {kParallel, kParallel}},
                        {{1, 1}, {kParallel, kParallel}},           {{3, 5}, {kArbitrary, kParallel}},
                        {{5, 5}, {kArbitrary, kParallel}},          {{Dynamic(4), 3}, {kParallel, kParallel}}};
  for (const Case& c : cases) {
    for (int cores : {1, 2, 4}) {
      Array x = Numbers(DType::kFloat32, {8 * c.grid[0].size, 128 * c.grid[1].size});
      Array y(DType::kFloat32, x.shape());
      const Pipeline pipeline = Emit(Double, {.grid = c.grid,
                                              .in_specs = {Tile()},
                                              .out_specs = {Tile()},
                                              .core_axis = 0,
                                              .dimension_semantics = c.semantics});
      const RunReport report = Run(Once(pipeline), {In("x", x), Out("y", y)}, cores);
      ASSERT_THAT(report, IsClean());
      EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
      EXPECT_EQ(report.counters.steps, c.grid[0].size * c.grid[1].size);
      EXPECT_EQ(report.counters.transfers, 2 * report.counters.steps);
    }
  }
}

TEST_P(CoresTest, CoresBeyondTheGridHaveNoSteps) {
  Array x = Numbers(DType::kFloat32, {24, 128});
  Array y(DType::kFloat32, {24, 128});
  auto last_core_is_idle = [](KernelContext& core, Ref x, Ref y) {
    core.Check(core.core_index() < 3, "the last core has a step");
    Copy<float>(core, x, y);
  };
  const Pipeline pipeline = Emit(last_core_is_idle, {.grid = {3},
                                                     .in_specs = {RowTile()},
                                                     .out_specs = {RowTile()},
                                                     .core_axis = 0,
                                                     .dimension_semantics = {kParallel}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}, 4), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(CoresTest, DynamicSizesOf0DoNothingOnEveryCore) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array y = x;
  for (int64_t size : {0, -1}) {
    const Pipeline pipeline = Emit(Double, {.grid = {Dynamic(size), 2},
                                            .in_specs = {Tile()},
                                            .out_specs = {Tile()},
                                            .core_axis = 0,
                                            .dimension_semantics = {kArbitrary, kParallel}});
    const RunReport report = Run(Once(pipeline), {In("x", x), InOut("y", y)}, 2);
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(report.counters.steps, 0);
    EXPECT_EQ(report.counters.transfers, 0);
    EXPECT_EQ(x, y);
  }
}

TEST_P(CoresTest, DynamicSizesAreThoseOfTheRun) {
  for (int64_t rows : {1, 2, 5}) {
    Array x = Numbers(DType::kFloat32, {40, 256});
    Array y = Array::Full(DType::kFloat32, {40, 256}, -1);
    const Pipeline pipeline =
        Emit(Copy<float>, {.grid = {Dynamic(rows), 2}, .in_specs = {Tile()}, .out_specs = {Tile()}});
    ASSERT_THAT(Run(Once(pipeline), {In("x", x), InOut("y", y)}), IsClean());
    EXPECT_TRUE((y.Matrix<float>().topRows(8 * rows) == x.Matrix<float>().topRows(8 * rows)).all());
    EXPECT_TRUE((y.Matrix<float>().bottomRows(40 - 8 * rows) == -1.0f).all());
  }
}

// Writes where it believes to be: 1000 id(0) + 100 id(1) + 10 num(0) + num(1).
void WhereAmI(KernelContext& core, const Ref& y) {
  const int64_t where =
      1000 * core.ProgramId(0) + 100 * core.ProgramId(1) + 10 * core.NumPrograms(0) + core.NumPrograms(1);
  y.Write<float>().setConstant(static_cast<float>(where));
}

TEST_P(CoresTest, TheBodySeesAbsoluteIdsAndItsOwnPartOfTheGrid) {  // quirk Q5
  Array y(DType::kFloat32, {16, 640});
  const Pipeline pipeline =
      Emit(WhereAmI,
           {.grid = {2, 5}, .out_specs = {Tile()}, .core_axis = 0, .dimension_semantics = {kArbitrary, kParallel}});
  ASSERT_THAT(Run(Once(pipeline), {Out("y", y)}, 2), IsClean());
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      EXPECT_EQ(y.Get({8 * i, 128 * j}), 1000 * i + 100 * j + 10 * 2 + (j < 3 ? 3 : 2));
    }
  }
}

// An inner pipeline whose index map asks for the program id: it is the outer pipeline's.
TEST_P(CoresTest, IndexMapsSeeTheEnclosingGrid) {  // quirk Q6
  Array x = Numbers(DType::kFloat32, {24, 256});
  Array y(DType::kFloat32, {24, 256});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    const BlockSpec spec({8, 128}, [&](GridIndex g) { return BlockIndex{core.ProgramId(0), g[0]}; });
    const Pipeline inner = Emit(Double, {.grid = {2}, .in_specs = {spec}, .out_specs = {spec}});
    Emit([&](KernelContext&) { inner(core, {x, y}); }, {.grid = {3}})(core, {});
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
}

TEST_P(CoresTest, AnIndexMapOutsideAnyPipelineSeesTheCores) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array y(DType::kFloat32, {16, 256});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    const BlockSpec spec({8, 128}, [&](GridIndex g) { return BlockIndex{core.ProgramId(0), g[0]}; });
    Emit(Double, {.grid = {2}, .in_specs = {spec}, .out_specs = {spec}})(core, {x, y});
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}, 2), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
}

TEST_P(CoresTest, CallbacksSeeTheEnclosingGrid) {  // quirk Q6
  auto kernel = [](KernelContext& core) {
    auto in_callback = [&](BufferedRefs, Scheduler&) {
      core.Check(core.ProgramId(0) == core.core_index() && core.NumPrograms(0) == 3, "the grid of the launch");
    };
    auto body = [](KernelContext& core) { core.Check(core.NumPrograms(1) == 7, "the pipeline's grid"); };
    Emit(body, {.grid = {2, 7}})(core, {}, {.prefetch = in_callback, .postyeet = in_callback});
  };
  EXPECT_THAT(Run(kernel, {}, 3), IsClean());
}

TEST_P(CoresTest, ACoreAxisInsideABodyIsThatGridsAxis) {
  // The inner pipeline is "split over" the two steps of the outer one: each takes its half.
  Array x = Numbers(DType::kFloat32, {32, 128});
  Array y(DType::kFloat32, {32, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    const Pipeline inner = Emit(Double, {.grid = {4},
                                         .in_specs = {RowTile()},
                                         .out_specs = {RowTile()},
                                         .core_axis = 0,
                                         .dimension_semantics = {kParallel}});
    Emit([&](KernelContext& core) { inner(core, {x, y}); }, {.grid = {2}})(core, {});
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.counters.steps, 2 + 4);
}

TEST_P(CoresTest, AccumulatorsAreSplitToo) {
  Array x = Numbers(DType::kInt32, {40, 384});
  Array z = Numbers(DType::kInt32, {40, 128}, 3);
  const Array before = z;
  auto body = [](KernelContext& core, Ref x, Ref z) {
    if (core.ProgramId(1) == 0) z.Write<int32_t>().setZero();
    z.ReadWrite<int32_t>() += x.Read<int32_t>();
  };
  const Pipeline pipeline = Emit(body, {.grid = {5, 3},
                                        .in_specs = {Tile()},
                                        .out_specs = {RowTile()},
                                        .should_accumulate_out = true,
                                        .core_axis = 0,
                                        .dimension_semantics = {kParallel, kArbitrary}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x), InOut("z", z)}, 2), IsClean());
  const auto m = x.Matrix<int32_t>();
  EXPECT_TRUE(
      (z.Matrix<int32_t>() == before.Matrix<int32_t>() + m.leftCols(128) + m.middleCols(128, 128) + m.rightCols(128))
          .all());
}

}  // namespace
}  // namespace strandcore::testing
