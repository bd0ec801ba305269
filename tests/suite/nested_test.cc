// Views of operands and pipelines inside pipelines (upstream_tests.md 3.3 #40 to #47), each with static and with
// dynamic grids; the wide ones scaled down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/nested_copy.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

class NestedSuiteTest : public ScheduleTest {
 protected:
  // Runs a kernel on x[1] and y, and expects `body`'s result: y = factor x[1] + offset.
  void ExpectLinear(const RefFunction& kernel, const Dims& shape, float factor = 1, float offset = 0) {
    const Array x = Integers(DType::kFloat32, {2, shape[0], shape[1]}, 1);
    Array y(DType::kFloat32, shape);
    const RefFunction on_view = [&](KernelContext& core, Ref x, Ref y) { kernel(core, {x.At(1), y}); };
    ASSERT_THAT(Run(on_view, {In("x", x), Out("y", y)}), IsClean());
    EXPECT_TRUE((y.Matrix<float>() == factor * x.Matrix<float>({1}) + offset).all());
  }
};
STRANDCORE_ON_EVERY_BACKEND(NestedSuiteTest);

// `body` over blocks of this shape, which lie beside each other.
Pipeline Beside(RefFunction body, int64_t steps, int64_t rows, int64_t columns, bool dynamic) {
  const BlockSpec block({rows, columns}, Picking({-1, 0}));
  return Emit(std::move(body), {.grid = {GridDim(steps, dynamic)}, .in_specs = {block}, .out_specs = {block}});
}

// 3.3 #40.
TEST_P(NestedSuiteTest, AViewOfAnOperandIsAnInput) {
  for (bool dynamic : {false, true}) ExpectLinear(Beside(Copy<float>, 2, 16, 256, dynamic), {16, 512});
}

// 3.3 #41.
TEST_P(NestedSuiteTest, APipelineOverTheWindowsOfAnother) {
  for (bool dynamic : {false, true}) {
    ExpectLinear(Beside(Beside(Copy<float>, 2, 16, 128, dynamic), 2, 16, 256, dynamic), {16, 512});
  }
}

// The inner pipeline of #42 copies 64 of the outer windows' rows.
Pipeline Uneven(bool dynamic) {
  const BlockSpec rows({32, 128}, Picking({0, -1}));
  const Pipeline inner = Emit(Copy<float>, {.grid = {GridDim(2, dynamic)}, .in_specs = {rows}, .out_specs = {rows}});
  auto body = [inner](KernelContext& core, Ref x, Ref y) {
    y.Write<float>().setZero();
    inner(core, {x.At(Ds(0, 64)), y.At(Ds(0, 64))});
  };
  return Emit(body, {.grid = {GridDim(2, dynamic)},
                     .in_specs = {BlockSpec({256, 128}, Picking({0, -1}))},
                     .out_specs = {BlockSpec({128, 128}, Picking({0, -1}))}});
}

// 3.3 #42.
TEST_P(NestedSuiteTest, APipelineOverPartsOfTheWindowsOfAnother) {
  const Array x = Integers(DType::kFloat32, {512, 128}, 1);
  Array expected(DType::kFloat32, {256, 128});
  expected.Matrix<float>().middleRows(0, 64) = x.Matrix<float>().middleRows(0, 64);
  expected.Matrix<float>().middleRows(128, 64) = x.Matrix<float>().middleRows(256, 64);
  for (bool dynamic : {false, true}) {
    Array y(DType::kFloat32, {256, 128});
    ASSERT_THAT(Run(Once(Uneven(dynamic)), {In("x", x), Out("y", y)}), IsClean());
    EXPECT_TRUE((y.Matrix<float>() == expected.Matrix<float>()).all());
  }
}

// 3.3 #44: 4 x 4 x 4 steps instead of 8 x 8 x 8.
TEST_P(NestedSuiteTest, ThreeLevels) {
  for (bool dynamic : {false, true}) {
    const NestedCopyShape shape = {.rows = 16, .columns = 8192, .widths = {2048, 512, 128}, .dynamic_grid = dynamic};
    ExpectLinear(*NestedCopyPipeline(shape), {16, 8192});
  }
}

// The kernel of #45: y, in HBM, reaches the inner body through a copy that the outer body makes.
RefFunction Passthrough(const Ref& y, bool dynamic) {
  return [y, dynamic](KernelContext& core, Ref x, Ref z) {
    auto outer = [&](KernelContext& core, Ref x, Ref z) {
      auto add = [&](const Ref& addend) {
        core.SyncCopy(y, addend);
        auto inner = [](KernelContext&, Ref x, Ref z, Ref addend) {
          z.Write<float>() = x.Read<float>() + addend.Read<float>();
        };
        Beside(inner, 4, 16, 128, dynamic)(core, {x, z}, {.scratches = {addend}});
      };
      core.RunScoped(add, Vmem({16, 128}, DType::kFloat32));
    };
    Beside(outer, 4, 16, 512, dynamic)(core, {x, z});
  };
}

// 3.3 #45: 4 x 4 steps instead of 8 x 8.
TEST_P(NestedSuiteTest, AnOperandInHbmIsPassedThroughTheOuterBody) {
  const Array x = Integers(DType::kFloat32, {2, 16, 2048}, 1), y = Array::Full(DType::kFloat32, {16, 128}, 1);
  for (bool dynamic : {false, true}) {
    Array z(DType::kFloat32, {16, 2048});
    auto kernel = [&](KernelContext& core, Ref x, Ref y, Ref z) { Passthrough(y, dynamic)(core, {{x.At(1), z}}); };
    ASSERT_THAT(Run(kernel, {In("x", x), In("y", y), Out("z", z)}), IsClean());
    EXPECT_TRUE((z.Matrix<float>() == x.Matrix<float>({1}) + 1.0f).all());
  }
}

// 3.3 #46: (4, 4) around (4) instead of (8, 8) around (8).
TEST_P(NestedSuiteTest, AGridOfTwoDimensionsAroundOneOfOne) {
  for (bool dynamic : {false, true}) {
    const BlockSpec block({32, 512}, Picking({0, 1}));
    const Pipeline pipeline =
        Emit(Beside(Copy<float>, 4, 32, 128, dynamic),
             {.grid = {GridDim(4, dynamic), GridDim(4, dynamic)}, .in_specs = {block}, .out_specs = {block}});
    ExpectLinear(pipeline, {128, 2048});
  }
}

// 3.3 #47.
TEST_P(NestedSuiteTest, TwoPipelinesInARowThroughATemporary) {
  auto plus_one = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>() + 1.0f; };
  for (bool dynamic : {false, true}) {
    const Pipeline doubles = Beside(Double, 2, 16, 128, dynamic), adds = Beside(plus_one, 2, 16, 128, dynamic);
    auto body = [&](KernelContext& core, Ref x, Ref y) {
      auto through = [&](const Ref& temporary) {
        doubles(core, {x, temporary});
        adds(core, {temporary, y});
      };
      core.RunScoped(through, Vmem({16, 256}, DType::kFloat32));
    };
    ExpectLinear(Beside(body, 8, 16, 256, dynamic), {16, 2048}, 2, 1);
  }
}

}  // namespace
}  // namespace strandcore::testing
