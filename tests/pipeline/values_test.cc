// What pipelines compute over blocks that fit: scratches, accumulators, squeezed dimensions, aliases, revisits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/matmul.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ValuesTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(ValuesTest);

TEST_P(ValuesTest, AMatmulMayKeepItsSumInAScratch) {
  const MatmulBlocks blocks = {2, 2, 3};
  Array x = Numbers(DType::kFloat32, ShapeOfX(blocks)), y = Numbers(DType::kFloat32, ShapeOfY(blocks), 11);
  Array z(DType::kFloat32, ShapeOfZ(blocks));
  auto body = [](KernelContext& core, Ref x, Ref y, Ref z, Ref sum) {
    if (core.ProgramId(2) == 0) sum.Write<float>().setZero();
    sum.ReadWrite<float>().matrix() += x.Read<float>().matrix() * y.Read<float>().matrix();
    if (core.ProgramId(2) == core.NumPrograms(2) - 1) z.Write<float>() = sum.Read<float>();
  };
  const Pipeline pipeline = Emit(body, MatmulOptions(blocks));
  auto kernel = [&](KernelContext& core, Refs refs) {
    core.RunScoped([&](Ref sum) { pipeline(core, refs, {.scratches = {sum}}); }, Vmem({8, 128}, DType::kFloat32));
  };
  ASSERT_THAT(Run(kernel, {In("x", x), In("y", y), Out("z", z)}), IsClean());
  EXPECT_EQ(z, Product(x, y));
}

TEST_P(ValuesTest, APlainMatmulAndThenAnAccumulatingOneGiveTwiceTheProduct) {
  const MatmulBlocks blocks = {2, 2, 3};
  Array x = Numbers(DType::kFloat32, ShapeOfX(blocks)), y = Numbers(DType::kFloat32, ShapeOfY(blocks), 11);
  Array z(DType::kFloat32, ShapeOfZ(blocks));
  PipelineOptions options = MatmulOptions(blocks);
  const Pipeline plain = Emit(MatmulBody, options);
  options.should_accumulate_out = true;
  const Pipeline accumulating = Emit(MatmulBody, options);
  auto kernel = [&](KernelContext& core, Refs refs) {
    plain(core, refs);
    accumulating(core, refs);
  };
  ASSERT_THAT(Run(kernel, {In("x", x), In("y", y), Out("z", z)}), IsClean());
  EXPECT_EQ(z, Product(x, y, 2));
}

TEST_P(ValuesTest, AnInitialisedAccumulatorForgetsWhatWasThere) {
  const MatmulBlocks blocks = {2, 2, 3};
  Array x = Numbers(DType::kFloat32, ShapeOfX(blocks)), y = Numbers(DType::kFloat32, ShapeOfY(blocks), 11);
  Array z(DType::kFloat32, ShapeOfZ(blocks));
  PipelineOptions options = MatmulOptions(blocks);
  options.should_accumulate_out = true;
  const RunReport report =
      Run(Once(Emit(MatmulBody, options), {.init_accumulators = true}), {In("x", x), In("y", y), Out("z", z)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(z, Product(x, y));
  EXPECT_EQ(report.CountersOf("z").copies_in, 0);
}

TEST_P(ValuesTest, SqueezedDimensionsAreUnseenByTheBody) {
  Array x = Numbers(DType::kInt32, {3, 2, 8, 128});
  Array y(DType::kInt32, {2, 24, 128});
  auto body = [](KernelContext& core, Ref x, Ref y) {
    core.Check(x.shape() == Dims{8, 128} && y.shape() == Dims{8, 128}, x.shape().ToString());
    y.Write<int32_t>() = x.Read<int32_t>();
  };
  const BlockSpec from({std::nullopt, std::nullopt, 8, 128}, Picking({0, 1, -1, -1}));
  const BlockSpec to({std::nullopt, 8, 128}, Picking({1, 0, -1}));
  const Pipeline pipeline = Emit(body, {.grid = {3, 2}, .in_specs = {from}, .out_specs = {to}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      EXPECT_TRUE((y.Matrix<int32_t>({j}).middleRows(8 * i, 8) == x.Matrix<int32_t>({i, j})).all());
    }
  }
}

TEST_P(ValuesTest, ASqueezedAccumulatorAddsUpToo) {
  Array z = Numbers(DType::kFloat32, {2, 8, 128});
  const Array before = z;
  auto body = [](KernelContext&, Ref z) { z.Write<float>().setConstant(5); };
  const BlockSpec spec({std::nullopt, 8, 128}, Picking({0, -1, -1}));
  const Pipeline pipeline = Emit(body, {.grid = {2, 2}, .out_specs = {spec}, .should_accumulate_out = true});
  ASSERT_THAT(Run(Once(pipeline), {InOut("z", z)}), IsClean());
  for (int64_t i : {0, 1}) EXPECT_TRUE((z.Matrix<float>({i}) == before.Matrix<float>({i}) + 5.0f).all());
}

TEST_P(ValuesTest, BlocksMayBeOfFourDimensions) {
  Array x = Numbers(DType::kInt32, {4, 3, 8, 128});
  Array y(DType::kInt32, {4, 3, 8, 128});
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<int32_t>() = x.Read<int32_t>() + 1; };
  const BlockSpec spec({2, 3, 4, 128}, Picking({0, -1, 1, -1}));
  const Pipeline pipeline = Emit(body, {.grid = {2, 2}, .in_specs = {spec}, .out_specs = {spec}});
  auto rows = [&](KernelContext& core, Ref x, Ref y) {
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 3; ++j) body(core, x.At(i, j), y.At(i, j));
    }
  };
  const Pipeline by_rows = Emit(rows, pipeline.options());
  ASSERT_THAT(Run(Once(by_rows), {In("x", x), Out("y", y)}), IsClean());
  y.Generate([values = y.ToVector<int32_t>()](int64_t flat) { return values[static_cast<size_t>(flat)] - 1; });
  EXPECT_EQ(x, y);
}

