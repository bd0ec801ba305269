// The walk through a grid (seed_pipeline.md 1.1, 1.5).
#include "runtime/pipeline/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

// "(0, 1) after (0, 0) before (1, 0)" for each step.
std::vector<std::string> Walk(const Dims& sizes, const Dims& offsets) {
  std::vector<std::string> lines;
  GridWalk walk(sizes, offsets);
  for (int64_t left = walk.steps(); left > 0; --left) {
    lines.push_back(walk.point().ToString() + " after " + walk.previous().ToString() + " before " +
                    walk.next().ToString());
    EXPECT_EQ(walk.first(), left == walk.steps());
    EXPECT_EQ(walk.last(), left == 1);
    walk.Advance();
  }
  return lines;
}

TEST(GridWalkTest, GoesRowMajorAndAroundTheEnds) {
  EXPECT_THAT(Walk({2, 2}, {0, 0}),
              ElementsAre("(0, 0) after (1, 1) before (0, 1)", "(0, 1) after (0, 0) before (1, 0)",
                          "(1, 0) after (0, 1) before (1, 1)", "(1, 1) after (1, 0) before (0, 0)"));
}

TEST(GridWalkTest, AddsTheOffsets) {
  EXPECT_THAT(Walk({2, 1}, {3, 5}),
              ElementsAre("(3, 5) after (4, 5) before (4, 5)", "(4, 5) after (3, 5) before (3, 5)"));
}

TEST(GridWalkTest, OneStepIsItsOwnNeighbour) {
  EXPECT_THAT(Walk({1, 1}, {0, 7}), ElementsAre("(0, 7) after (0, 7) before (0, 7)"));
}

TEST(GridWalkTest, AnEmptyGridIsOneStep) { EXPECT_THAT(Walk({}, {}), ElementsAre("() after () before ()")); }

TEST(GridWalkTest, ASizeOf0OrLessMeansNoSteps) {
  EXPECT_EQ(GridWalk({3, 0}, {0, 0}).steps(), 0);
  EXPECT_EQ(GridWalk({-2, 3}, {0, 0}).steps(), 0);
  EXPECT_EQ(GridWalk({-2, -3}, {0, 0}).steps(), 0);
  EXPECT_EQ(GridWalk({-2, -3, 5}, {0, 0, 0}).steps(), 0);
}

TEST(GridWalkTest, CountsBeyond32Bits) {
  constexpr int64_t kMillion = 1'000'000;
  GridWalk walk({kMillion, kMillion}, {0, 5'000'000'000});
  EXPECT_EQ(walk.steps(), kMillion * kMillion);
  EXPECT_EQ(walk.previous(), (Dims{kMillion - 1, 5'000'000'000 + kMillion - 1}));
  for (int64_t i = 0; i < kMillion; ++i) walk.Advance();
  EXPECT_EQ(walk.point(), (Dims{1, 5'000'000'000}));
  EXPECT_EQ(walk.previous(), (Dims{0, 5'000'000'000 + kMillion - 1}));
  EXPECT_FALSE(walk.last());
}

TEST(GridWalkTest, EightDimensionsAreWalkedLastFastest) {
  GridWalk walk(Dims::Filled(8, 2), Dims::Filled(8, 0));
  EXPECT_EQ(walk.steps(), 256);
  for (int i = 0; i < 255; ++i) walk.Advance();
  EXPECT_EQ(walk.point(), Dims::Filled(8, 1));
  EXPECT_EQ(walk.next(), Dims::Filled(8, 0));
  EXPECT_EQ(walk.previous(), (Dims{1, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(GridTest, StaticSizesMustBePositive) {
  EXPECT_TRUE(ValidateGrid({}).ok());
  EXPECT_TRUE(ValidateGrid({1, 5}).ok());
  EXPECT_TRUE(ValidateGrid({5, Dynamic(0), Dynamic(-1)}).ok());
  EXPECT_EQ(ValidateGrid({0, 2}).message(), "grid: expected a positive size in dimension 0, given 0");
  EXPECT_EQ(ValidateGrid({2, -1}).message(), "grid: expected a positive size in dimension 1, given -1");
}

TEST(GridTest, HasNoMoreStepsThanCanBeCounted) {
  constexpr int64_t kTwo31 = int64_t{1} << 31;
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(ValidateGrid({kTwo31, kTwo31}).ok());
  EXPECT_EQ(ValidateGrid({kTwo31, kTwo31, 2}).message(),
            "grid: expected at most 4611686018427387904 steps, given (2147483648, 2147483648, 2)");
  EXPECT_FALSE(ValidateGrid({kLargest}).ok());
  EXPECT_FALSE(ValidateGrid({kLargest, kLargest, kLargest}).ok());
  EXPECT_FALSE(ValidateGrid({kTwo31, Dynamic(kTwo31), Dynamic(2)}).ok());
  EXPECT_FALSE(ValidateGrid({Dynamic(kLargest)}).ok());
  EXPECT_TRUE(ValidateGrid({kTwo31, Dynamic(kTwo31), Dynamic(2), Dynamic(0)}).ok()) << "it has none";
  EXPECT_FALSE(ValidateGrid({kTwo31, kTwo31, 2, Dynamic(-1)}).ok()) << "static sizes are refused by themselves";
}

TEST(GridTest, HasAtMostEightDimensions) {
  EXPECT_TRUE(ValidateGrid(Grid(8, GridDim(1))).ok());
  EXPECT_EQ(ValidateGrid(Grid(9, GridDim(1))).message(), "grid: expected at most 8 dimensions, given 9");
}

}  // namespace
}  // namespace strandcore::testing
