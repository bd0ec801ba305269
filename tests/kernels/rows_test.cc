// Row sums and softmax.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/row_sum.h"
#include "kernels/softmax.h"
#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

using RowsTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(RowsTest);

TEST_P(RowsTest, AreSummedAsByThePlainLoop) {
  for (const Dims& shape : {Dims{64, 512}, Dims{20, 300}, Dims{3, 100}}) {
    const Array x = SmallNumbers(shape, 3);
    Array sums(DType::kFloat32, {1, shape[1]});
    x.ForEach([&](int64_t flat, double value) {
      sums.Set({0, flat % shape[1]}, sums.Get({0, flat % shape[1]}) + value);
    });
    for (int cores : {1, 2}) {
      Array y(DType::kFloat32, sums.shape());
      const RunReport report = Run(*RowSumPipeline({.rows = shape[0], .columns = shape[1], .block_rows = 16}),
                                   {In("x", x), Out("y", y)}, cores);
      ASSERT_THAT(report, IsClean());
      EXPECT_EQ(y, sums) << shape.ToString() << ", cores " << cores;
      EXPECT_EQ(report.CountersOf("y").copies_out, (shape[1] + 127) / 128);
    }
  }
}

Array PlainSoftmax(const Array& x) {
  Array y(DType::kFloat32, x.shape());
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t j = 0; j < x.shape()[1]; ++j) most = std::max(most, x.Get({i, j}));
    for (int64_t j = 0; j < x.shape()[1]; ++j) sum += std::exp(x.Get({i, j}) - most);
    for (int64_t j = 0; j < x.shape()[1]; ++j) y.Set({i, j}, std::exp(x.Get({i, j}) - most) / sum);
  }
  return y;
}

TEST_P(RowsTest, AreNormalisedBySoftmaxAsByThePlainLoop) {
  for (const Dims& shape : {Dims{64, 256}, Dims{20, 200}, Dims{1, 1}}) {
    const Array x = SmallNumbers(shape, 5);
    const Array expected = PlainSoftmax(x);
    for (int cores : {1, 2}) {
      Array y(DType::kFloat32, shape);
      ASSERT_THAT(Run(*SoftmaxPipeline({.rows = shape[0], .columns = shape[1]}), {In("x", x), Out("y", y)}, cores),
                  IsClean());
      const auto error = (y.Matrix<float>() - expected.Matrix<float>()).abs();
      EXPECT_LE(error.maxCoeff(), 1e-6f) << shape.ToString() << ", cores " << cores;
    }
  }
}

TEST_P(RowsTest, OfLargeNumbersDoNotOverflowInSoftmax) {
  const Array x = Array::Full(DType::kFloat32, {8, 128}, 1e4);
  Array y(DType::kFloat32, {8, 128});
  ASSERT_THAT(Run(*SoftmaxPipeline({.rows = 8, .columns = 128}), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(y, Array::Full(DType::kFloat32, {8, 128}, 1.0 / 128));
}

TEST(RowsShapeTest, WithoutSizesIsRefused) {
  EXPECT_FALSE(RowSumPipeline({}).ok());
  EXPECT_FALSE(SoftmaxPipeline({.rows = 8}).ok());
}

}  // namespace
}  // namespace strandcore::testing
