// Which part of an array a copy of one block moves (seed_pipeline.md 1.3), and which specs cannot cut an array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/base/refusal.h"
#include "runtime/pipeline/block_spec.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

// An array of float32 on a chip of generation 5, cut into blocks.
class Cut {
 public:
  Cut(const Dims& shape, const Dims& block, DType dtype = DType::kFloat32)
      : layout_(block, shape, *MakeTiling("x", shape, dtype, 5)) {}

  // "(512, 512)+(88, 128)!": start, size, and a mark where it runs past the array's end.
  std::string Block(const BlockIndex& index) const {
    if (!layout_.Has(index)) return layout_.NoBlockText(index);
    const BlockLayout::Slice slice = layout_.SliceOf(index);
    EXPECT_EQ(layout_.ElementsOf(index), slice.size.Product());
    return slice.start.ToString() + "+" + slice.size.ToString() + (slice.overruns ? "!" : "");
  }

 private:
  BlockLayout layout_;
};

TEST(BlockLayoutTest, ADivisibleArrayHasFullBlocks) {
  const Cut cut({512, 512}, {128, 256});
  EXPECT_EQ(cut.Block({0, 0}), "(0, 0)+(128, 256)");
  EXPECT_EQ(cut.Block({3, 1}), "(384, 256)+(128, 256)");
}

TEST(BlockLayoutTest, TheLastBlockIsCutAtTheEndRoundedUpToTheTile) {
  const Cut cut({600, 600}, {256, 256});
  EXPECT_EQ(cut.Block({0, 0}), "(0, 0)+(256, 256)");
  EXPECT_EQ(cut.Block({1, 1}), "(256, 256)+(256, 256)");
  EXPECT_EQ(cut.Block({2, 0}), "(512, 0)+(88, 256)");
  EXPECT_EQ(cut.Block({0, 2}), "(0, 512)+(256, 128)!");
  EXPECT_EQ(cut.Block({2, 2}), "(512, 512)+(88, 128)!");
}

TEST(BlockLayoutTest, RowsAreRoundedUpToo) {
  EXPECT_EQ(Cut({601, 512}, {256, 256}).Block({2, 0}), "(512, 0)+(96, 256)!");
  EXPECT_EQ(Cut({601, 600}, {256, 256}).Block({2, 2}), "(512, 512)+(96, 128)!");
}

TEST(BlockLayoutTest, TheTileIsThatOfTheArrayNotOfTheBlock) {
  // Three rows: the tile has four of them.
  EXPECT_EQ(Cut({3, 128}, {4, 128}).Block({0, 0}), "(0, 0)+(4, 128)!");
  EXPECT_EQ(Cut({3, 128}, {4, 128}, DType::kInt8).Block({0, 0}), "(0, 0)+(4, 128)!");
  EXPECT_EQ(Cut({601, 512}, {256, 256}, DType::kBfloat16).Block({2, 0}), "(512, 0)+(96, 256)!");
}

TEST(BlockLayoutTest, ABlockLargerThanTheArrayIsRoundedUpToTheTileOnly) {
  EXPECT_EQ(Cut({20, 100}, {128, 256}).Block({0, 0}), "(0, 0)+(24, 128)!");
  EXPECT_EQ(Cut({24, 128}, {128, 256}).Block({0, 0}), "(0, 0)+(24, 128)");
}

TEST(BlockLayoutTest, LeadingDimensionsAreCutExactly) {
  const Cut cut({5, 16, 128}, {2, 8, 128});
  EXPECT_EQ(cut.Block({1, 1, 0}), "(2, 8, 0)+(2, 8, 128)");
  EXPECT_EQ(cut.Block({2, 0, 0}), "(4, 0, 0)+(1, 8, 128)");
}

TEST(BlockLayoutTest, ABlockThatIsNotThereIsNamed) {
  const Cut cut({600, 512}, {256, 256});
  EXPECT_EQ(cut.Block({3, 0}), "block (3, 0) is not there: dimension 0 has blocks 0–2 of 256, given 3");
  EXPECT_EQ(cut.Block({0, 2}), "block (0, 2) is not there: dimension 1 has blocks 0–1 of 256, given 2");
  EXPECT_EQ(cut.Block({0, -1}), "block (0, -1) is not there: dimension 1 has blocks 0–1 of 256, given -1");
}

