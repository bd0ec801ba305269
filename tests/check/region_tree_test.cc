#include "runtime/check/region_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Tree = RegionTree<int>;

// "[0:8] 3" for each leaf visited, and sets it to `state`.
std::vector<std::string> Mark(Tree& tree, const Region& region, int state) {
  std::vector<std::string> visited;
  tree.ForEach(region, [&](int& each, const Region& leaf) {
    visited.push_back(leaf.ToString() + " " + std::to_string(each));
    each = state;
  });
  return visited;
}

std::vector<std::string> Overlap(const Tree& tree, const Region& region) {
  std::vector<std::string> visited;
  tree.ForEachOverlap(region, [&](const int& each, const Region& both) {
    visited.push_back(both.ToString() + " " + std::to_string(each));
  });
  return visited;
}

std::vector<Region> Lattice(const Dims& shape, const Dims& block) {
  std::vector<Region> blocks;
  for (int64_t i = 0; i < shape[0]; i += block[0]) {
    for (int64_t j = 0; j < shape[1]; j += block[1]) {
      blocks.push_back(Region({i, j}, {std::min(block[0], shape[0] - i), std::min(block[1], shape[1] - j)}));
    }
  }
  return blocks;
}

TEST(RegionTreeTest, ABoxIsOneLeafAtFirst) {
  Tree tree({8, 128}, 5);
  EXPECT_EQ(tree.LeafCount(), 1);
  EXPECT_THAT(Mark(tree, Region({0, 0}, {8, 128}), 6), ElementsAre("[0:8, 0:128] 5"));
  EXPECT_EQ(tree.LeafCount(), 1);
}

TEST(RegionTreeTest, ARegionBecomesALeafAndTheRestKeepsItsState) {
  Tree tree({4, 8}, 0);
  EXPECT_THAT(Mark(tree, Region({0, 0}, {2, 8}), 1), ElementsAre("[0:2, 0:8] 0"));
  EXPECT_THAT(Mark(tree, Region({0, 0}, {4, 8}), 2), ElementsAre("[0:2, 0:8] 1", "[2:4, 0:8] 0"));
  EXPECT_THAT(Mark(tree, Region({1, 0}, {2, 4}), 3), UnorderedElementsAre("[1:2, 0:4] 2", "[2:3, 0:4] 2"));
}

TEST(RegionTreeTest, RankZeroIsOneElement) {
  Tree tree(Dims(), 1);
  EXPECT_THAT(Mark(tree, Region(), 2), ElementsAre("[] 1"));
  EXPECT_THAT(Overlap(tree, Region()), ElementsAre("[] 2"));
  EXPECT_EQ(tree.LeafCount(), 1);
}

TEST(RegionTreeTest, AnEmptyBoxHasNoLeaf) {
  Tree tree({0, 128}, 1);
  EXPECT_EQ(tree.LeafCount(), 0);
  EXPECT_THAT(Mark(tree, Region({0, 0}, {0, 128}), 2), IsEmpty());
  EXPECT_THAT(Mark(tree, Region({0, 0}, {8, 128}), 2), IsEmpty());
}

TEST(RegionTreeTest, AnEmptyRegionVisitsNothing) {
  Tree tree({8, 8}, 1);
  EXPECT_THAT(Mark(tree, Region({2, 2}, {0, 4}), 2), IsEmpty());
  EXPECT_THAT(Overlap(tree, Region({2, 2}, {4, 0})), IsEmpty());
  EXPECT_EQ(tree.LeafCount(), 1);
}

TEST(RegionTreeTest, ARegionIsClippedToTheBox) {
  Tree tree({8, 8}, 1);
  EXPECT_THAT(Mark(tree, Region({-4, 4}, {20, 8}), 2), ElementsAre("[0:8, 4:8] 1"));
  EXPECT_THAT(Overlap(tree, Region({6, -2}, {100, 100})), ElementsAre("[6:8, 0:4] 1", "[6:8, 4:8] 2"));
  EXPECT_THAT(Mark(tree, Region({8, 0}, {8, 8}), 3), IsEmpty());
  EXPECT_THAT(Mark(tree, Region({-8, 0}, {8, 8}), 3), IsEmpty());
}

TEST(RegionTreeTest, LookingAtAnOverlapCutsNothing) {
  Tree tree({64}, 1);
  Mark(tree, Region({16}, {16}), 2);
  const int32_t leaves = tree.LeafCount();
  EXPECT_THAT(Overlap(tree, Region({20}, {24})), ElementsAre("[20:32] 2", "[32:44] 1"));
  EXPECT_THAT(Overlap(tree, Region({16}, {16})), ElementsAre("[16:32] 2"));
  EXPECT_EQ(tree.LeafCount(), leaves);
}

