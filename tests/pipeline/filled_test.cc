// KernelContext::Filled: the part of a body's window that lies within its array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using FilledTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(FilledTest);

BlockSpec Blocks() {
  return BlockSpec({16, 128}, [](GridIndex g) { return BlockIndex{g[0], g[1]}; });
}

TEST_P(FilledTest, IsWhatTheArrayHasOfABlockAtItsEdge) {
  const Array x = Array::Iota(DType::kFloat32, {20, 300});
  Array y(DType::kFloat32, {20, 300});
  auto body = [](KernelContext& core, Ref x, Ref y) {
    const Ref part = core.Filled(x);
    EXPECT_EQ(part.shape(), (Dims{core.ProgramId(0) == 0 ? 16 : 4, core.ProgramId(1) < 2 ? 128 : 44}));
    core.Filled(y).Write<float>() = 2.0f * part.Read<float>();
  };
  const Pipeline pipeline = *EmitPipeline(body, {.grid = {2, 3}, .in_specs = {Blocks()}, .out_specs = {Blocks()}});
  const RunReport report = Run(pipeline, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_TRUE(report.proved);
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
}

TEST_P(FilledTest, LeavesOutSqueezedDimensionsAndKnowsAliases) {
  const Array x = Array::Iota(DType::kFloat32, {3, 20, 128});
  Array y(DType::kFloat32, {20, 128});
  const BlockSpec planes({std::nullopt, 16, 128}, [](GridIndex g) { return BlockIndex{2, g[0], 0}; });
  const BlockSpec rows(
      {16, 128},
      [](GridIndex g) {
        return BlockIndex{g[0], 0};
      },
      MemorySpace::kVmem);
  auto body = [](KernelContext& core, Ref x, Ref y) { core.Filled(y).Write<float>() = core.Filled(x).Read<float>(); };
  const Pipeline pipeline = *EmitPipeline(body, {.grid = {2}, .in_specs = {planes}, .out_specs = {rows}});
  EXPECT_THAT(Run(pipeline, {In("x", x), Out("y", y, MemorySpace::kVmem)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({2})).all());
}

TEST_P(FilledTest, InANestedPipelineMeansEachWindowsOwnArray) {
  const Array x = Array::Iota(DType::kFloat32, {20, 128});
  Array y(DType::kFloat32, {20, 128});
  auto body = [](KernelContext& core, Ref outer_x, Ref outer_y) {
    const Ref from = core.Filled(outer_x), to = core.Filled(outer_y);
    const BlockSpec eight(
        {8, 128},
        [](GridIndex g) {
          return BlockIndex{g[0], 0};
        },
        MemorySpace::kVmem);
    auto inner_body = [&](KernelContext& inner, Ref x, Ref y) {
      EXPECT_EQ(inner.Filled(outer_x).shape(), from.shape());
      inner.Filled(y).Write<float>() = inner.Filled(x).Read<float>();
    };
    const int64_t steps = (from.shape()[0] + 7) / 8;
    (*EmitPipeline(inner_body, {.grid = {steps}, .in_specs = {eight}, .out_specs = {eight}}))(
        core, std::vector<Ref>{from, to});
  };
  const BlockSpec rows({16, 128}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
  EXPECT_THAT(
      Run(*EmitPipeline(body, {.grid = {2}, .in_specs = {rows}, .out_specs = {rows}}), {In("x", x), Out("y", y)}),
      IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(FilledTest, GivesOtherViewsBackAndRefusesPartsOfAWindow) {
  const Array x = Array::Iota(DType::kFloat32, {20, 128});
  const BlockSpec rows({16, 128}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
  for (bool part : {false, true}) {
    auto body = [part](KernelContext& core, Ref x) {
      core.RunScoped([&](Ref tile) { EXPECT_EQ(core.Filled(tile).shape(), tile.shape()); },
                     Vmem({8, 128}, DType::kFloat32));
      if (part) core.Filled(x.At(Ds(8, 8)));
    };
    const RunReport report = Run(*EmitPipeline(body, {.grid = {2}, .in_specs = {rows}}), {In("x", x)});
    if (part) {
      EXPECT_THAT(report, IsRefused("Filled: expected a window of the body, given x slot"));
    } else {
      EXPECT_THAT(report, IsClean());
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
