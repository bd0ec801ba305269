#include "runtime/memory/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/memory/support.h"

namespace strandcore {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Problem(const Array& array) { return std::string(array.status().message()); }

float Physical(const Array& array, int64_t offset) { return reinterpret_cast<const float*>(array.data())[offset]; }

TEST(ArrayTest, StartsAsZerosPaddedToTheTile) {
  const Array array(DType::kFloat32, {3, 5});
  EXPECT_TRUE(array.status().ok());
  EXPECT_EQ(array.elements(), 15);
  EXPECT_EQ(array.physical_shape().ToString(), "(8, 128)");
  EXPECT_EQ(array.physical_strides().ToString(), "(128, 1)");
  for (int64_t i = 0; i < 1024; ++i) EXPECT_EQ(Physical(array, i), 0);
}

TEST(ArrayTest, IotaCountsInRowMajorOrder) {
  const Array array = Array::Iota(DType::kFloat32, {3, 5});
  EXPECT_EQ(array.Get({2, 4}), 14);
  EXPECT_EQ(Physical(array, 2 * 128 + 4), 14);
  EXPECT_EQ(array.ToVector<float>()[7], 7);
}

TEST(ArrayTest, FullAndFillLeaveThePaddingAlone) {
  Array array = Array::Full(DType::kBfloat16, {3, 5}, 1.5);
  EXPECT_EQ(array.Get({2, 4}), 1.5);
  array.Fill(2);
  EXPECT_EQ(array.Get({0, 0}), 2);
  EXPECT_EQ(LoadAsDouble(DType::kBfloat16, array.data() + 2 * 5), 0);
}

TEST(ArrayTest, FromValuesKeepsTheirOrder) {
  const Array array = Array::FromValues<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(array.dtype(), DType::kInt32);
  EXPECT_THAT(array.ToVector<int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(array.Get({1, 0}), 4);
  EXPECT_THAT(Array::FromValues<bool>({2}, {true, false}).ToVector<bool>(), ElementsAre(true, false));
}

TEST(ArrayTest, FromTheWrongNumberOfValuesIsABadArray) {
  EXPECT_EQ(Problem(Array::FromValues<int32_t>({2, 3}, {1, 2})), "array: shape (2, 3) takes 6 values; given 2");
}

TEST(ArrayTest, OfRankZeroHasOneElement) {
  Array array(DType::kFloat32, {});
  array.Set({}, 4);
  EXPECT_EQ(array.Get({}), 4);
  EXPECT_THAT(array.ToVector<float>(), ElementsAre(4));
}

TEST(ArrayTest, WithoutElementsIsFine) {
  Array array(DType::kFloat32, {0, 5});
  array.Fill(1);
  array.FillPoison();
  array.FillPadding(1);
  EXPECT_TRUE(array.ToVector<float>().empty());
  EXPECT_EQ(array.Matrix<float>().size(), 0);
  EXPECT_EQ(Array().elements(), 0);
  EXPECT_EQ(array, Array(DType::kFloat32, {0, 5}));
}

TEST(ArrayTest, BadShapesAreRememberedAndHaveNoElements) {
  const struct {
    Dims shape;
    const char* problem;
  } table[] = {
      {{1, 2, 3, 4, 5, 6, 7, 8, 9}, "has more than 8 dimensions"},
      {{4, -1}, "array: shape (4, -1) has size -1 in dimension 1"},
      {{int64_t{1} << 40, int64_t{1} << 40}, "more elements than can be counted"},
      {{int64_t{1} << 50}, "no memory for"},
  };
  for (const auto& row : table) {
    Array array = Array::Iota(DType::kFloat32, row.shape);
    EXPECT_THAT(Problem(array), HasSubstr(row.problem));
    EXPECT_EQ(array.elements(), 0);
    array.Fill(1);
    array.ForEach([](int64_t, double) { FAIL(); });
    EXPECT_EQ(StopOf([&] { array.Get({0, 0}); }), Problem(array));
    EXPECT_EQ(StopOf([&] { array.Matrix<float>(); }), Problem(array));
    EXPECT_EQ(Problem(Array(array)), Problem(array));
  }
}

TEST(ArrayTest, CopiesAreDeep) {
  Array a = Array::Iota(DType::kFloat32, {3, 5});
  const Array b = a;
  a.Set({1, 1}, 100);
  EXPECT_EQ(b.Get({1, 1}), 6);
  Array c;
  c = a;
  EXPECT_EQ(c, a);
  EXPECT_NE(b, a);
}

TEST(ArrayTest, MovesKeepTheBytes) {
  Array a = Array::Iota(DType::kFloat32, {3, 5});
  const std::byte* const data = a.data();
  const Array b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b.Get({2, 4}), 14);
}

TEST(ArrayTest, EqualityIsOfTypeShapeAndBits) {
  const Array a = Array::Iota(DType::kFloat32, {3, 5});
  EXPECT_EQ(a, Array::Iota(DType::kFloat32, {3, 5}));
  EXPECT_NE(a, Array::Iota(DType::kFloat32, {5, 3}));
  EXPECT_NE(a, Array::Iota(DType::kInt32, {3, 5}));
  Array nan = Array::Full(DType::kFloat32, {3, 5}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(nan, Array(nan));
  EXPECT_NE(Array::Full(DType::kFloat32, {1}, 0.0), Array::Full(DType::kFloat32, {1}, -0.0));
}

TEST(ArrayTest, EqualityDoesNotLookAtThePadding) {
  Array a = Array::Iota(DType::kFloat32, {3, 5});
  const Array b = a;
  a.FillPadding(777);
  EXPECT_EQ(a, b);
}

TEST(ArrayTest, FillPaddingReachesAllOfItAndNothingElse) {
  Array array = Array::Iota(DType::kFloat32, {2, 3, 5});
  array.FillPadding(777);
  EXPECT_EQ(array.ToVector<float>(), Array::Iota(DType::kFloat32, {2, 3, 5}).ToVector<float>());
  int padding = 0;
  for (int64_t i = 0; i < 2048; ++i) padding += Physical(array, i) == 777;
  EXPECT_EQ(padding, 2048 - 30);
}

TEST(ArrayTest, FillPoisonReachesElementsAndPadding) {
  Array array(DType::kFloat32, {3, 5});
  array.FillPoison();
  EXPECT_TRUE(std::isnan(array.Get({2, 4})));
  EXPECT_TRUE(std::isnan(Physical(array, 1023)));
}

TEST(ArrayTest, MatrixIsTheElementsInPlace) {
  Array array = Array::Iota(DType::kFloat32, {3, 5});
  array.Matrix<float>() *= 2.0f;
  EXPECT_EQ(array.Get({2, 4}), 28);
  const Array& constant = array;
  EXPECT_EQ(constant.Matrix<float>().rows(), 3);
  EXPECT_EQ(constant.Matrix<float>({1}).rows(), 1);
  EXPECT_EQ(constant.Matrix<float>({1})(0, 2), 14);
}

TEST(ArrayTest, MatrixOfMoreDimensionsTakesLeadingIndicesOrMerges) {
  Array padded = Array::Iota(DType::kFloat32, {2, 3, 4});
  EXPECT_EQ(padded.Matrix<float>({1})(2, 3), 23);
  EXPECT_EQ(StopOf([&] { padded.Matrix<float>(); }),
            "array: padding lies between the rows of (2, 3, 4), so they are no matrix; give leading indices");
  EXPECT_EQ(Array::Iota(DType::kFloat32, {2, 8, 4}).Matrix<float>().rows(), 16);
}

TEST(ArrayTest, WrongTypesAndIndicesStop) {
  Array array(DType::kFloat32, {3, 5});
  EXPECT_EQ(StopOf([&] { array.ToVector<int32_t>(); }), "array: expected an access as float32; given int32");
  EXPECT_EQ(StopOf([&] { array.Matrix<double>(); }), "array: expected an access as float32; given float64");
  EXPECT_EQ(StopOf([&] { array.Get({3, 0}); }), "array: index (3, 0) lies outside shape (3, 5)");
  EXPECT_EQ(StopOf([&] { array.Set({0, -1}, 1); }), "array: index (0, -1) lies outside shape (3, 5)");
  EXPECT_EQ(StopOf([&] { array.Get({0}); }), "array: expected an index of 2 numbers for shape (3, 5); given (0,)");
  EXPECT_EQ(StopOf([&] { array.Matrix<float>({3}); }), "array: index (3,) lies outside shape (3, 5)");
}

TEST(ArrayTest, GenerateAndForEachCountTogether) {
  Array array(DType::kInt8, {2, 3, 4});
  array.Generate([](int64_t flat) { return flat % 7; });
  int64_t next = 0;
  array.ForEach([&](int64_t flat, double value) {
    EXPECT_EQ(flat, next++);
    EXPECT_EQ(value, static_cast<double>(flat % 7));
  });
  EXPECT_EQ(next, 24);
}

TEST(AdoptedArrayTest, WritesThroughWithoutPadding) {
  std::vector<float> host(15, 1);
  Array array = Array::Adopt(DType::kFloat32, {3, 5}, host.data());
  EXPECT_EQ(array.physical_shape(), array.shape());
  EXPECT_EQ(reinterpret_cast<float*>(array.data()), host.data());
  array.Set({1, 0}, 42);
  EXPECT_EQ(host[5], 42);
  host[14] = 43;
  EXPECT_EQ(array.Get({2, 4}), 43);
  EXPECT_EQ(array, Array::FromValues<float>({3, 5}, host));
}

TEST(AdoptedArrayTest, ACopyOwnsItsElements) {
  std::vector<float> host(15, 1);
  const Array adopted = Array::Adopt(DType::kFloat32, {3, 5}, host.data());
  Array copy = adopted;
  copy.Set({0, 0}, 2);
  EXPECT_EQ(host[0], 1);
}

TEST(AdoptedArrayTest, UnfitMemoryIsABadArray) {
  alignas(4) std::byte host[64];
  EXPECT_EQ(Problem(Array::Adopt(DType::kFloat32, {3}, nullptr)),
            "array: expected memory aligned to 4 bytes, the size of float32; given none");
  EXPECT_EQ(Problem(Array::Adopt(DType::kFloat32, {3}, host + 2)),
            "array: expected memory aligned to 4 bytes, the size of float32; given less");
}

}  // namespace
}  // namespace strandcore
