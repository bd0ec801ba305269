// Operands that live in VMEM: windows that alias them, without copies (seed_pipeline.md 1.4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using AliasTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(AliasTest);

constexpr MemorySpace kVmem = MemorySpace::kVmem;

BlockSpec Alias(BlockSpec spec) {
  spec.memory_space = kVmem;
  return spec;
}

TEST_P(AliasTest, NothingIsCopied) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array y(DType::kFloat32, {16, 256});
  const Pipeline pipeline = Emit(Double, {.grid = {2, 2}, .in_specs = {Alias(Tile())}, .out_specs = {Alias(Tile())}});
  const RunReport report = Run(Once(pipeline), {In("x", x, kVmem), Out("y", y, kVmem)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.counters.transfers, 0);
  EXPECT_EQ(report.counters.waits, 0);
  EXPECT_EQ(report.counters.steps, 4);
}

TEST_P(AliasTest, StandsBesideOperandsInHbm) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array y(DType::kFloat32, {16, 256});
  const Pipeline pipeline = Emit(Double, {.grid = {2, 2}, .in_specs = {Alias(Tile())}, .out_specs = {Tile()}});
  const RunReport report = Run(Once(pipeline), {In("x", x, kVmem), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.counters.transfers, 4);
}

TEST_P(AliasTest, AnOperandInVmemIsCopiedWhereItsSpecDoesNotSayVmem) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array y(DType::kFloat32, {16, 256});
  const Pipeline pipeline = Emit(Double, {.grid = {2, 2}, .in_specs = {Tile()}, .out_specs = {Tile()}});
  const RunReport report = Run(Once(pipeline), {In("x", x, kVmem), Out("y", y, kVmem)});
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.CountersOf("x").copies_in, 4);
  EXPECT_EQ(report.CountersOf("y").copies_out, 4);
}

TEST_P(AliasTest, MayHaveOneDimension) {
  Array x = Numbers(DType::kFloat32, {512});
  Array y(DType::kFloat32, {512});
  const BlockSpec spec({128}, Picking({0}), kVmem);
  const Pipeline pipeline = Emit(Double, {.grid = {4}, .in_specs = {spec}, .out_specs = {spec}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x, kVmem), Out("y", y, kVmem)}), IsClean());
  for (int64_t i : {0, 127, 128, 511}) EXPECT_EQ(y.Get({i}), 2 * x.Get({i}));
}

TEST_P(AliasTest, MayHaveSqueezedDimensions) {
  Array x = Numbers(DType::kFloat32, {2, 8, 256});
  Array y(DType::kFloat32, {2, 8, 256});
  const BlockSpec spec({std::nullopt, 8, 128}, Picking({0, -1, 1}), kVmem);
  const Pipeline pipeline = Emit(Double, {.grid = {2, 2}, .in_specs = {spec}, .out_specs = {spec}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x, kVmem), Out("y", y, kVmem)}), IsClean());
  for (int64_t i : {0, 1}) EXPECT_TRUE((y.Matrix<float>({i}) == 2.0f * x.Matrix<float>({i})).all());
}

// Writes 1 at a block's first visit, adds 1 at the others.
void CountsVisits(KernelContext& core, const Ref& z) {
  if (core.ProgramId(1) == 0) z.Write<float>().setZero();
  z.ReadWrite<float>() += 1.0f;
}

TEST_P(AliasTest, AnAccumulatorAddsToWhatIsThere) {
  Array z = Numbers(DType::kFloat32, {16, 128});
  const Array before = z;
  const PipelineOptions options = {.grid = {2, 3}, .out_specs = {Alias(RowTile())}, .should_accumulate_out = true};
  ASSERT_THAT(Run(Once(Emit(CountsVisits, options)), {InOut("z", z, kVmem)}), IsClean());
  EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 3.0f).all());
}

