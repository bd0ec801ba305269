#include "runtime/check/region.h"

#include <gtest/gtest.h>

namespace strandcore {
namespace {

const Region kWide({2, 0}, {4, 10});

TEST(RegionTest, SaysWhereItBeginsAndEnds) {
  EXPECT_EQ(kWide.ToString(), "[2:6, 0:10]");
  EXPECT_EQ(kWide.size(0), 4);
  EXPECT_EQ(kWide.elements(), 40);
  EXPECT_EQ(Region().ToString(), "[]");
  EXPECT_EQ(Region().elements(), 1);
}

TEST(RegionTest, IsEmptyIfADimensionIs) {
  EXPECT_FALSE(kWide.empty());
  EXPECT_TRUE(Region({2, 3}, {4, 0}).empty());
  EXPECT_FALSE(Region().empty());
}

TEST(RegionTest, CopiesAreEqualAndEachNumberCounts) {
  const Region copy = kWide;
  EXPECT_EQ(copy, kWide);
  EXPECT_FALSE(Region({2, 0}, {4, 9}) == kWide);
  EXPECT_FALSE(Region({1, 0}, {5, 10}) == kWide);
  EXPECT_FALSE(Region({2}, {4}) == kWide);
}

TEST(RegionTest, ContainsItsPartsAndOverlapsNoNeighbour) {
  EXPECT_TRUE(kWide.Contains(kWide));
  EXPECT_TRUE(kWide.Contains(Region({3, 9}, {3, 1})));
  EXPECT_FALSE(kWide.Contains(Region({3, 9}, {4, 1})));
  EXPECT_TRUE(kWide.Overlaps(Region({5, 9}, {4, 4})));
  EXPECT_FALSE(kWide.Overlaps(Region({6, 0}, {4, 10})));
  EXPECT_FALSE(kWide.Overlaps(Region({0, 0}, {2, 10})));
}

TEST(RegionTest, AnIntersectionIsWhatBothHave) {
  EXPECT_EQ(kWide.Intersection(Region({5, -3}, {4, 8})), Region({5, 0}, {1, 5}));
  EXPECT_TRUE(kWide.Intersection(Region({6, 0}, {4, 10})).empty());
}

}  // namespace
}  // namespace strandcore
