// Copies, squeezed blocks, gathers and scatters of one pipeline (upstream_tests.md 3.3), with two buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/copy.h"
#include "kernels/gather.h"
#include "kernels/scatter.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using BlocksSuiteTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(BlocksSuiteTest);

// 3.3 #2.
TEST_P(BlocksSuiteTest, APipelineWithoutInputsWritesEveryBlock) {
  Array y(DType::kInt32, {8, 512});
  auto body = [](KernelContext&, Ref y) { y.Write<int32_t>().setConstant(42); };
  const Pipeline pipeline = Emit(body, {.grid = {4}, .out_specs = {BlockSpec({8, 128}, Picking({-1, 0}))}});
  ASSERT_THAT(Run(Once(pipeline), {Out("y", y)}), IsClean());
  EXPECT_EQ(y, Array::Full(DType::kInt32, {8, 512}, 42));
}

// 3.3 #13, #14.
TEST_P(BlocksSuiteTest, AWindowHasNoneOfItsSqueezedDimensions) {
  struct Case {
    Dims shape;
    std::vector<BlockDim> block;
    std::vector<int> picked;
  };
  const Case cases[] = {{{1, 128, 64}, {std::nullopt, 128, 64}, {0, -1, -1}},
                        {{1, 1, 128, 64}, {std::nullopt, std::nullopt, 128, 64}, {0, -1, -1, -1}}};
  auto body = [](KernelContext& core, Ref x, Ref y) {
    core.Check(x.shape() == Dims{128, 64} && y.shape() == Dims{128, 64}, "a window of (128, 64)");
    Copy<float>(core, x, y);
  };
  for (const Case& c : cases) {
    const Array x = Array::Iota(DType::kFloat32, c.shape);
    Array y(DType::kFloat32, c.shape);
    const BlockSpec block(c.block, Picking(c.picked));
    const Pipeline pipeline = Emit(body, {.grid = {1}, .in_specs = {block}, .out_specs = {block}});
    ASSERT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
    EXPECT_EQ(x, y);
  }
}

// 3.3 #15.
TEST_P(BlocksSuiteTest, TheOutputOfASingleStepReachesHbm) {
  Array y(DType::kFloat32, {128, 64});
  auto body = [](KernelContext&, Ref y) { y.Write<float>().setOnes(); };
  const Pipeline pipeline = Emit(body, {.grid = {1}, .out_specs = {BlockSpec({128, 64}, Picking({0, -1}))}});
  const RunReport report = Run(Once(pipeline), {Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(y, Array::Full(DType::kFloat32, {128, 64}, 1));
  EXPECT_EQ(report.CountersOf("y").copies_out, 1);
}

// 3.3 #23.
TEST_P(BlocksSuiteTest, ACopyMovesEveryBlockOnceEachWay) {
  const Array x = Array::Iota(DType::kInt32, {512, 512});
  Array y(DType::kInt32, {512, 512});
  const BlockSpec block({128, 128}, Picking({0, 1}));
  const Pipeline pipeline = Emit(CopyBody, {.grid = {4, 4}, .in_specs = {block}, .out_specs = {block}});
  const RunReport report = Run(Once(pipeline), {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.CountersOf("x").copies_in, 16);
  EXPECT_EQ(report.CountersOf("y").copies_out, 16);
}

struct TableCase {
  std::vector<int32_t> table;
  int64_t copies;  // of the operand whose blocks the table names
};

Array TableArray(const std::vector<int32_t>& ids) {
  return Array::FromValues<int32_t>({static_cast<int64_t>(ids.size())}, ids);
}

// 3.3 #26.
TEST_P(BlocksSuiteTest, AGatherFetchesEachRunOfEqualBlocksOnce) {
  const TableCase cases[] = {{{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 1},
                             {{0, 0, 2, 3, 3, 3, 1, 7, 6, 6}, 6},
                             {{3, 3, 3, 3, 3, 3, 3, 7, 6, 6}, 3},
                             {{0, 1, 2, 3, 4, 5, 0, 1, 2, 3}, 10}};
  const Array x = Array::Iota(DType::kInt32, {1024, 128});
  const RefFunction kernel = *GatherKernel({.block_rows = 128, .columns = 128});
  for (const TableCase& c : cases) {
    const Array ids = TableArray(c.table);
    Array y(DType::kInt32, {1280, 128});
    const RunReport report = Run(kernel, {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    for (int64_t i = 0; i < 10; ++i) {
      const auto from = x.Matrix<int32_t>().middleRows(128 * c.table[static_cast<size_t>(i)], 128);
      EXPECT_TRUE((y.Matrix<int32_t>().middleRows(128 * i, 128) == from).all()) << "block " << i;
    }
    EXPECT_EQ(report.CountersOf("x").copies_in, c.copies);
    EXPECT_EQ(report.CountersOf("y").copies_out, 10);
  }
}

// 3.3 #27.
TEST_P(BlocksSuiteTest, AScatterLeavesTheLastWriterOfEachBlockAndZerosElsewhere) {
  const TableCase cases[] = {{{0, 0, 2, 2, 2, 5, 3, 3}, 4}, {{5, 5, 5, 5, 5, 5, 5, 5}, 1}};
  const Array x = Array::Iota(DType::kInt32, {1024, 128});
  const RefFunction kernel = *ScatterKernel({.block_rows = 128, .columns = 128});
  for (const TableCase& c : cases) {
    const Array ids = TableArray(c.table);
    Array y(DType::kInt32, {1024, 128}), expected = y;
    for (int64_t i = 0; i < 8; ++i) {
      expected.Matrix<int32_t>().middleRows(128 * c.table[static_cast<size_t>(i)], 128) =
          x.Matrix<int32_t>().middleRows(128 * i, 128);
    }
    const RunReport report = Run(kernel, {In("ids", ids, MemorySpace::kSmem), In("x", x), InOut("y", y)});
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(y, expected);
    EXPECT_EQ(report.CountersOf("x").copies_in, 8);
    EXPECT_EQ(report.CountersOf("y").copies_out, c.copies);
  }
}

}  // namespace
}  // namespace strandcore::testing
