#include "runtime/memory/tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace strandcore {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

std::string Refusal(const Dims& shape) { return std::string(ValidateShape("operand x", shape).message()); }

TEST(PhysicalShapeTest, PadsTheTwoMinorDimensionsToTheTile) {
  const struct {
    Dims logical, physical;
  } table[] = {
      {{}, {}},
      {{1}, {128}},
      {{128}, {128}},
      {{129}, {256}},
      {{1, 1}, {8, 128}},
      {{8, 128}, {8, 128}},
      {{9, 100}, {16, 128}},
      {{600, 600}, {600, 640}},
      {{3, 5, 7}, {3, 8, 128}},
      {{2, 3, 17, 257}, {2, 3, 24, 384}},
      {{0, 5}, {0, 128}},
      {{5, 0}, {8, 0}},
  };
  for (const auto& row : table) EXPECT_EQ(PhysicalShape(row.logical).ToString(), row.physical.ToString());
}

TEST(PhysicalShapeTest, SmemIsNotPadded) {
  EXPECT_EQ(PhysicalShape({3, 5}, Padding::kNone).ToString(), "(3, 5)");
  EXPECT_EQ(PhysicalShape({1}, Padding::kNone).ToString(), "(1,)");
}

TEST(RowMajorStridesTest, TheLastDimensionIsDense) {
  EXPECT_EQ(RowMajorStrides({2, 3, 8, 128}).ToString(), "(3072, 1024, 128, 1)");
  EXPECT_EQ(RowMajorStrides({5}).ToString(), "(1,)");
  EXPECT_EQ(RowMajorStrides({}).ToString(), "()");
}

TEST(RowMajorStridesTest, NoStrideIsZero) { EXPECT_EQ(RowMajorStrides({4, 0, 128}).ToString(), "(128, 128, 1)"); }

TEST(PhysicalBytesTest, CountsElementsTimesSize) {
  EXPECT_EQ(*PhysicalBytes(DType::kFloat32, {8, 128}), 4096);
  EXPECT_EQ(*PhysicalBytes(DType::kBfloat16, {8, 128}), 2048);
  EXPECT_EQ(*PhysicalBytes(DType::kFloat64, {}), 8);
  EXPECT_EQ(*PhysicalBytes(DType::kInt8, {0, 128}), 0);
}

TEST(PhysicalBytesTest, OverflowIsRefused) {
  EXPECT_FALSE(PhysicalBytes(DType::kInt8, {kHuge, 2}).ok());
  EXPECT_FALSE(PhysicalBytes(DType::kFloat32, {kHuge / 2}).ok());
}

TEST(ValidateShapeTest, AcceptsUpToEightDimensionsAndEmptyOnes) {
  EXPECT_EQ(Refusal({}), "");
  EXPECT_EQ(Refusal({1, 2, 3, 4, 5, 6, 7, 8}), "");
  EXPECT_EQ(Refusal({0, 128}), "");
}

TEST(ValidateShapeTest, RefusesNineDimensions) {
  EXPECT_EQ(Refusal({1, 2, 3, 4, 5, 6, 7, 8, 9}),
            "operand x: shape (1, 2, 3, 4, 5, 6, 7, 8, ...) has more than 8 dimensions; at most 8 are supported");
}

TEST(ValidateShapeTest, RefusesNegativeSizes) {
  EXPECT_EQ(Refusal({4, -1}), "operand x: shape (4, -1) has size -1 in dimension 1; sizes must not be negative");
}

TEST(ValidateShapeTest, RefusesMoreElementsThanCanBeCounted) {
  const auto too_many = testing::HasSubstr("has more elements than can be counted in 64 bits");
  EXPECT_THAT(Refusal({kHuge}), too_many);
  EXPECT_THAT(Refusal({int64_t{1} << 40, int64_t{1} << 40}), too_many);
  EXPECT_THAT(Refusal({0, int64_t{1} << 40, int64_t{1} << 40}), too_many);  // its strides could not be counted
  EXPECT_EQ(Refusal({int64_t{1} << 40}), "");
}

}  // namespace
}  // namespace strandcore