TEST_P(AliasTest, AnInitialisedAccumulatorDoesNot) {
  Array z = Numbers(DType::kFloat32, {16, 128});
  const PipelineOptions options = {.grid = {2, 3}, .out_specs = {Alias(RowTile())}, .should_accumulate_out = true};
  ASSERT_THAT(Run(Once(Emit(CountsVisits, options), {.init_accumulators = true}), {InOut("z", z, kVmem)}), IsClean());
  EXPECT_TRUE((z.Matrix<float>() == 3.0f).all());
}

TEST_P(AliasTest, AnAccumulatorMayHaveOneDimension) {
  Array z = Numbers(DType::kFloat32, {256});
  const Array before = z;
  const PipelineOptions options = {
      .grid = {2, 3}, .out_specs = {BlockSpec({128}, Picking({0}), kVmem)}, .should_accumulate_out = true};
  ASSERT_THAT(Run(Once(Emit(CountsVisits, options)), {InOut("z", z, kVmem)}), IsClean());
  for (int64_t i : {0, 127, 128, 255}) EXPECT_EQ(z.Get({i}), before.Get({i}) + 3);
}

TEST_P(AliasTest, OfAScratchIsFine) {
  Array y(DType::kFloat32, {16, 128});
  auto fill = [](KernelContext& core, Ref tile) {
    tile.Write<float>().setConstant(static_cast<float>(core.ProgramId(0)));
  };
  const Pipeline pipeline = Emit(fill, {.grid = {2}, .out_specs = {Alias(RowTile())}});
  auto kernel = [&](KernelContext& core, Ref y) {
    auto body = [&](Ref scratch) {
      pipeline(core, {scratch});
      core.SyncCopy(scratch, y);
    };
    core.RunScoped(body, Vmem({16, 128}, DType::kFloat32));
  };
  ASSERT_THAT(Run(kernel, {Out("y", y)}), IsClean());
  EXPECT_EQ(y.Get({7, 0}), 0);
  EXPECT_EQ(y.Get({8, 0}), 1);
}

TEST_P(AliasTest, ABlockThatIsNotThereIsOutOfBounds) {
  Array x = Numbers(DType::kFloat32, {16, 128});
  const BlockSpec spec(
      {8, 128},
      [](GridIndex g) {
        return BlockIndex{g[0] + 1, 0};
      },
      kVmem);
  const RunReport report = Run(Once(Emit(Nothing, {.grid = {2}, .in_specs = {spec}})), {In("x", x, kVmem)});
  EXPECT_THAT(report, HasFault(FaultKind::kOutOfBounds,
                               ::testing::HasSubstr("operand x, grid point (1,): block (2, 0) of (8, 128) lies "
                                                    "outside the array (16, 128) in dimension 0")));
}

// Times the block it would overflow: to 0, which is there, or to something below it.
TEST_P(AliasTest, ABlockFarOffIsOutOfBoundsToo) {
  Array x = Numbers(DType::kFloat32, {16, 128});
  for (int64_t far : {int64_t{1} << 61, (int64_t{1} << 61) + 1, int64_t{1} << 60, std::numeric_limits<int64_t>::max(),
                      std::numeric_limits<int64_t>::min()}) {
    const BlockSpec spec(
        {8, 128},
        [far](GridIndex) {
          return BlockIndex{far, 0};
        },
        kVmem);
    const RunReport report = Run(Once(Emit(Nothing, {.grid = {1}, .in_specs = {spec}})), {In("x", x, kVmem)});
    EXPECT_THAT(report, HasFault(FaultKind::kOutOfBounds, ::testing::HasSubstr("lies outside the array"))) << far;
  }
}

TEST_P(AliasTest, OverHbmIsRefused) {
  Array x = Numbers(DType::kFloat32, {16, 128});
  const Pipeline pipeline = Emit(Nothing, {.grid = {2}, .in_specs = {Alias(RowTile())}});
  EXPECT_THAT(Run(Once(pipeline), {In("x", x)}),
              IsRefused("operand x: its spec says that it lives in VMEM (its window is an alias of it), it lives in "
                        "HBM"));
}

}  // namespace
}  // namespace strandcore::testing
