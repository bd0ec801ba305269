#include "kernels/padded_matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

using PaddedMatmulTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(PaddedMatmulTest);

// -3 ... 3, with the largest number that the type has in the padding.
Array SmallNumbersOf(DType dtype, const Dims& shape, int factor) {
  Array array(dtype, shape);
  array.FillPoison();
  array.Generate([factor](int64_t flat) { return flat * factor % 7 - 3; });
  return array;
}

Array PlainLoop(const Array& x, const Array& y) {
  Array z(PaddedMatmulResult(x.dtype()), {x.shape()[0], y.shape()[1]});
  const std::vector<double> a = [&] {
    std::vector<double> values;
    x.ForEach([&](int64_t, double value) { values.push_back(value); });
    return values;
  }();
  std::vector<double> sums(static_cast<size_t>(z.elements()));
  const int64_t n = y.shape()[1], depth = y.shape()[0];
  y.ForEach([&](int64_t flat, double value) {
    for (int64_t i = 0; i < z.shape()[0]; ++i) sums[i * n + flat % n] += a[i * depth + flat / n] * value;
  });
  z.Generate([&](int64_t flat) { return sums[static_cast<size_t>(flat)]; });
  return z;
}

TEST_P(PaddedMatmulTest, WhoseEveryDimensionEndsInAPartialBlockIsThePlainLoop) {
  const MatmulShape shape = {.m = 40, .k = 200, .n = 150, .block_m = 32};
  for (DType dtype : {DType::kFloat32, DType::kBfloat16, DType::kInt8}) {
    const Array x = SmallNumbersOf(dtype, {40, 200}, 3), y = SmallNumbersOf(dtype, {200, 150}, 5);
    for (int cores : {1, 2}) {
      Array z(PaddedMatmulResult(dtype), {40, 150});
      ASSERT_THAT(Run(*PaddedMatmulKernel(shape, dtype), {In("x", x), In("y", y), Out("z", z)}, cores), IsClean());
      EXPECT_EQ(z, PlainLoop(x, y)) << DTypeName(dtype) << ", cores " << cores;
    }
  }
}

TEST_P(PaddedMatmulTest, OfOneBlockLargerThanTheArraysIsThePlainLoop) {
  const MatmulShape shape = {.m = 5, .k = 7, .n = 9, .block_m = 32};
  for (DType dtype : {DType::kFloat32, DType::kBfloat16, DType::kInt8}) {
    const Array x = SmallNumbersOf(dtype, {5, 7}, 3), y = SmallNumbersOf(dtype, {7, 9}, 5);
    Array z(PaddedMatmulResult(dtype), {5, 9});
    ASSERT_THAT(Run(*PaddedMatmulKernel(shape, dtype), {In("x", x), In("y", y), Out("z", z)}), IsClean());
    EXPECT_EQ(z, PlainLoop(x, y)) << DTypeName(dtype);
  }
}

TEST_P(PaddedMatmulTest, OfTheLargestInt8IsExact) {
  const Array x = Array::Full(DType::kInt8, {32, 1024}, -128), y = Array::Full(DType::kInt8, {1024, 128}, -128);
  Array z(DType::kInt32, {32, 128});
  const MatmulShape shape = {.m = 32, .k = 1024, .n = 128, .block_m = 32, .block_k = 1024};
  ASSERT_THAT(Run(*PaddedMatmulKernel(shape, DType::kInt8), {In("x", x), In("y", y), Out("z", z)}), IsClean());
  EXPECT_EQ(z, Array::Full(DType::kInt32, {32, 128}, 1024 * 128 * 128));
}

TEST(PaddedMatmulShapeTest, OtherTypesAndInexactBlocksAreRefused) {
  const MatmulShape shape = {.m = 32, .k = 4096, .n = 128, .block_m = 32, .block_k = 2048};
  EXPECT_THAT(PaddedMatmulKernel(shape, DType::kInt16).status().message(),
              HasSubstr("expected float32, bfloat16 or int8, given int16"));
  EXPECT_THAT(PaddedMatmulKernel(shape, DType::kInt8).status().message(),
              HasSubstr("expected block_k up to 1024 for int8, given 2048"));
  EXPECT_FALSE(PaddedMatmulKernel({}, DType::kFloat32).ok());
}

}  // namespace
}  // namespace strandcore::testing
