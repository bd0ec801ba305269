#include "runtime/memory/footprint.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/memory/support.h"

namespace strandcore {
namespace {

// x of shape (12, 200) in (16, 256).
class FootprintTest : public testing::Test {
 protected:
  const std::unique_ptr<Allocation> allocation_ = MakeX(DType::kInt32, {12, 200});
  const Ref x_ = Ref(allocation_.get());
};

TEST_F(FootprintTest, OfPlainViewsIsTheirShape) {
  const Ref view = x_.At(Ds(3, 4), Ds(70, 9));
  EXPECT_EQ(BaseStarts(view).ToString(), "(3, 70)");
  EXPECT_EQ(BaseDimensions(view).ToString(), "(0, 1)");
  EXPECT_EQ(PhysicalExtent(view), view.shape());
  EXPECT_EQ(LogicalExtent(view), view.shape());
}

TEST_F(FootprintTest, KnowsTheDimensionsOfSqueezedAndTransposedViews) {
  EXPECT_EQ(BaseDimensions(x_.At(3)).ToString(), "(1,)");
  EXPECT_EQ(BaseStarts(x_.At(3)).ToString(), "(3, 0)");
  EXPECT_EQ(BaseDimensions(x_.At(All(), 3)).ToString(), "(0,)");
  EXPECT_EQ(BaseDimensions(x_.Transpose({1, 0})).ToString(), "(1, 0)");
  EXPECT_EQ(BaseDimensions(x_.At(Ds(1, 2, 5), Ds(0, 2, 100))).ToString(), "(0, 1)");
  EXPECT_EQ(BaseDimensions(x_.At(All(), Ds(5, 1, 100))).ToString(), "(0, 1)");
}

TEST_F(FootprintTest, ReshapedViewsHaveNoDimensionsOfTheirAllocation) {
  EXPECT_EQ(BaseDimensions(x_.Reshape({2, 6, 200})).ToString(), "(-1, -1, -1)");
  EXPECT_EQ(BaseDimensions(x_.Reshape({12, 1, 200})).ToString(), "(0, -1, 1)");
}

TEST_F(FootprintTest, DimensionsOfEqualStridesAreToldApart) {
  const auto cube = MakeX(DType::kInt32, {3, 1, 8, 128});
  EXPECT_EQ(BaseDimensions(Ref(cube.get())).ToString(), "(0, 1, 2, 3)");
  EXPECT_EQ(BaseDimensions(Ref(cube.get()).At(All(), 0)).ToString(), "(0, 2, 3)");
  EXPECT_EQ(BaseDimensions(Ref(cube.get()).At(0)).ToString(), "(1, 2, 3)");
  const Ref beyond = Ref(cube.get()).UncheckedWindow({0, 1, 0, 0}, {1, 1, 8, 128}, true);
  EXPECT_EQ(beyond.outside_dim(), 1);
}

TEST_F(FootprintTest, ABlockRoundedUpToTheTileLiesWithinThePhysicalShape) {
  const Ref window = x_.UncheckedWindow({8, 128}, {8, 128}, true);
  EXPECT_TRUE(window.overruns());
  EXPECT_EQ(BaseStarts(window).ToString(), "(8, 128)");
  EXPECT_EQ(PhysicalExtent(window).ToString(), "(8, 128)");
  EXPECT_EQ(LogicalExtent(window).ToString(), "(4, 72)");
  EXPECT_EQ(window.bytes(), 8 * 128 * 4);
}

TEST_F(FootprintTest, ABlockThatRunsPastTheEndIsClipped) {
  const Ref window = x_.UncheckedWindow({8, 192}, {16, 128}, true);
  EXPECT_EQ(PhysicalExtent(window).ToString(), "(8, 64)");
  EXPECT_EQ(LogicalExtent(window).ToString(), "(4, 8)");
  EXPECT_EQ(window.bytes(), 16 * 128 * 4);
}

TEST_F(FootprintTest, ABlockPastTheEndLiesOutside) {
  const Ref rows = x_.UncheckedWindow({16, 0}, {8, 128}, true);
  EXPECT_TRUE(rows.outside());
  EXPECT_EQ(BaseStarts(rows).ToString(), "(16, 0)");
  EXPECT_EQ(PhysicalExtent(rows).ToString(), "(0, 0)");
  const Ref columns = x_.UncheckedWindow({8, 256}, {8, 128}, true);  // not column 0 of the next row
  EXPECT_TRUE(columns.outside());
  EXPECT_EQ(columns.outside_dim(), 1);
  EXPECT_EQ(BaseStarts(columns).ToString(), "(8, 256)");
  EXPECT_EQ(PhysicalExtent(columns).ToString(), "(0, 0)");
  EXPECT_TRUE(x_.UncheckedWindow({-8, 0}, {8, 128}, true).outside());
}

TEST_F(FootprintTest, ABlockInThePaddingIsPhysicalNotLogical) {
  const auto small = MakeX(DType::kInt32, {3, 20});
  const Ref window = Ref(small.get()).UncheckedWindow({4, 0}, {4, 128}, true);
  EXPECT_EQ(PhysicalExtent(window).ToString(), "(4, 128)");
  EXPECT_EQ(LogicalExtent(window).ToString(), "(0, 0)");
}

TEST_F(FootprintTest, ViewsOfAnOverrunningViewAreClippedToo) {
  const Ref window = x_.UncheckedWindow({8, 128}, {16, 256}, true);  // rows 8-15, columns 128-255 exist
  EXPECT_EQ(PhysicalExtent(window.At(Ds(4, 12), Ds(100, 100))).ToString(), "(4, 28)");
  EXPECT_EQ(PhysicalExtent(window.At(Ds(0, 8, 2), Ds(1, 100, 2))).ToString(), "(4, 64)");
  EXPECT_TRUE(window.At(8).outside());
  EXPECT_TRUE(window.At(All(), Ds(128, 4)).outside());
  EXPECT_TRUE(window.UncheckedWindow({8, 0}, {8, 128}, false).outside());
  EXPECT_EQ(PhysicalExtent(window.At(7)).ToString(), "(128,)");
  EXPECT_EQ(PhysicalExtent(window.Transpose({1, 0})).ToString(), "(128, 8)");
}

TEST_F(FootprintTest, OfAdoptedMemoryEndsWithTheArray) {
  int32_t host[12 * 200] = {};
  const auto dense = Allocation::Borrow({.name = "x", .dtype = DType::kInt32, .shape = {12, 200}}, {12, 200}, host);
  ASSERT_TRUE(dense.ok());
  const Ref window = Ref(dense->get()).UncheckedWindow({8, 128}, {8, 128}, true);
  EXPECT_EQ(PhysicalExtent(window).ToString(), "(4, 72)");
}

TEST_F(FootprintTest, AWindowOfAViewCountsFromTheView) {
  const Ref part = x_.At(Ds(3, 9), Ds(100, 100));
  const Ref window = part.UncheckedWindow({8, 0}, {8, 128}, true);
  EXPECT_EQ(BaseStarts(window).ToString(), "(11, 100)");
  EXPECT_EQ(PhysicalExtent(window).ToString(), "(5, 128)");
  EXPECT_TRUE(part.UncheckedWindow({0, 156}, {8, 128}, true).outside());
}

TEST_F(FootprintTest, AReshapedViewCannotBeOverrun) {
  EXPECT_EQ(StopOf([&] {
              x_.Reshape({2, 6, 200}).UncheckedWindow({0, 0, 0}, {2, 8, 256}, true);
            }),
            "operand x: a reshaped view cannot be cut into blocks that run past its end");
  EXPECT_EQ(StopOf([&] {
              x_.UncheckedWindow({8, 0}, {16, 128}, true).Reshape({2, 8, 128});
            }),
            "operand x: cannot reshape a block that may run past the end of its memory");
}

TEST_F(FootprintTest, AnAddedDimensionHasOneElement) {
  const Ref view = x_.Reshape({12, 1, 200});
  EXPECT_EQ(PhysicalExtent(view.UncheckedWindow({0, 0, 0}, {16, 2, 256}, true)).ToString(), "(16, 1, 256)");
  EXPECT_TRUE(view.UncheckedWindow({0, 1, 0}, {16, 1, 256}, true).outside());
}

}  // namespace
}  // namespace strandcore
