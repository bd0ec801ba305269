#include "kernels/accumulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

class AccumulateTest : public ScheduleTest {
 protected:
  // Runs all cycles and compares z with a plain loop.
  RunReport RunAndCompare(const AccumulateShape& shape, const Schedule& schedule) {
    const Array x = SmallNumbers(shape.XShape(), 3);
    const Array w = SmallNumbers(shape.WShape(), 5);
    Array z(DType::kFloat32, shape.ZShape());
    const RunReport report = Run(*AccumulateKernel(shape, schedule), {In("x", x), In("w", w), Out("z", z)});
    EXPECT_THAT(report, IsClean());
    Array sum(DType::kFloat32, shape.ZShape());
    x.ForEach([&](int64_t flat, double value) {
      const int64_t row = flat / x.shape()[2] % x.shape()[1];
      const int64_t column = flat % x.shape()[2] % shape.block_columns;
      sum.Set({row, column}, sum.Get({row, column}) + w.Get({row % shape.block_rows, column}) * value);
    });
    EXPECT_EQ(z, sum);
    return report;
  }

  static void ExpectCopies(const RunReport& report, int64_t x_in, int64_t w_in, int64_t z_in, int64_t z_out) {
    EXPECT_EQ(report.CountersOf("x").copies_in, x_in);
    EXPECT_EQ(report.CountersOf("w").copies_in, w_in);
    EXPECT_EQ(report.CountersOf("z").copies_in, z_in);
    EXPECT_EQ(report.CountersOf("z").copies_out, z_out);
  }
};
STRANDCORE_ON_EVERY_BACKEND(AccumulateTest);

TEST_P(AccumulateTest, OverTwoBlocksOfTwoStepsIsThePlainLoopUnderBothSchedules) {
  const AccumulateShape shape = {.cycles = 4, .blocks = 2, .steps = 2};
  ExpectCopies(RunAndCompare(shape, Schedule::Default()), 16, 4, 6, 8);
  ExpectCopies(RunAndCompare(shape, Schedule::Fixed()), 16, 1, 6, 8);
}

TEST_P(AccumulateTest, OverOneBlockFixedCopiesOutOnce) {
  ExpectCopies(RunAndCompare({.cycles = 4, .blocks = 1, .steps = 2}, Schedule::Fixed()), 8, 1, 0, 1);
  ExpectCopies(RunAndCompare({.cycles = 1, .blocks = 1, .steps = 3}, Schedule::Default()), 3, 1, 0, 1);
}

TEST_P(AccumulateTest, OverThreeBlocksOfThreeStepsIsThePlainLoop) {
  const AccumulateShape shape = {.cycles = 3, .blocks = 3, .steps = 3, .block_rows = 16};
  ExpectCopies(RunAndCompare(shape, Schedule::Default()), 27, 3, 6, 9);
  ExpectCopies(RunAndCompare(shape, Schedule::Fixed()), 27, 1, 6, 9);
}

TEST(AccumulateShapeTest, WithoutCyclesOrStepsIsRefused) {
  EXPECT_THAT(AccumulateKernel({.cycles = 0}, Schedule::Default()).status().message(),
              HasSubstr("cycles: expected 1 or more, given 0"));
  EXPECT_FALSE(AccumulateKernel({.cycles = 1, .steps = 0}, Schedule::Default()).ok());
}

}  // namespace
}  // namespace strandcore::testing