BlockIndex Origin(const GridIndex&) { return {0, 0}; }

absl::Status Validate(const BlockSpec& spec, const Dims& shape, DType dtype = DType::kFloat32) {
  return ValidateSpec("x", spec, shape, dtype, 5);
}

TEST(BlockSpecTest, ABlockThatDividesIsNotHeldAgainstTheTile) {
  EXPECT_TRUE(Validate(BlockSpec({3, 50}, Origin), {12, 200}).ok());
  EXPECT_TRUE(Validate(BlockSpec({1, 1}, Origin), {12, 200}).ok());
}

TEST(BlockSpecTest, ABlockThatDoesNotDivideMustBeAMultipleOfTheTile) {
  EXPECT_TRUE(Validate(BlockSpec({8, 128}, Origin), {12, 200}).ok());
  const absl::Status status = Validate(BlockSpec({12, 128}, Origin), {20, 256});
  EXPECT_EQ(RefusalKindOf(status), RefusalKind::kBlockNotMultipleOfTile);
  EXPECT_EQ(status.message(),
            "operand x: block shape (12, 128) is not a multiple of the tile (8, 128), and 12 does "
            "not divide the array's 20 in dimension 0");
  EXPECT_EQ(RefusalKindOf(Validate(BlockSpec({8, 100}, Origin), {16, 256})), RefusalKind::kBlockNotMultipleOfTile);
  EXPECT_EQ(RefusalKindOf(Validate(BlockSpec({8, 64}, Origin), {16, 200})), RefusalKind::kBlockNotMultipleOfTile);
}

TEST(BlockSpecTest, AnAliasIsNotHeldAgainstTheTile) {
  EXPECT_TRUE(Validate(BlockSpec({12, 100}, Origin, MemorySpace::kVmem), {20, 256}).ok());
  EXPECT_TRUE(Validate(BlockSpec({100}, Origin, MemorySpace::kVmem), {256}).ok());
  EXPECT_TRUE(Validate(BlockSpec({8, 128}, Origin, MemorySpace::kVmem), {8, 128}, DType::kFloat64).ok());
}

TEST(BlockSpecTest, EveryMistakeIsRefusedByOperand) {
  auto text = [](const BlockSpec& spec, const Dims& shape, DType dtype = DType::kFloat32) {
    return std::string(Validate(spec, shape, dtype).message());
  };
  EXPECT_EQ(text(BlockSpec({8, 128}, Origin), {2, 8, 128}),
            "operand x: block (8, 128) has 2 dimensions, the array (2, 8, 128) has 3");
  EXPECT_EQ(text(BlockSpec({8, 0}, Origin), {8, 128}),
            "operand x: expected a positive block size in dimension 1, given 0");
  EXPECT_EQ(text(BlockSpec({-8, 128}, Origin), {8, 128}),
            "operand x: expected a positive block size in dimension 0, given -8");
  EXPECT_EQ(text(BlockSpec({8, 128}, nullptr), {8, 128}), "operand x: expected an index map, given none");
  EXPECT_THAT(text(BlockSpec({8, 128}, Origin), {8, 128}, DType::kBool),
              HasSubstr("operand x: a copy cannot move bool"));
  EXPECT_THAT(text(BlockSpec({8, 128}, Origin), {8, 128}, DType::kInt64), HasSubstr("int64 cannot be tiled"));
  EXPECT_EQ(RefusalKindOf(Validate(BlockSpec({128}, Origin), {256})), RefusalKind::kRankBelow2);
}

TEST(BlockSpecTest, SqueezedDimensionsCountAsOne) {
  const BlockSpec spec({std::nullopt, 8, std::nullopt, 128}, Origin);
  EXPECT_EQ(spec.BlockShape(), (Dims{1, 8, 1, 128}));
  EXPECT_EQ(spec.SqueezedDims(), 0b101u);
}

}  // namespace
}  // namespace strandcore::testing
