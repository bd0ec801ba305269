// What broke for people who wrote pipelines (field_reports.md), with the value that each must give here. P10 and what
// only a checker can say are not among them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/matmul.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using FieldValuesTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(FieldValuesTest);

BlockSpec RowTile() { return BlockSpec({8, 128}, Picking({0, -1})); }
BlockSpec StayingTile(MemorySpace space = MemorySpace::kAny) { return BlockSpec({8, 128}, Picking({-1, -1}), space); }

TEST_P(FieldValuesTest, P05BlocksThatDoNotDivideReachEveryElementInRowsRoundedToTheTile) {
  struct Case {
    Dims shape;
    int64_t rows;
  };
  for (const Case& c : {Case{{300, 200}, 304}, Case{{20, 200}, 24}}) {
    const Array x = Integers(DType::kFloat32, c.shape, 1);
    Array y(DType::kFloat32, c.shape);
    const BlockSpec block({128, 128}, Picking({0, 1}));
    auto body = [&](KernelContext& core, Ref x, Ref y) {
      Double(core, FilledPart(core, x, c.shape), FilledPart(core, y, c.shape));
    };
    const Pipeline pipeline =
        Emit(body, {.grid = {(c.shape[0] + 127) / 128, 2}, .in_specs = {block}, .out_specs = {block}});
    const RunReport report = Run(Once(pipeline), {In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
    EXPECT_EQ(report.CountersOf("x").bytes_in, c.rows * 256 * 4);
    EXPECT_EQ(report.CountersOf("y").bytes_out, c.rows * 256 * 4);
  }
}

TEST_P(FieldValuesTest, P05AnUnmaskedTailOfTheReductionIsNan) {
  const MatmulShape shape = {.m = 128, .k = 300, .n = 128};
  const Array x = Integers(DType::kFloat32, {128, 300}, 1), y = Integers(DType::kFloat32, {300, 128}, 2);
  Array z(DType::kFloat32, {128, 128});
  auto unmasked = [](KernelContext& core, Ref x, Ref y, Ref z) {
    if (core.ProgramId(2) == 0) z.Write<float>().setZero();
    z.ReadWrite<float>().matrix() += x.Read<float>().matrix() * y.Read<float>().matrix();
  };
  const Operands operands = {In("x", x), In("y", y), Out("z", z)};
  const RunReport report = Run(Once(Emit(unmasked, *MatmulOptions(shape, /*accumulate=*/false))), operands);
  ASSERT_EQ(report.faults.size(), 2u) << report.ToString();
  EXPECT_EQ(report.faults[0].headline,
            "the body reads x's window, of which columns 44–127 lie beyond the end of the array");
  EXPECT_EQ(report.faults[1].headline,
            "the body reads y's window, of which rows 44–127 lie beyond the end of the array");
  EXPECT_TRUE(z.Matrix<float>().isNaN().all());
  ASSERT_THAT(Run(*MatmulKernel(shape), operands), IsClean());
  EXPECT_TRUE(AsDouble<float>(z) == ProductInDouble<float>(x, y));
}

TEST_P(FieldValuesTest, P09BlocksOfOneDimensionAreRefusedWhetherTheyDivideOrNot) {
  for (int64_t size : {300, 512}) {
    const Array x = Array::Iota(DType::kFloat32, {size});
    const Pipeline pipeline =
        Emit([](KernelContext&, Ref) {}, {.grid = {3}, .in_specs = {BlockSpec({128}, Picking({0}))}});
    EXPECT_THAT(Run(Once(pipeline), {In("x", x)}), IsRefused("at least 2 dimensions"));
  }
}

TEST_P(FieldValuesTest, P09ASliceOfOneDimensionIsCopiedByADma) {
  const Array x = Array::Iota(DType::kFloat32, {512});
  Array y(DType::kFloat32, {128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x.At(Ds(256, 128)), y); };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  for (int64_t i = 0; i < 128; ++i) ASSERT_EQ(y.Get({i}), 256 + i);
}

TEST_P(FieldValuesTest, P11AliasedPairsThatNoBodyTouchesKeepTheirValues) {
  Array x = Integers(DType::kFloat32, {8, 128}, 1), y = Integers(DType::kFloat32, {8, 128}, 2);
  const Array x_before = x, y_before = y;
  const BlockSpec alias = StayingTile(MemorySpace::kVmem);
  const Pipeline pipeline = Emit([](KernelContext&, Ref, Ref, Ref, Ref) {},
                                 {.grid = {1}, .in_specs = {alias, alias}, .out_specs = {alias, alias}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) { pipeline(core, {x, y, x, y}); };
  const RunReport report = Run(kernel, {InOut("x", x, MemorySpace::kVmem), InOut("y", y, MemorySpace::kVmem)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, x_before);
  EXPECT_EQ(y, y_before);
  EXPECT_EQ(report.counters.transfers, 0);
}

TEST_P(FieldValuesTest, P12AnOperandThatIsReadInANestedScopeKeepsItsWrites) {
  Array x = Integers(DType::kFloat32, {16, 128}, 1);
  const Array before = x;
  auto kernel = [](KernelContext& core, Ref x) {
    for (int64_t i = 0; i < 2; ++i) {
      core.RunScoped(
          [&](Ref tile) {
            core.SyncCopy(x.At(Ds(8 * i, 8)), tile);
            tile.ReadWrite<float>() += 1.0f;
            core.SyncCopy(tile, x.At(Ds(8 * i, 8)));
          },
          Vmem({8, 128}, DType::kFloat32));
    }
  };
  ASSERT_THAT(Run(kernel, {InOut("x", x)}), IsClean());
  EXPECT_TRUE((x.Matrix<float>() == before.Matrix<float>() + 1.0f).all());
}

// z += the blocks of x that `ids` names; z is an in-out operand behind one in SMEM, and its block stays.
void AddNamedBlocks(KernelContext& core, const Ref& ids, const Ref& x, const Ref& z) {
  const BlockSpec named({8, 128}, [&](GridIndex g) { return BlockIndex{ids.Get<int32_t>({g[0]}), 0}; });
  auto body = [](KernelContext& core, Ref x, Ref z) {
    if (core.ProgramId(0) == 0) z.Write<float>().setZero();
    z.ReadWrite<float>() += x.Read<float>();
  };
  Emit(body, {.grid = {4}, .in_specs = {named}, .out_specs = {StayingTile()}, .should_accumulate_out = true})(core,
                                                                                                              {x, z});
}

TEST_P(FieldValuesTest, P13AnInOutOperandBehindAScalarOneIsAccumulated) {
  const Array ids = Array::FromValues<int32_t>({4}, {2, 0, 0, 3}), x = Integers(DType::kFloat32, {32, 128}, 1);
  Array z = Integers(DType::kFloat32, {8, 128}, 2);
  Array expected = z;
  for (int64_t id : {2, 0, 0, 3}) expected.Matrix<float>() += x.Matrix<float>().middleRows(8 * id, 8);
  const RunReport report = Run(AddNamedBlocks, {In("ids", ids, MemorySpace::kSmem), In("x", x), InOut("z", z)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(z, expected);
  EXPECT_EQ(report.CountersOf("x").copies_in, 3);
  EXPECT_EQ(report.CountersOf("z").copies_in, 1);
  EXPECT_EQ(report.CountersOf("z").copies_out, 1);
}

TEST(FieldValuesOfGridsTest, P14AStaticGridOfZeroIsRefused) {
  const auto pipeline = EmitPipeline([](KernelContext&) {}, {.grid = {64 / 128, 1}});
  EXPECT_THAT(std::string(pipeline.status().message()), ::testing::HasSubstr("grid: expected a positive size"));
}

TEST_P(FieldValuesTest, P14ADynamicGridOfZeroOnOneCoreDoesNothingThereAlone) {
  const Array x = Integers(DType::kFloat32, {2, 8, 128}, 1);
  Array y = Array::Full(DType::kFloat32, {2, 8, 128}, -1);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    Emit(Copy<float>,
         {.grid = {Dynamic(core.core_index())}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}})(
        core, {x.At(core.core_index()), y.At(core.core_index())});
  };
  const RunReport report = Run(kernel, {In("x", x), InOut("y", y)}, 2);
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>({0}) == -1.0f).all());
  EXPECT_TRUE((y.Matrix<float>({1}) == x.Matrix<float>({1})).all());
  EXPECT_EQ(report.counters.transfers, 2);
}

void CopyAndCount(KernelContext& core, const Ref& x, const Ref& y, const Ref& count) {
  Copy<float>(core, x, y);
  count.Set<int32_t>(count.Get<int32_t>() + 1);
}

TEST_P(FieldValuesTest, P15P16LoopsOfAnyLengthRunEachStepAndFetchEachBlockOnce) {
  for (int64_t steps : {0, 1, 2, 3, 4, 5, 7, 8}) {
    const Array x = Integers(DType::kFloat32, {64, 128}, 1);
    Array y = Array::Full(DType::kFloat32, {64, 128}, -9), count(DType::kInt32, {1});
    const Pipeline pipeline =
        Emit(CopyAndCount, {.grid = {Dynamic(steps)}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
    auto kernel = [&](KernelContext& core, Ref count, Ref x, Ref y) { pipeline(core, {x, y}, {.scratches = {count}}); };
    const RunReport report = Run(kernel, {InOut("count", count, MemorySpace::kSmem), In("x", x), InOut("y", y)});
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(count.Get({0}), steps);
    Array expected = Array::Full(DType::kFloat32, {64, 128}, -9);
    expected.Matrix<float>().topRows(8 * steps) = x.Matrix<float>().topRows(8 * steps);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(report.CountersOf("x").copies_in, steps);
    EXPECT_EQ(report.counters.transfers, 2 * steps);
    EXPECT_EQ(report.counters.waits, 2 * steps);
  }
}

TEST_P(FieldValuesTest, P19AScratchAndAnAccumulatorHoldTheWholeSumAsTheyNeverRotate) {
  const Array x = Integers(DType::kFloat32, {32, 128}, 1);
  Array by_scratch(DType::kFloat32, {8, 128}), by_window(DType::kFloat32, {8, 128}), sum = by_scratch;
  for (int64_t i = 0; i < 4; ++i) sum.Matrix<float>() += x.Matrix<float>().middleRows(8 * i, 8);
  auto body = [](KernelContext& core, Ref x, Ref by_scratch, Ref by_window, Ref scratch) {
    if (core.ProgramId(0) == 0) scratch.Write<float>().setZero();
    if (core.ProgramId(0) == 0) by_window.Write<float>().setZero();
    scratch.ReadWrite<float>() += x.Read<float>();
    by_window.ReadWrite<float>() += x.Read<float>();
    if (core.ProgramId(0) == 3) by_scratch.Write<float>() = scratch.Read<float>();
  };
  const Pipeline pipeline =
      Emit(body, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {StayingTile(), StayingTile()}});
  auto kernel = [&](KernelContext& core, Refs refs) {
    core.RunScoped([&](Ref scratch) { pipeline(core, refs, {.scratches = {scratch}}); },
                   Vmem({8, 128}, DType::kFloat32));
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("by_scratch", by_scratch), Out("by_window", by_window)}), IsClean());
  EXPECT_EQ(by_scratch, sum);
  EXPECT_EQ(by_window, sum);
}

TEST_P(FieldValuesTest, P20ALoopThatCountsInTwosStillUsesBothSlots) {
  const Array x = Integers(DType::kFloat32, {64, 128}, 1);
  Array y(DType::kFloat32, {32, 128});
  const BlockSpec every_other({8, 128}, [](GridIndex g) { return BlockIndex{2 * g[0], 0}; });
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {4}, .in_specs = {every_other}, .out_specs = {RowTile()}});
  Recorder recorder;
  SimulatorOptions options = OptionsFor(1);
  options.observer = &recorder;
  ASSERT_THAT(MakeSimulator(options).Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
  std::vector<int32_t> slots;
  for (const Event& event : recorder.EventsOf({})) {
    if (event.kind == Event::Kind::kCopyIn) slots.push_back(event.slot);
  }
  EXPECT_THAT(slots, ::testing::ElementsAre(1, 0, 1, 0));
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE((y.Matrix<float>().middleRows(8 * i, 8) == x.Matrix<float>().middleRows(16 * i, 8)).all()) << i;
  }
}

}  // namespace
}  // namespace strandcore::testing