TEST_P(ValuesTest, WhatTheBodyDoesNotWriteIsPoison) {  // P10
  Array y(DType::kFloat32, {8, 128});
  auto body = [](KernelContext&, Ref y) { y.At(Ds(0, 1)).Write<float>().setConstant(7); };
  const Pipeline pipeline = Emit(body, {.grid = {1}, .out_specs = {StayingTile()}});
  EXPECT_THAT(Run(Once(pipeline), {InOut("y", y)}),
              HasFault(FaultKind::kUninitialisedRead,
                       ::testing::HasSubstr("the host is handed y, of which rows 1–7 were never written")));
  EXPECT_EQ(y.Get({0, 5}), 7);
  EXPECT_TRUE(std::isnan(y.Get({1, 5})));
}

TEST_P(ValuesTest, AnOutputThatComesBackToABlockOverwritesIt) {  // quirk Q15
  Array y(DType::kFloat32, {16, 128});
  auto body = [](KernelContext& core, Ref y) {
    y.Write<float>().setConstant(static_cast<float>(1 + core.ProgramId(0)));
  };
  const BlockSpec spec({8, 128}, Picking({1, -1}));
  const Pipeline pipeline = Emit(body, {.grid = {3, 2}, .out_specs = {spec}});
  const RunReport report = Run(Once(pipeline), {Out("y", y)});
  ASSERT_THAT(report, HasFault(FaultKind::kRevisitedOutput, ::testing::HasSubstr("4 times")));
  EXPECT_EQ(report.CountersOf("y").copies_out, 6);
  EXPECT_EQ(y.Get({0, 0}), 3);
  EXPECT_EQ(y.Get({15, 127}), 3);
}

// P22: reads the window, then overwrites it.
void Spoils(KernelContext& core, const Ref& x, const Ref& y) {
  if (core.ProgramId(0) == 0) y.Write<float>().setZero();
  y.ReadWrite<float>() += x.Read<float>();
  x.Write<float>().setConstant(100);
}

TEST_P(ValuesTest, WhatABodyWritesToAnInputStaysAsLongAsTheBlock) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  const Array before = x;
  Array y(DType::kFloat32, {8, 128});
  const Pipeline moving = Emit(Spoils, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {StayingTile()}});
  ASSERT_THAT(Run(Once(moving), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(y.Get({2, 3}), x.Get({2, 3}) + x.Get({10, 3}) + x.Get({18, 3}) + x.Get({26, 3}));
  const Pipeline staying = Emit(Spoils, {.grid = {4}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
  ASSERT_THAT(Run(Once(staying), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(y.Get({2, 3}), x.Get({2, 3}) + 300);
  EXPECT_EQ(x, before);
}

TEST_P(ValuesTest, AnyNumberOfStepsRunsEachOnce) {  // P15
  for (int64_t steps = 0; steps <= 4; ++steps) {
    Array x = Numbers(DType::kInt32, {32, 128});
    Array z = Numbers(DType::kInt32, {8, 128});
    const Array before = z;
    auto body = [](KernelContext& core, Ref, Ref z) {
      if (core.ProgramId(0) == 0) z.Write<int32_t>().setZero();
      z.ReadWrite<int32_t>() += 1;
    };
    const Pipeline pipeline = Emit(body, {.grid = {Dynamic(steps)},
                                          .in_specs = {RowTile()},
                                          .out_specs = {StayingTile()},
                                          .should_accumulate_out = true});
    const RunReport report = Run(Once(pipeline), {In("x", x), InOut("z", z)});
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE((z.Matrix<int32_t>() == before.Matrix<int32_t>() + static_cast<int32_t>(steps)).all());
    EXPECT_EQ(report.counters.steps, steps);
    EXPECT_EQ(report.CountersOf("x").copies_in, steps);
    EXPECT_EQ(report.counters.waits, report.counters.transfers);
  }
}

}  // namespace
}  // namespace strandcore::testing
