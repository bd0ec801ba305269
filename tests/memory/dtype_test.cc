#include "runtime/memory/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "Eigen/Core"

namespace strandcore {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Stored(DType dtype, double value) {
  std::byte element[8];
  StoreFromDouble(dtype, element, value);
  return LoadAsDouble(dtype, element);
}

class DTypeTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(All, DTypeTest, testing::ValuesIn(kAllDTypes),
                         [](const auto& param) { return std::string(DTypeName(param.param)); });

TEST_P(DTypeTest, SizeIsThatOfTheCppType) {
  VisitDType(GetParam(), [&]<typename T>(std::type_identity<T>) {
    EXPECT_EQ(DTypeOf<T>(), GetParam());
    EXPECT_EQ(DTypeSize(GetParam()), static_cast<int>(sizeof(T)));
  });
}

TEST_P(DTypeTest, NameNamesIt) {
  const auto dtype = DTypeFromName(DTypeName(GetParam()));
  ASSERT_TRUE(dtype.ok());
  EXPECT_EQ(*dtype, GetParam());
}

TEST_P(DTypeTest, SmallIntegersSurviveARoundTrip) {
  const double most = GetParam() == DType::kBool ? 1 : 100;
  for (double value = 0; value <= most; ++value) EXPECT_EQ(Stored(GetParam(), value), value);
}

TEST_P(DTypeTest, PoisonFillsExactlyTheElementsAskedFor) {
  const int size = DTypeSize(GetParam());
  alignas(8) std::byte memory[8 * 4] = {};
  FillPoison(GetParam(), memory, 3);
  for (int i = 1; i < 3; ++i) EXPECT_EQ(std::memcmp(memory, memory + i * size, size), 0);
  for (int i = 3 * size; i < 4 * size; ++i) EXPECT_EQ(memory[i], std::byte{0});
}

TEST(DTypePoisonTest, IsNanLargestOrTrue) {
  const auto poison = [](DType dtype) {
    alignas(8) std::byte element[8];
    FillPoison(dtype, element, 1);
    return LoadAsDouble(dtype, element);
  };
  for (DType dtype : {DType::kFloat32, DType::kBfloat16, DType::kFloat16, DType::kFloat64}) {
    EXPECT_TRUE(std::isnan(poison(dtype))) << DTypeName(dtype);
  }
  EXPECT_EQ(poison(DType::kInt32), 2147483647);
  EXPECT_EQ(poison(DType::kUint32), 4294967295);
  EXPECT_EQ(poison(DType::kInt16), 32767);
  EXPECT_EQ(poison(DType::kUint16), 65535);
  EXPECT_EQ(poison(DType::kInt8), 127);
  EXPECT_EQ(poison(DType::kUint8), 255);
  EXPECT_EQ(poison(DType::kBool), 1);
  EXPECT_EQ(poison(DType::kInt64), 0x1p63);  // 2^63 - 1, as a double
}

TEST(DTypePoisonTest, NansAreQuiet) {
  alignas(8) uint16_t bits[4];
  FillPoison(DType::kBfloat16, bits, 1);
  EXPECT_EQ(bits[0], 0x7fc0);
  FillPoison(DType::kFloat16, bits, 1);
  EXPECT_EQ(bits[0], 0x7e00);
  uint32_t wide;
  FillPoison(DType::kFloat32, &wide, 1);
  EXPECT_EQ(wide, 0x7fc00000u);
}

TEST(DTypeNameTest, UnknownNameIsRefusedWithTheKnownOnes) {
  const auto dtype = DTypeFromName("float31");
  EXPECT_THAT(std::string(dtype.status().message()), testing::StartsWith("dtype \"float31\" is none of float32, "));
}

TEST(StoreFromDoubleTest, IntegersAreCutTowardsZero) {
  EXPECT_EQ(Stored(DType::kInt8, 2.9), 2);
  EXPECT_EQ(Stored(DType::kInt8, -2.9), -2);
  EXPECT_EQ(Stored(DType::kUint8, 254.999), 254);
}

TEST(StoreFromDoubleTest, IntegersSaturate) {
  EXPECT_EQ(Stored(DType::kInt8, 128), 127);
  EXPECT_EQ(Stored(DType::kInt8, -1e300), -128);
  EXPECT_EQ(Stored(DType::kUint8, -1), 0);
  EXPECT_EQ(Stored(DType::kUint16, kInfinity), 65535);
  EXPECT_EQ(Stored(DType::kInt32, 3e9), 2147483647);
  EXPECT_EQ(Stored(DType::kUint32, 3e9), 3e9);
  EXPECT_EQ(Stored(DType::kInt64, 0x1p63), 0x1p63);
  EXPECT_EQ(Stored(DType::kInt64, -kInfinity), -0x1p63);
}

TEST(StoreFromDoubleTest, NanIsZeroForIntegersAndNanForFloats) {
  EXPECT_EQ(Stored(DType::kInt16, kNan), 0);
  EXPECT_TRUE(std::isnan(Stored(DType::kBfloat16, kNan)));
  EXPECT_TRUE(std::isnan(Stored(DType::kFloat16, kNan)));
}

TEST(StoreFromDoubleTest, AnyNumberButZeroIsTrue) {
  EXPECT_EQ(Stored(DType::kBool, 0.5), 1);
  EXPECT_EQ(Stored(DType::kBool, -0.0), 0);
}

TEST(StoreFromDoubleTest, FloatsRoundToNearestEven) {
  EXPECT_EQ(Stored(DType::kBfloat16, 257), 256);   // halfway between 256 and 258
  EXPECT_EQ(Stored(DType::kBfloat16, 259), 260);   // halfway between 258 and 260
  EXPECT_EQ(Stored(DType::kFloat16, 2049), 2048);  // halfway between 2048 and 2050
  EXPECT_EQ(Stored(DType::kFloat16, 2051), 2052);  // halfway between 2050 and 2052
  EXPECT_EQ(Stored(DType::kFloat32, 0x1.000001p0), 1);
  EXPECT_EQ(Stored(DType::kBfloat16, kInfinity), kInfinity);
  EXPECT_EQ(Stored(DType::kBfloat16, 1e300), kInfinity);
  EXPECT_EQ(Stored(DType::kFloat16, -65520), -kInfinity);
}

TEST(StoreFromDoubleTest, FloatsAreRoundedOnceNotTwice) {
  // Just above halfway, by less than a float can say: rounding to float first would make it exactly halfway.
  EXPECT_EQ(Stored(DType::kBfloat16, 257 + 0x1p-40), 258);
  EXPECT_EQ(Stored(DType::kBfloat16, 259 - 0x1p-40), 258);
  EXPECT_EQ(Stored(DType::kFloat16, 2049 + 0x1p-40), 2050);
  EXPECT_EQ(Stored(DType::kFloat16, -2049 - 0x1p-40), -2050);
}

}  // namespace
}  // namespace strandcore
