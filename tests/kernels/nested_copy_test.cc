#include "kernels/nested_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

using NestedCopyTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(NestedCopyTest);

TEST_P(NestedCopyTest, OfThreeLevelsMovesEveryElementThroughEach) {
  for (DType dtype : {DType::kFloat32, DType::kInt16}) {
    const Array x = Array::Iota(dtype, {16, 1024});
    Array y(dtype, {16, 1024});
    const RunReport report = Run(*NestedCopyPipeline({.columns = 1024}), {In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    for (int64_t i = 0; i < 16; ++i) {
      for (int64_t j = 0; j < 1024; ++j) ASSERT_EQ(y.Get({i, j}), x.Get({i, j})) << i << ", " << j;
    }
    EXPECT_EQ(report.CountersOf("x").copies_in, 2);
    EXPECT_EQ(report.counters.steps, 2 + 4 + 8);
    EXPECT_EQ(report.counters.transfers, 2 * (2 + 4 + 8));
  }
}

TEST(NestedCopyShapeTest, AWidthThatDoesNotDivideIsRefused) {
  EXPECT_THAT(NestedCopyPipeline({.columns = 1000}).status().message(),
              HasSubstr("expected a divisor of the 1000 columns around it, given 512"));
  EXPECT_FALSE(NestedCopyPipeline({.columns = 1024, .widths = {512, 0, 128}}).ok());
  EXPECT_FALSE(NestedCopyPipeline({.columns = 1024, .widths = {512, 256, 100}}).ok());
}

}  // namespace
}  // namespace strandcore::testing