TEST(RegionTreeTest, ResetGivesOneLeafAgain) {
  Tree tree({64, 64}, 1);
  for (const Region& block : Lattice({64, 64}, {4, 4})) Mark(tree, block, 2);
  tree.Reset(7);
  EXPECT_EQ(tree.LeafCount(), 1);
  EXPECT_THAT(Overlap(tree, Region({4, 4}, {4, 4})), ElementsAre("[4:8, 4:8] 7"));
  EXPECT_THAT(Mark(tree, Region({0, 0}, {64, 64}), 8), ElementsAre("[0:64, 0:64] 7"));
}

TEST(RegionTreeTest, ExtentsMayBeAsLargeAsMemoryCanBe) {
  const int64_t large = int64_t{1} << 61;
  Tree tree({large}, 1);
  EXPECT_THAT(Mark(tree, Region({large - 1}, {1}), 2), ElementsAre("[2305843009213693951:2305843009213693952] 1"));
  EXPECT_THAT(Mark(tree, Region({0}, {1}), 3), ElementsAre("[0:1] 1"));
  EXPECT_LE(tree.partition().Depth(), 123);
}

// What it costs, in nodes passed and cuts made, which do not depend on the machine.

TEST(RegionTreeCostTest, ABlockThatIsALeafIsFoundWithoutTheTree) {
  Tree tree({1024, 1024}, 0);
  const std::vector<Region> blocks = Lattice({1024, 1024}, {8, 128});
  for (const Region& block : blocks) Mark(tree, block, 1);
  const int64_t steps = tree.partition().steps();
  for (int round = 0; round < 3; ++round) {
    for (const Region& block : blocks) EXPECT_EQ(Mark(tree, block, 2).size(), 1u);
  }
  EXPECT_EQ(tree.partition().steps(), steps);
}

void ExpectBalanced(const std::vector<Region>& blocks, const Dims& shape, const std::string& order) {
  Tree tree(shape, 0);
  for (const Region& block : blocks) EXPECT_EQ(Mark(tree, block, 1).size(), 1u) << order << block.ToString();
  const int64_t count = static_cast<int64_t>(blocks.size());
  int log = 0;
  while ((int64_t{1} << log) < count) ++log;
  EXPECT_EQ(tree.LeafCount(), count) << order;
  EXPECT_LE(tree.partition().Depth(), log + 2) << order;
  EXPECT_LE(tree.partition().steps(), 3 * count * (log + 1)) << order;
}

TEST(RegionTreeCostTest, ALatticeMakesABalancedTreeInWhateverOrder) {
  const std::pair<Dims, Dims> cases[] = {
      {{2048, 8192}, {32, 128}}, {{32768, 128}, {8, 128}}, {{8, 131072}, {8, 128}}, {{2400, 1536}, {24, 128}}};
  std::mt19937_64 random(1);
  for (const auto& [shape, block] : cases) {
    std::vector<Region> blocks = Lattice(shape, block);
    ExpectBalanced(blocks, shape, "in order ");
    std::reverse(blocks.begin(), blocks.end());
    ExpectBalanced(blocks, shape, "backwards ");
    std::sort(blocks.begin(), blocks.end(), [](const Region& a, const Region& b) {
      return std::pair(a.start[1], a.start[0]) < std::pair(b.start[1], b.start[0]);
    });
    ExpectBalanced(blocks, shape, "by column ");
    std::shuffle(blocks.begin(), blocks.end(), random);
    ExpectBalanced(blocks, shape, "shuffled ");
  }
}

TEST(RegionTreeCostTest, LastBlocksThatAreCutOffDoNotSpoilTheLattice) {
  const Dims shape = {1000, 1000};
  std::vector<Region> blocks = Lattice(shape, {32, 128});
  ExpectBalanced(blocks, shape, "in order ");
  std::reverse(blocks.begin(), blocks.end());
  ExpectBalanced(blocks, shape, "backwards ");
}

TEST(RegionTreeCostTest, ARegionOfManyLeavesCostsAsMuchAsThereAre) {
  Tree tree({2048, 2048}, 0);
  for (const Region& block : Lattice({2048, 2048}, {8, 128})) Mark(tree, block, 1);
  const int depth = tree.partition().Depth();
  for (const int64_t rows : {8, 64, 512, 2048}) {
    const int64_t before = tree.partition().steps();
    const int64_t covered = rows / 8 * 16;
    EXPECT_EQ(static_cast<int64_t>(Mark(tree, Region({0, 0}, {rows, 2048}), 2).size()), covered);
    EXPECT_LE(tree.partition().steps() - before, 3 * covered + depth);
  }
}

}  // namespace
}  // namespace strandcore
