#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/gather.h"
#include "kernels/scatter.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

using GatherScatterTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(GatherScatterTest);

const std::vector<int32_t> kTable = {0, 0, 2, 3, 3, 3, 1};

Array Table(const std::vector<int32_t>& ids) {
  return Array::FromValues<int32_t>({static_cast<int64_t>(ids.size())}, ids);
}

TEST_P(GatherScatterTest, GatheringIsThePlainLoopForEveryWidthOfElement) {
  const Array ids = Table(kTable);
  for (DType dtype : {DType::kFloat32, DType::kInt16, DType::kUint8}) {
    const Array x = Array::Iota(dtype, {128, 256});
    Array y(dtype, {7 * 32, 256}), expected(dtype, {7 * 32, 256});
    const RunReport report = Run(*GatherKernel({.block_rows = 32, .columns = 256}),
                                 {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    expected.Generate([&](int64_t flat) {
      const int64_t row = flat / 256;
      return x.Get({32 * kTable[static_cast<size_t>(row / 32)] + row % 32, flat % 256});
    });
    EXPECT_EQ(y, expected) << DTypeName(dtype);
    EXPECT_EQ(report.CountersOf("x").copies_in, 4);
    EXPECT_EQ(report.CountersOf("y").copies_out, 7);
  }
}

TEST_P(GatherScatterTest, ScatteringIsThePlainLoopAndKeepsWhatNoEntryNames) {
  const Array ids = Table(kTable), x = Array::Iota(DType::kInt32, {7 * 8, 128});
  Array y = Array::Full(DType::kInt32, {5 * 8, 128}, -1), expected = y;
  for (int64_t row = 0; row < 7 * 8; ++row) {
    for (int64_t column = 0; column < 128; ++column) {
      expected.Set({8 * kTable[static_cast<size_t>(row / 8)] + row % 8, column}, x.Get({row, column}));
    }
  }
  const RunReport report = Run(*ScatterKernel({}), {In("ids", ids, MemorySpace::kSmem), In("x", x), InOut("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(y, expected);
  EXPECT_EQ(report.CountersOf("x").copies_in, 7);
  EXPECT_EQ(report.CountersOf("y").copies_out, 4);
}

TEST_P(GatherScatterTest, ATableOfUnknownBlocksEndsTheRun) {
  const Array ids = Table({0, 9}), x = Array::Iota(DType::kInt32, {16, 128});
  Array y(DType::kInt32, {16, 128});
  const Operands operands = {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)};
  EXPECT_THAT(Run(*GatherKernel({}), operands),
              HasFault(FaultKind::kOutOfBounds, HasSubstr("operand x, grid point (1,): block (9, 0) is not there: "
                                                          "dimension 0 has blocks 0–1 of 8, given 9")));
  EXPECT_THAT(Run(*ScatterKernel({}), operands),
              HasFault(FaultKind::kOutOfBounds, HasSubstr("operand y, grid point (1,): block (9, 0) is not there: "
                                                          "dimension 0 has blocks 0–1 of 8, given 9")));
}

TEST(RowBlocksTest, WithoutSizesAreRefused) {
  EXPECT_THAT(GatherKernel({.block_rows = 0}).status().message(), HasSubstr("given block_rows 0 and columns 128"));
  EXPECT_FALSE(ScatterKernel({.columns = -1}).ok());
}

}  // namespace
}  // namespace strandcore::testing
