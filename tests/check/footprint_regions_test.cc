#include "runtime/check/footprint_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/memory/support.h"

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::vector<std::string> RegionsOf(const Ref& ref) {
  std::vector<std::string> regions;
  ForEachRegion(ref, [&](const Region& region) { regions.push_back(region.ToString()); });
  return regions;
}

TEST(FootprintRegionsTest, AnAllocationIsItsLogicalShapeNotThePadding) {
  const auto x = MakeX(DType::kFloat32, {12, 20});
  EXPECT_THAT(RegionsOf(Ref(x.get())), ElementsAre("[0:12, 0:20]"));
}

TEST(FootprintRegionsTest, PlainViewsAreOneRegion) {
  const auto x = MakeX(DType::kFloat32, {3, 16, 256});
  const Ref all(x.get());
  EXPECT_THAT(RegionsOf(all.At(1)), ElementsAre("[1:2, 0:16, 0:256]"));
  EXPECT_THAT(RegionsOf(all.At(All(), 5, Ds(128, 128))), ElementsAre("[0:3, 5:6, 128:256]"));
  EXPECT_THAT(RegionsOf(all.At(2, Ds(8, 4), 7)), ElementsAre("[2:3, 8:12, 7:8]"));
  EXPECT_THAT(RegionsOf(all.Transpose({2, 0, 1}).At(Ds(3, 2), 1)), ElementsAre("[1:2, 0:16, 3:5]"));
  EXPECT_THAT(RegionsOf(all.At(1).Reshape({1, 16, 1, 256})), ElementsAre("[1:2, 0:16, 0:256]"));
}

TEST(FootprintRegionsTest, AScalarIsOneElement) {
  const auto x = MakeX(DType::kInt32, {}, MemorySpace::kSmem);
  EXPECT_THAT(RegionsOf(Ref(x.get())), ElementsAre("[]"));
  EXPECT_THAT(RegionsOf(Ref(x.get()).Reshape({1, 1})), ElementsAre("[]"));
  EXPECT_THAT(RegionsOf(Ref(x.get()).Reshape({1}).At(Ds(0, 0))), IsEmpty());
}

TEST(FootprintRegionsTest, AnEmptyViewHasNone) {
  const auto x = MakeX(DType::kFloat32, {16, 256});
  EXPECT_THAT(RegionsOf(Ref(x.get()).At(Ds(16, 0))), IsEmpty());
  EXPECT_THAT(RegionsOf(Ref(x.get()).At(Ds(0, 4, 2), Ds(3, 0))), IsEmpty());
  EXPECT_THAT(RegionsOf(Ref(x.get()).At(Ds(4, 0)).Reshape({0, 7})), IsEmpty());
}

TEST(FootprintRegionsTest, AStrideGivesARegionForEachIndexAndLeavesTheOtherDimensionsWhole) {
  const auto x = MakeX(DType::kFloat32, {16, 256});
  const Ref all(x.get());
  EXPECT_THAT(RegionsOf(all.At(Ds(1, 3, 4))), ElementsAre("[1:2, 0:256]", "[5:6, 0:256]", "[9:10, 0:256]"));
  EXPECT_THAT(RegionsOf(all.At(All(), Ds(0, 2, 128))), ElementsAre("[0:16, 0:1]", "[0:16, 128:129]"));
  EXPECT_THAT(RegionsOf(all.At(Ds(0, 2, 8), Ds(3, 2, 5))),
              UnorderedElementsAre("[0:1, 3:4]", "[0:1, 8:9]", "[8:9, 3:4]", "[8:9, 8:9]"));
  // Of one element, the stride means nothing.
  EXPECT_THAT(RegionsOf(all.At(Ds(2, 1, 9))), ElementsAre("[2:3, 0:256]"));
}

TEST(FootprintRegionsTest, AReshapedViewIsSeenAlongTheAllocation) {
  const auto x = MakeX(DType::kFloat32, {16, 256});
  const Ref all(x.get());
  EXPECT_THAT(RegionsOf(all.Reshape({4096})), ElementsAre("[0:16, 0:256]"));
  EXPECT_THAT(RegionsOf(all.Reshape({2, 8, 256}).At(1)), ElementsAre("[8:16, 0:256]"));
  EXPECT_THAT(RegionsOf(all.Reshape({16, 2, 128}).At(All(), 1)), ElementsAre("[0:16, 128:256]"));
  EXPECT_THAT(RegionsOf(all.At(All(), Ds(0, 64)).Reshape({4, 4, 8, 8}).At(Ds(1, 2))), ElementsAre("[4:12, 0:64]"));
  EXPECT_THAT(RegionsOf(all.Reshape({8, 512}).At(Ds(0, 2, 4))), ElementsAre("[0:2, 0:256]", "[8:10, 0:256]"));
}

TEST(FootprintRegionsTest, ARunOfElementsIsAsFewRegionsAsItTakes) {
  const auto x = MakeX(DType::kFloat32, {16, 256});
  const Ref flat = Ref(x.get()).Reshape({4096});
  EXPECT_THAT(RegionsOf(flat.At(Ds(300, 100))), ElementsAre("[1:2, 44:144]"));
  EXPECT_THAT(RegionsOf(flat.At(Ds(200, 100))), ElementsAre("[0:1, 200:256]", "[1:2, 0:44]"));
  EXPECT_THAT(RegionsOf(flat.At(Ds(200, 1000))), ElementsAre("[0:1, 200:256]", "[1:4, 0:256]", "[4:5, 0:176]"));
  EXPECT_THAT(RegionsOf(flat.At(Ds(1, 2, 300))), ElementsAre("[0:1, 1:2]", "[1:2, 45:46]"));
}

TEST(FootprintRegionsTest, ABlockThatRunsPastTheEndIsCutOffThere) {
  const auto x = MakeX(DType::kFloat32, {12, 200});
  const Ref all(x.get());
  EXPECT_THAT(RegionsOf(all.UncheckedWindow({8, 128}, {8, 128}, true)), ElementsAre("[8:16, 128:256]"));
  EXPECT_THAT(RegionsOf(all.UncheckedWindow({8, 128}, {32, 512}, true)), ElementsAre("[8:16, 128:256]"));
  EXPECT_THAT(RegionsOf(all.UncheckedWindow({16, 0}, {8, 128}, true)), IsEmpty());
  EXPECT_THAT(RegionsOf(all.UncheckedWindow({16, 0}, {1, 1}, true).Squeeze(3)), IsEmpty());
  EXPECT_THAT(RegionsOf(all.At(Ds(0, 6, 2)).UncheckedWindow({4, 0}, {8, 128}, true)), SizeIs(4));
}

// It also ends where the padding begins.
TEST(FootprintRegionsTest, ASliceThatMayReachOutsideIsCutOffAtTheShape) {
  const auto x = MakeX(DType::kFloat32, {12, 200});
  RecordingPort port;
  port.out_of_range_reads = OutOfRangeReads::kUninitialised;
  const Ref all(x.get(), &port);
  EXPECT_THAT(RegionsOf(all.At(Ds(8, 8))), ElementsAre("[8:12, 0:200]"));
  EXPECT_THAT(RegionsOf(all.At(Ds(12, 8))), IsEmpty());
  EXPECT_THAT(RegionsOf(all.At(Ds(9, 3, 2))), ElementsAre("[9:10, 0:200]", "[11:12, 0:200]"));
}

}  // namespace
}  // namespace strandcore
