#include "runtime/check/region_union.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Region Box(const Dims& starts, const Dims& sizes) { return Region(starts, sizes); }

TEST(RegionUnionTest, NothingIsNothing) { EXPECT_THAT(RegionUnion({}), IsEmpty()); }

TEST(RegionUnionTest, PartsThatMakeARectangleAreOne) {
  EXPECT_THAT(RegionUnion({Box({4, 0}, {4, 64}), Box({0, 64}, {8, 64}), Box({0, 0}, {4, 64})}),
              ElementsAre(Box({0, 0}, {8, 128})));
}

TEST(RegionUnionTest, AnLIsCutAlongTheFirstDimension) {
  EXPECT_THAT(RegionUnion({Box({0, 100}, {8, 28}), Box({4, 0}, {4, 100})}),
              ElementsAre(Box({0, 100}, {4, 28}), Box({4, 0}, {4, 128})));
}

TEST(RegionUnionTest, DoesNotDependOnHowTheSetWasCut) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    bool in[6][7];
    std::vector<Region> elements, rows;
    for (int64_t i = 0; i < 6; ++i) {
      for (int64_t j = 0; j < 7; ++j) {
        in[i][j] = random() % 3 != 0;
        if (!in[i][j]) continue;
        elements.push_back(Box({i, j}, {1, 1}));
        if (j > 0 && in[i][j - 1]) {
          ++rows.back().end[1];
        } else {
          rows.push_back(Box({i, j}, {1, 1}));
        }
      }
    }
    std::shuffle(elements.begin(), elements.end(), random);
    const std::vector<Region> all = RegionUnion(elements);
    EXPECT_EQ(all, RegionUnion(rows));
    EXPECT_LE(all.size(), rows.size());
    int64_t count = 0;
    for (const Region& region : all) {
      count += region.elements();
      for (int64_t i = region.start[0]; i < region.end[0]; ++i) {
        for (int64_t j = region.start[1]; j < region.end[1]; ++j) EXPECT_TRUE(in[i][j]);
      }
    }
    EXPECT_EQ(count, static_cast<int64_t>(elements.size()));
  }
}

TEST(RegionUnionTest, IsSaidInWords) {
  const Region whole = Box({0, 0}, {8, 128});
  EXPECT_EQ(PartsText({Box({4, 0}, {4, 128})}, whole), "rows 4–7");
  EXPECT_EQ(PartsText({Box({0, 5}, {8, 1}), Box({0, 7}, {8, 1})}, whole), "column 5; column 7");
  EXPECT_EQ(PartsText({whole}, whole), "rows 0–7, columns 0–127");
  EXPECT_EQ(PartsText({Box({0, 0}, {1, 1}), Box({2, 2}, {1, 1}), Box({4, 4}, {1, 2}), Box({6, 6}, {1, 1})}, whole),
            "row 0, column 0; row 2, column 2; row 4, columns 4–5; and 1 more");
  EXPECT_EQ(PartsText({Box({1}, {2})}, Box({0}, {4})), "elements 1–2");
  EXPECT_EQ(PartsText({Box({1, 0, 0}, {1, 8, 128})}, Box({0, 0, 0}, {2, 8, 128})), "index 1");
  EXPECT_EQ(PartsText({Region()}, Region()), "its one element");
  EXPECT_EQ(PartText(Box({0, 3}, {8, 1})), "rows 0–7, column 3");
}

}  // namespace
}  // namespace strandcore
