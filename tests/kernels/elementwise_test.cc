#include "kernels/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/add.h"
#include "kernels/grid_over.h"
#include "kernels/multiply.h"
#include "kernels/scale.h"
#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

class ElementwiseTest : public ScheduleTest {
 protected:
  // Elements by a plain loop.
  template <typename Function>
  Array Plain(Function function) const {
    Array z(DType::kFloat32, x_.shape());
    for (int64_t i = 0; i < x_.shape()[0]; ++i) {
      for (int64_t j = 0; j < x_.shape()[1]; ++j) z.Set({i, j}, function(x_.Get({i, j}), y_.Get({i, j})));
    }
    return z;
  }

  // Neither 20 nor 300 is a multiple of the block.
  const ElementwiseShape shape_ = {.shape = {20, 300}, .block = {8, 128}};
  const Array x_ = SmallNumbers({20, 300}, 3);
  const Array y_ = SmallNumbers({20, 300}, 5);
  Array z_ = Array(DType::kFloat32, {20, 300});
};
STRANDCORE_ON_EVERY_BACKEND(ElementwiseTest);

TEST_P(ElementwiseTest, AddIsThePlainLoopOnOneTwoAndFourCores) {
  for (int cores : {1, 2, 4}) {
    EXPECT_THAT(Run(*AddPipeline(shape_), {In("x", x_), In("y", y_), Out("z", z_)}, cores), IsClean());
    EXPECT_EQ(z_, Plain([](double x, double y) { return x + y; }));
  }
}

TEST_P(ElementwiseTest, MultiplyIsThePlainLoopWhicheverDimensionIsSplit) {
  for (const Semantics& semantics : {Semantics{kParallel, kArbitrary}, Semantics{kArbitrary, kParallel}}) {
    ElementwiseShape shape = shape_;
    shape.semantics = semantics;
    const RunReport report = Run(*MultiplyPipeline(shape), {In("x", x_), In("y", y_), Out("z", z_)}, 2);
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(report.CountersOf("z").copies_out, 9);
    EXPECT_EQ(z_, Plain([](double x, double y) { return x * y; }));
  }
}

TEST_P(ElementwiseTest, ScaleTakesItsFactorFromSmem) {
  const Array factor = Array::Full(DType::kFloat32, {1}, -2);
  const RunReport report =
      Run(*ScaleKernel(shape_), {In("factor", factor, MemorySpace::kSmem), In("x", x_), Out("y", z_)}, 2);
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(report.CountersOf("factor").copies_in, 0);
  EXPECT_EQ(z_, Plain([](double x, double) { return -2 * x; }));
}

TEST(GridOverTest, CoversPartialBlocks) {
  const Grid grid = *GridOver({600, 512, 1}, {256, 128, 8});
  ASSERT_EQ(grid.size(), 3u);
  EXPECT_EQ(grid[0].size, 3);
  EXPECT_EQ(grid[1].size, 4);
  EXPECT_EQ(grid[2].size, 1);
}

TEST(GridOverTest, RefusesWhatIsNotPositiveAndOtherRanks) {
  EXPECT_THAT(GridOver({8, 128}, {8, 0}).status().message(),
              HasSubstr("dimension 1: expected a positive size and block, given size 128 and block 0"));
  EXPECT_THAT(GridOver({-1}, {8}).status().message(), HasSubstr("dimension 0"));
  EXPECT_THAT(GridOver({8, 128}, {8}).status().message(), HasSubstr("expected 2 dimensions"));
}

}  // namespace
}  // namespace strandcore::testing
