// The tile that DMA slices are rounded to (seed_pipeline.md 1.2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/base/refusal.h"
#include "runtime/pipeline/block_spec.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The tile's rows of arrays with 1, 2, 3, 4, 5 and 300 rows.
std::vector<int64_t> TileRows(DType dtype, int generation) {
  std::vector<int64_t> rows;
  for (int64_t size : {1, 2, 3, 4, 5, 300}) {
    absl::StatusOr<Dims> tile = MakeTiling("x", {size, 256}, dtype, generation);
    EXPECT_TRUE(tile.ok()) << tile.status();
    EXPECT_EQ((*tile)[1], 128);
    rows.push_back((*tile)[0]);
  }
  return rows;
}

constexpr DType kFourBytes[] = {DType::kFloat32, DType::kInt32, DType::kUint32};
constexpr DType kTwoBytes[] = {DType::kBfloat16, DType::kFloat16, DType::kInt16, DType::kUint16};
constexpr DType kOneByte[] = {DType::kInt8, DType::kUint8, DType::kBool};

TEST(TilingTest, FollowsTheTableFromGeneration4On) {
  for (int generation : {4, 5, 6, 8}) {
    for (DType dtype : kFourBytes) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(1, 2, 4, 4, 8, 8));
    for (DType dtype : kTwoBytes) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(2, 2, 4, 4, 8, 8));
    for (DType dtype : kOneByte) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(4, 4, 4, 4, 8, 8));
  }
}

TEST(TilingTest, FollowsTheTableBeforeGeneration4) {
  for (int generation : {2, 3}) {
    for (DType dtype : kFourBytes) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(2, 2, 4, 4, 8, 8));
    for (DType dtype : kTwoBytes) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(4, 4, 4, 4, 8, 8));
    for (DType dtype : kOneByte) EXPECT_THAT(TileRows(dtype, generation), ElementsAre(8, 8, 8, 8, 8, 8));
  }
}

TEST(TilingTest, LeadingDimensionsHaveTile1) {
  EXPECT_EQ(*MakeTiling("x", {5, 3, 64, 20}, DType::kFloat32, 5), (Dims{1, 1, 8, 128}));
  EXPECT_EQ(*MakeTiling("x", {5, 3, 2, 20}, DType::kFloat32, 5), (Dims{1, 1, 2, 128}));
}

TEST(TilingTest, OfFewerThanTwoDimensionsIsRefused) {
  for (const Dims& shape : {Dims{128}, Dims{}}) {
    const absl::Status status = MakeTiling("x", shape, DType::kFloat32, 5).status();
    EXPECT_EQ(RefusalKindOf(status), RefusalKind::kRankBelow2);
    EXPECT_EQ(status.message(),
              "operand x: expected an array of at least 2 dimensions to copy blocks of, given " + shape.ToString());
  }
}

TEST(TilingTest, OfEightByteElementsIsRefused) {
  for (DType dtype : {DType::kFloat64, DType::kInt64}) {
    const absl::Status status = MakeTiling("x", {8, 128}, dtype, 5).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string("operand x: ") + DTypeName(dtype)));
  }
}

}  // namespace
}  // namespace strandcore::testing
