// Blocks that a pipeline comes back to, and index maps that change their mind
// (field_reports.md P01, P02, P13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using RevisitsReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(RevisitsReportTest);

// x (2, 16, 256) summed over its first dimension; `outer` is the axis of the
// grid that walks along it.
RefFunction SumsOverFirst(int outer) {
  const int row = outer == 0 ? 1 : 0, column = outer == 0 ? 2 : 1;
  auto body = [outer](KernelContext& core, Ref x, Ref y) {
    if (core.ProgramId(outer) == 0) y.Write<float>().setZero();
    y.ReadWrite<float>() += x.Read<float>();
  };
  return Once(Emit(body, {.grid = {2, 2, 2},
                          .in_specs = {BlockSpec({std::nullopt, 8, 128}, Picking({outer, row, column}))},
                          .out_specs = {BlockSpec({8, 128}, Picking({row, column}))}}));
}

TEST_P(RevisitsReportTest, P02AReductionOverTheOuterAxisComesBackToBlocksThatItHasLeft) {
  const Array x = Integers(kF32, {2, 16, 256}, 1);
  Array y(kF32, {16, 256});
  EXPECT_THAT(Run(SumsOverFirst(0), {In("x", x), Out("y", y)}),
              HasAmong(FaultKind::kRevisitedOutput,
                       AllOf(HasSubstr("block (0, 0) of y"), HasSubstr("(0, 0, 0)"), HasSubstr("(1, 0, 0)"))));
}

TEST_P(RevisitsReportTest, P02AReductionOverTheInnerAxisGivesTheExactSum) {
  const Array x = Integers(kF32, {2, 16, 256}, 1);
  Array y(kF32, {16, 256});
  EXPECT_THAT(Run(SumsOverFirst(2), {In("x", x), Out("y", y)}), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({0}) + x.Matrix<float>({1})).all());
}

// Two passes over two blocks of z, each of two steps, which add 1 and 2: an
// accumulator reads its block again.
TEST_P(RevisitsReportTest, P13AnInOutAccumulatorMayComeBackToABlock) {
  Array z = Integers(kF32, {16, 128}, 1);
  const Array before = z;
  auto body = [](KernelContext& core, Ref z) {
    if (core.ProgramId(2) == 0) z.Write<float>().setConstant(1);
    if (core.ProgramId(2) == 1) z.ReadWrite<float>() += 2.0f;
  };
  const Pipeline pipeline = Emit(
      body, {.grid = {2, 2, 2}, .out_specs = {BlockSpec({8, 128}, Picking({1, -1}))}, .should_accumulate_out = true});
  EXPECT_THAT(Run(Once(pipeline), {InOut("z", z)}), IsProved());
  EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 6.0f).all());
}

// The body of the first step may rewrite the table by which the blocks of x are
// found.
RefFunction ByTable(bool rewrites) {
  return [rewrites](KernelContext& core, Ref ids, Ref x, Ref y) {
    auto body = [&](KernelContext& core, Ref from, Ref to) {
      for (int64_t i = 1; i < 6; ++i) {
        if (rewrites && core.ProgramId(0) == 0) ids.Set<int32_t>(3, {i});
      }
      to.Write<float>() = from.Read<float>();
    };
    const BlockSpec from({std::nullopt, 8, 128}, [&](GridIndex g) {
      return BlockIndex{ids.Get<int32_t>({g[0]}), 0, 0};
    });
    const BlockSpec to({std::nullopt, 8, 128}, Picking({0, -1, -1}));
    Emit(body, {.grid = {6}, .in_specs = {from}, .out_specs = {to}})(core, std::vector<Ref>{x, y});
  };
}

TEST_P(RevisitsReportTest, P01ATableThatTheBodyRewritesIsNotedAndGivesWhatTwoBuffersGive) {
  const Array x = NumberedBlocks(6);
  for (bool rewrites : {false, true}) {
    Array ids = Array::Iota(DType::kInt32, {6}), y = Blocks(6);
    const RunReport report = Run(ByTable(rewrites), {InOut("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
    EXPECT_THAT(report, IsClean());
    if (!rewrites) {
      EXPECT_THAT(report.notes, IsEmpty());
      EXPECT_EQ(y, x);
      continue;
    }
    // Block 1 was on its way before the table was rewritten; later steps
    // compare 3 with 3 and fetch nothing.
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.Get({i, 0, 0}), i == 0 ? 1 : 2) << "block " << i;
    EXPECT_EQ(report.CountersOf("x").copies_in, 2);
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_EQ(report.notes[0].kind, NoteKind::kUnstableIndex);
    EXPECT_THAT(report.notes[0].text, AllOf(HasSubstr("x"), HasSubstr("(1, 0, 0)"), HasSubstr("(3, 0, 0)")));
  }
}

// Written by hand with one buffer, each step decides at its own start.
TEST_P(RevisitsReportTest, P01WithOneBufferEachStepFollowsTheTableAsItIsThen) {
  const Array x = NumberedBlocks(6);
  Array ids = Array::Iota(DType::kInt32, {6}), y = Blocks(6);
  auto kernel = [](KernelContext& core, Ref ids, Ref x, Ref y) {
    auto steps = [&](Ref tile) {
      for (int64_t step = 0; step < 6; ++step) {
        core.SyncCopy(x.At(ids.Get<int32_t>({step})), tile);
        for (int64_t i = 1; i < 6; ++i) ids.Set<int32_t>(3, {i});
        core.SyncCopy(tile, y.At(step));
      }
    };
    core.RunScoped(steps, VmemTile("tile"));
  };
  EXPECT_THAT(Run(kernel, {InOut("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)}), IsProved());
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.Get({i, 0, 0}), i == 0 ? 1 : 4) << "block " << i;
}

}  // namespace
}  // namespace strandcore::testing
