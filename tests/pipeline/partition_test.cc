// Which part of a grid a core takes (seed_pipeline.md 1.12).
#include "runtime/pipeline/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/refusal.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

// From "PA": parallel, arbitrary; from "none": not given.
Semantics FromLetters(const std::string& letters) {
  if (letters == "none") return {};
  std::vector<DimensionSemantics> semantics;
  for (char letter : letters) semantics.push_back(letter == 'P' ? kParallel : kArbitrary);
  return Semantics(std::move(semantics));
}

// "(3, 5) at (0, 0)" for each core, or the refusal.
std::vector<std::string> Parts(const Grid& grid, const std::string& letters, int64_t cores) {
  std::vector<std::string> parts;
  for (int64_t core = 0; core < cores; ++core) {
    absl::StatusOr<GridPart> part = PartitionGrid(grid, core, cores, FromLetters(letters));
    if (!part.ok()) return {std::string(part.status().message())};
    parts.push_back(part->sizes.ToString() + " at " + part->offsets.ToString());
  }
  return parts;
}

TEST(PartitionTest, ADimensionThatTheCoresDivideIsSplitEvenly) {
  EXPECT_THAT(Parts({4, 4}, "AP", 2), ElementsAre("(4, 2) at (0, 0)", "(4, 2) at (0, 2)"));
  EXPECT_THAT(Parts({8}, "P", 4), ElementsAre("(2,) at (0,)", "(2,) at (2,)", "(2,) at (4,)", "(2,) at (6,)"));
}

TEST(PartitionTest, OfSeveralThatDivideTheFirstIsTaken) {
  EXPECT_THAT(Parts({2, 8}, "PP", 2), ElementsAre("(1, 8) at (0, 0)", "(1, 8) at (1, 0)"));
  EXPECT_THAT(Parts({3, 2, 2}, "PPA", 2), ElementsAre("(3, 1, 2) at (0, 0, 0)", "(3, 1, 2) at (0, 1, 0)"));
  EXPECT_THAT(Parts({3, 4}, "PP", 2), ElementsAre("(3, 2) at (0, 0)", "(3, 2) at (0, 2)"));
}

TEST(PartitionTest, WithoutOneTheFirstCoresGetOneMore) {
  EXPECT_THAT(Parts({5, 5}, "PP", 2), ElementsAre("(3, 5) at (0, 0)", "(2, 5) at (3, 0)"));
  EXPECT_THAT(Parts({7, 5}, "PP", 4),
              ElementsAre("(2, 5) at (0, 0)", "(2, 5) at (2, 0)", "(2, 5) at (4, 0)", "(1, 5) at (6, 0)"));
  EXPECT_THAT(Parts({3, 3, 2}, "PPA", 2), ElementsAre("(2, 3, 2) at (0, 0, 0)", "(1, 3, 2) at (2, 0, 0)"));
}

TEST(PartitionTest, WithoutOneTheLargestParallelDimensionIsSplit) {
  EXPECT_THAT(Parts({3, 5}, "PP", 2), ElementsAre("(3, 3) at (0, 0)", "(3, 2) at (0, 3)"));
  EXPECT_THAT(Parts({9, 5, 3}, "APP", 2), ElementsAre("(9, 3, 3) at (0, 0, 0)", "(9, 2, 3) at (0, 3, 0)"));
}

TEST(PartitionTest, MoreCoresThanStepsLeaveTheLastCoresNone) {
  EXPECT_THAT(Parts({3}, "P", 4), ElementsAre("(1,) at (0,)", "(1,) at (1,)", "(1,) at (2,)", "(0,) at (3,)"));
  EXPECT_THAT(Parts({1}, "P", 2), ElementsAre("(1,) at (0,)", "(0,) at (1,)"));
}

TEST(PartitionTest, AnUnevenSplitMayHitAnArbitraryDimensionOfEqualSize) {  // quirk Q4
  EXPECT_THAT(Parts({5, 5}, "AP", 2), ElementsAre("(3, 5) at (0, 0)", "(2, 5) at (3, 0)"));
}

TEST(PartitionTest, DynamicDimensionsAreNeverSplit) {
  EXPECT_THAT(Parts({Dynamic(5), 5}, "PP", 2), ElementsAre("(5, 3) at (0, 0)", "(5, 2) at (0, 3)"));
  EXPECT_THAT(Parts({Dynamic(8), 5}, "PP", 2), ElementsAre("(8, 3) at (0, 0)", "(8, 2) at (0, 3)"));
  EXPECT_THAT(Parts({Dynamic(0), 4}, "AP", 2), ElementsAre("(0, 2) at (0, 0)", "(0, 2) at (0, 2)"));
}

TEST(PartitionTest, OneCoreTakesAllWhateverTheSemanticsSay) {
  EXPECT_THAT(Parts({5, Dynamic(3)}, "A", 1), ElementsAre("(5, 3) at (0, 0)"));
  EXPECT_THAT(Parts({}, "none", 1), ElementsAre("() at ()"));
}

TEST(PartitionTest, EveryPointIsTakenOnce) {
  for (int64_t size = 1; size <= 12; ++size) {
    for (int64_t cores = 2; cores <= 9; ++cores) {
      int64_t next = 0;
      for (int64_t core = 0; core < cores; ++core) {
        const GridPart part = *PartitionGrid({size}, core, cores, {kParallel});
        EXPECT_EQ(part.offsets[0], next);
        next += part.sizes[0];
      }
      EXPECT_EQ(next, size);
    }
  }
}

absl::Status Refused(const Grid& grid, const std::string& letters) {
  return PartitionGrid(grid, 0, 2, FromLetters(letters)).status();
}

TEST(PartitionTest, WithoutAParallelDimensionIsRefused) {
  for (const absl::Status& status : {Refused({4, 4}, "AA"), Refused({4, 4}, "none"), Refused({}, "")}) {
    EXPECT_EQ(RefusalKindOf(status), RefusalKind::kNoParallelDimension);
    EXPECT_EQ(status.message(),
              "dimension_semantics: to split the grid over 2 cores a parallel dimension is expected, "
              "given none");
  }
}

TEST(PartitionTest, WithOnlyDynamicParallelDimensionsIsRefused) {
  for (const absl::Status& status :
       {Refused({Dynamic(4), Dynamic(4)}, "PP"), Refused({Dynamic(4), 4}, "PA"), Refused({Dynamic(4)}, "P")}) {
    EXPECT_EQ(RefusalKindOf(status), RefusalKind::kOnlyDynamicParallelDimensions);
    EXPECT_EQ(status.message(),
              "dimension_semantics: to split the grid over 2 cores a static parallel dimension is "
              "expected, all parallel ones are dynamic");
  }
}

TEST(PartitionTest, SemanticsOfAnotherRankAreRefused) {
  const absl::Status status = Refused({4, 4}, "P");
  EXPECT_EQ(RefusalKindOf(status), RefusalKind::kSemanticsRankMismatch);
  EXPECT_EQ(status.message(), "dimension_semantics: expected 2 entries, one for each dimension of the grid, given 1");
  EXPECT_EQ(RefusalKindOf(Refused({4, 4}, "PPP")), RefusalKind::kSemanticsRankMismatch);
  EXPECT_EQ(RefusalKindOf(Refused({4, 4}, "")), RefusalKind::kSemanticsRankMismatch);
}

}  // namespace
}  // namespace strandcore::testing
