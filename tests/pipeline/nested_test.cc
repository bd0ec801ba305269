// Pipelines inside the bodies of pipelines, over their windows and over views of operands in HBM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using NestedTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(NestedTest);

// Blocks of 16 rows and this many columns, picked by the grid's only dimension.
BlockSpec Columns(int64_t columns) { return BlockSpec({16, columns}, Picking({-1, 0})); }

Pipeline OverColumns(RefFunction body, int64_t steps, int64_t columns) {
  return Emit(std::move(body), {.grid = {steps}, .in_specs = {Columns(columns)}, .out_specs = {Columns(columns)}});
}

TEST_P(NestedTest, AViewOfAnOperandIsAnOperand) {
  Array x = Numbers(DType::kFloat32, {2, 16, 512});
  Array y(DType::kFloat32, {16, 512});
  const Pipeline pipeline = OverColumns(Copy<float>, 2, 256);
  const RunReport report = Run(
      [&](KernelContext& core, Ref x, Ref y) {
        pipeline(core, {x.At(1), y});
      },
      {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({1})).all());
  EXPECT_EQ(report.CountersOf("x").copies_in, 2);
}

TEST_P(NestedTest, TwoLevelsOverTheOuterWindows) {
  Array x = Numbers(DType::kFloat32, {2, 16, 512});
  Array y(DType::kFloat32, {16, 512});
  const Pipeline inner = OverColumns(Copy<float>, 2, 128);
  const Pipeline outer = OverColumns(inner, 2, 256);
  const RunReport report = Run(
      [&](KernelContext& core, Ref x, Ref y) {
        outer(core, {x.At(1), y});
      },
      {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({1})).all());
  EXPECT_EQ(report.CountersOf("x").copies_in, 2);
  EXPECT_EQ(report.counters.transfers, 2 * (2 + 2 * 2));
  EXPECT_EQ(report.counters.steps, 2 + 2 * 2);
}

TEST_P(NestedTest, ThreeLevels) {
  Array x = Numbers(DType::kFloat32, {2, 16, 1024});
  Array y(DType::kFloat32, {16, 1024});
  const Pipeline innermost = OverColumns(Copy<float>, 2, 128);
  const Pipeline middle = OverColumns(innermost, 2, 256);
  const Pipeline outer = OverColumns(middle, 2, 512);
  ASSERT_THAT(Run(
                  [&](KernelContext& core, Ref x, Ref y) {
                    outer(core, {x.At(1), y});
                  },
                  {In("x", x), Out("y", y)}),
              IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({1})).all());
}

TEST_P(NestedTest, TwoInARowThroughATemporary) {
  Array x = Numbers(DType::kFloat32, {16, 512});
  Array y(DType::kFloat32, {16, 512});
  const Pipeline doubles = OverColumns(Double, 2, 128);
  auto plus_one = [](KernelContext&, Ref from, Ref to) { to.Write<float>() = from.Read<float>() + 1.0f; };
  const Pipeline adds = OverColumns(plus_one, 2, 128);
  auto body = [&](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref temporary) {
          doubles(core, {x, temporary});
          adds(core, {temporary, y});
        },
        Vmem({16, 256}, DType::kFloat32));
  };
  ASSERT_THAT(Run(Once(OverColumns(body, 2, 256)), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>() + 1.0f).all());
}

TEST_P(NestedTest, HbmIsReachedThroughTheClosure) {
  Array x = Numbers(DType::kFloat32, {3, 16, 256});
  Array y(DType::kFloat32, {3, 16, 256});
  const Pipeline inner = OverColumns(Double, 2, 128);
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    auto body = [&](KernelContext& core) { inner(core, {x.At(core.ProgramId(0)), y.At(core.ProgramId(0))}); };
    Emit(body, {.grid = {3}})(core, {});
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  for (int64_t i : {0, 1, 2}) EXPECT_TRUE((y.Matrix<float>({i}) == 2.0f * x.Matrix<float>({i})).all());
}

TEST_P(NestedTest, AGridOfTwoDimensionsAroundOneOfOne) {
  Array x = Numbers(DType::kFloat32, {2, 64, 512});
  Array y(DType::kFloat32, {64, 512});
  const Pipeline inner = OverColumns(Copy<float>, 2, 128);
  const BlockSpec block({16, 256}, Picking({0, 1}));
  const Pipeline outer = Emit(inner, {.grid = {4, 2}, .in_specs = {block}, .out_specs = {block}});
  ASSERT_THAT(Run(
                  [&](KernelContext& core, Ref x, Ref y) {
                    outer(core, {x.At(1), y});
                  },
                  {In("x", x), Out("y", y)}),
              IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({1})).all());
}

TEST_P(NestedTest, AnAccumulatorInsideTheWindowOfAnAccumulator) {
  Array z = Numbers(DType::kFloat32, {16, 512});
  const Array before = z;
  auto one = [](KernelContext&, Ref z) { z.Write<float>().setConstant(1); };
  const PipelineOptions inner_options = {
      .grid = {2, 2}, .out_specs = {BlockSpec({16, 128}, Picking({-1, 0}))}, .should_accumulate_out = true};
  const Pipeline inner = Emit(one, inner_options);
  auto body = [&](KernelContext& core, Ref z) {
    if (core.ProgramId(1) == 0) z.Write<float>().setZero();
    inner(core, {z});
  };
  const PipelineOptions outer_options = {
      .grid = {2, 3}, .out_specs = {BlockSpec({16, 256}, Picking({-1, 0}))}, .should_accumulate_out = true};
  ASSERT_THAT(Run(Once(Emit(body, outer_options)), {InOut("z", z)}), IsClean());
  EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 3.0f).all());
}

// Throws at the second inner step of the second outer step.
RefFunction ThrowingInside() {
  auto innermost = [](KernelContext& core, Ref, Ref) {
    if (core.ProgramId(0) == 1) throw std::runtime_error("spilt");
  };
  const Pipeline inner = OverColumns(innermost, 2, 128);
  return Once(OverColumns(
      [inner](KernelContext& core, Ref x, Ref y) {
        if (core.ProgramId(0) == 1) inner(core, {x, y});
      },
      2, 256));
}

TEST_P(NestedTest, ABodyThatThrowsUnwindsAllLevelsAndIsNamed) {
  Array x = Numbers(DType::kFloat32, {16, 512});
  Array y(DType::kFloat32, {16, 512});
  const RunReport report = Run(ThrowingInside(), {In("x", x), Out("y", y)});
  EXPECT_THAT(report, HasFault(FaultKind::kKernelError, ::testing::HasSubstr("spilt")));
  ASSERT_EQ(report.faults.size(), 1u);
  ASSERT_EQ(report.faults[0].places.size(), 1u);
  EXPECT_THAT(report.faults[0].places[0].ToString(),
              ::testing::StartsWith("core 0, cycle 0, step (1,), body (support.h:"))
      << "the line that made the inner pipeline, in Emit";
}

}  // namespace
}  // namespace strandcore::testing
