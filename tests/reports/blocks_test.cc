// Blocks and slices: where they lie, how often they travel, whose they are (field_reports.md P06, P08, P09, P27). P03
// to P05, P11 to P15, P19, P26 and P28 are in tests/pipeline and tests/suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using BlocksReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(BlocksReportTest);

// Copies `n` elements in slices of `slice`, of which the last is cut where the array ends, or not.
RefFunction CopiesSlices(int64_t slice, bool cuts_the_last) {
  return [=](KernelContext& core, Ref x, Ref y) {
    const int64_t n = x.shape()[0];
    for (int64_t start = 0; start < n; start += slice) {
      const int64_t size = cuts_the_last ? std::min(slice, n - start) : slice;
      const Ref from = x.At(Ds(start, size));
      core.SyncCopy(from, y.At(Ds(start, size)));
    }
  };
}

TEST_P(BlocksReportTest, P06ASliceInTheBodyThatRunsPastTheEndIsOutOfBounds) {
  const Array x = Array::Iota(DType::kInt32, {50000});
  Array y(DType::kInt32, {50000});
  EXPECT_THAT(
      Run(CopiesSlices(32768, /*cuts_the_last=*/false), {In("x", x), Out("y", y)}),
      HasOne(FaultKind::kOutOfBounds,
             AllOf(HasSubstr("x: elements 32768–65535 of dimension 0 lie outside 0–49999"), HasSubstr("core 0"))));
}

TEST_P(BlocksReportTest, P06ASliceThatIsCutAtTheEndIsRight) {
  const Array x = Array::Iota(DType::kInt32, {50000});
  Array y(DType::kInt32, {50000});
  EXPECT_THAT(Run(CopiesSlices(32768, /*cuts_the_last=*/true), {In("x", x), Out("y", y)}), IsProved());
  EXPECT_EQ(y, x);
}

// Three ragged groups of rows, each brought as 16 rows from where it begins; y takes the sum of its own rows.
RefFunction SumsRaggedRows() {
  return [](KernelContext& core, Ref offsets, Ref x, Ref y) {
    auto kernel = [&](Ref tile, Ref sums) {
      for (int64_t group : {0, 1}) {
        const int64_t start = offsets.Get<int32_t>({group}), end = offsets.Get<int32_t>({group + 1});
        core.SyncCopy(x.At(Ds(start, 16)), tile);
        sums.At(group).Write<float>() = tile.At(Ds(0, end - start)).Read<float>().colwise().sum();
      }
      core.SyncCopy(sums, y);
    };
    core.RunScoped(kernel, Vmem({16, 128}, kF32, "tile"), Vmem({2, 128}, kF32, "sums"));
  };
}

TEST_P(BlocksReportTest, P06RaggedRowsNeedThePadOfAWholeBlockLessOneBehindTheLastStart) {
  const Array offsets = Array::FromValues<int32_t>({3}, {0, 13, 25});
  for (int64_t rows : {25, 28, 29}) {
    const Array x = Integers(kF32, {rows, 128}, 1);
    Array y(kF32, {2, 128});
    const RunReport report =
        Run(SumsRaggedRows(), {In("offsets", offsets, MemorySpace::kSmem), In("x", x), Out("y", y)});
    if (rows < 29) {
      EXPECT_THAT(report, HasOne(FaultKind::kOutOfBounds, HasSubstr("x: rows 13–28 of dimension 0 lie outside 0–")));
    } else {
      EXPECT_THAT(report, IsProved());
      EXPECT_TRUE((y.Matrix<float>().row(0) == x.Matrix<float>().topRows(13).colwise().sum()).all());
      EXPECT_TRUE((y.Matrix<float>().row(1) == x.Matrix<float>().middleRows(13, 12).colwise().sum()).all());
    }
  }
}

TEST_P(BlocksReportTest, P08AWindowThatStaysIsCopiedOutOnceAndOneATileOnceATile) {
  const Array x = Integers(kF32, {64, 128}, 1);
  Array whole(kF32, {64, 128}), tiles(kF32, {64, 128});
  auto body = [](KernelContext& core, Ref x, Ref whole, Ref tile) {
    whole.At(Ds(8 * core.ProgramId(0), 8)).Write<float>() = x.Read<float>();
    tile.Write<float>() = x.Read<float>();
  };
  const BlockSpec all({64, 128}, Picking({-1, -1}));
  const Pipeline pipeline = Emit(body, {.grid = {8}, .in_specs = {RowTile()}, .out_specs = {all, RowTile()}});
  const RunReport report = Run(Once(pipeline), {In("x", x), Out("whole", whole), Out("tiles", tiles)});
  EXPECT_THAT(report, IsProved());
  EXPECT_EQ(whole, x);
  EXPECT_EQ(tiles, x);
  EXPECT_EQ(report.CountersOf("whole").copies_out, 1);
  EXPECT_EQ(report.CountersOf("whole").bytes_out, 64 * 128 * 4);
  EXPECT_EQ(report.CountersOf("tiles").copies_out, 8);
  EXPECT_EQ(report.CountersOf("tiles").bytes_out, 64 * 128 * 4);
}

// The outer loop's part of the output is the inner pipeline's whole: it must not travel anew at each outer step.
TEST_P(BlocksReportTest, P08AnInnerPipelineOverASliceOfTheOuterLoopMovesThatSliceAlone) {
  const Array x = Integers(kF32, {4, 16, 128}, 1);
  Array y(kF32, {4, 16, 128});
  const Pipeline inner = Emit(Copy<float>, {.grid = {2}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    for (int64_t outer = 0; outer < 4; ++outer) inner(core, std::vector<Ref>{x.At(outer), y.At(outer)}, {});
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsProved());
  EXPECT_EQ(y, x);
  EXPECT_EQ(report.CountersOf("y").copies_out, 8);
  EXPECT_EQ(report.CountersOf("y").bytes_out, 4 * 16 * 128 * 4);
}

TEST_P(BlocksReportTest, P09BlocksOfOneDimensionAreRefusedInLaxModeToo) {
  const Array x = Array::Iota(kF32, {300});
  SimulatorOptions lax = OptionsFor(1);
  lax.bounds = Bounds::kPadded;
  lax.out_of_range_reads = OutOfRangeReads::kUninitialised;
  const Pipeline pipeline =
      Emit([](KernelContext&, Ref) {}, {.grid = {3}, .in_specs = {BlockSpec({128}, Picking({0}))}});
  EXPECT_THAT(MakeSimulator(lax).Run(Once(pipeline), {In("x", x)}), IsRefused("at least 2 dimensions"));
}

// Each step of a "parallel" axis stores its own number into one cell.
RefFunction StoresIntoOneCell() {
  auto body = [](KernelContext& core, Ref x, Ref y) { y.Set<float>(x.Get<float>({0, 0}) + 1.0f * core.ProgramId(0)); };
  return Once(Emit(body, {.grid = {4},
                          .in_specs = {RowTile()},
                          .out_specs = {BlockSpec({1, 1}, Picking({-1, -1}))},
                          .core_axis = 0,
                          .dimension_semantics = {kParallel}}));
}

TEST_P(BlocksReportTest, P27OneCellForAllPointsOfAParallelAxisIsARaceOfTheCores) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Array::Full(kF32, {32, 128}, 100);
  Array y(kF32, {1, 1});
  EXPECT_THAT(Run(StoresIntoOneCell(), {In("x", x), Out("y", y)}, 2),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("y"), HasSubstr("core 0"), HasSubstr("core 1"))));
}

// (In the order of the grid, as the seed visits it: the last store stays.)
TEST_P(BlocksReportTest, P27OnOneCoreTheLastStepsStoreStays) {
  const Array x = Array::Full(kF32, {32, 128}, 100);
  Array y(kF32, {1, 1});
  EXPECT_THAT(Run(StoresIntoOneCell(), {In("x", x), Out("y", y)}), IsProved());
  EXPECT_EQ(y.Get({0, 0}), 103);
}

TEST_P(BlocksReportTest, P27ACellOfItsOwnForEachPointIsRightOnTwoCores) {
  const Array x = Array::Full(kF32, {32, 128}, 100);
  Array y(kF32, {4, 1});
  auto body = [](KernelContext& core, Ref x, Ref y) { y.Set<float>(x.Get<float>({0, 0}) + 1.0f * core.ProgramId(0)); };
  const Pipeline pipeline = Emit(body, {.grid = {4},
                                        .in_specs = {RowTile()},
                                        .out_specs = {BlockSpec({1, 1}, Picking({0, -1}))},
                                        .core_axis = 0,
                                        .dimension_semantics = {kParallel}});
  EXPECT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}, 2), IsProved());
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(y.Get({i, 0}), 100 + i);
}

}  // namespace
}  // namespace strandcore::testing
