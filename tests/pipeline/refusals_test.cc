// Calls of the pipeline that are refused, each by what was expected and what was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/base/refusal.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string EmitText(RefFunction body, PipelineOptions options) {
  const absl::Status status = EmitPipeline(std::move(body), std::move(options)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(EmitRefusalTest, StaticGridSizesMustBePositive) {
  EXPECT_EQ(EmitText(Nothing, {.grid = {0, 2}}), "grid: expected a positive size in dimension 0, given 0");
  EXPECT_EQ(EmitText(Nothing, {.grid = {2, -1}}), "grid: expected a positive size in dimension 1, given -1");
}

TEST(EmitRefusalTest, AGridHasAtMostEightDimensions) {
  EXPECT_EQ(EmitText(Nothing, {.grid = Grid(9, GridDim(1))}), "grid: expected at most 8 dimensions, given 9");
}

TEST(EmitRefusalTest, FlagsMustBeOneOrAsManyAsOutputs) {
  const PipelineOptions options = {.grid = {1}, .out_specs = {StayingTile()}, .should_accumulate_out = {true, false}};
  EXPECT_EQ(EmitText(Nothing, options),
            "should_accumulate_out: expected one flag, or one for each of 1 outputs, given 2");
  EXPECT_TRUE(EmitPipeline(Nothing, {.grid = {1}, .should_accumulate_out = true}).ok());
}

TEST(EmitRefusalTest, ThereMustBeABody) {
  EXPECT_EQ(EmitText(RefFunction(), {.grid = {1}}), "body: expected a function, given none");
}

TEST(EmitRefusalTest, WithAllocationsItCannotBeSplit) {  // quirk Q18
  const absl::Status status = EmitPipelineWithAllocations(Nothing, {.grid = {2}, .core_axis = 0}).status();
  EXPECT_EQ(status.message(), "core_axis: a pipeline with allocations cannot be split over cores, given axis 0");
  EXPECT_FALSE(EmitPipelineWithAllocations(Nothing, {.grid = {0}}).ok());
}

// What a run of a pipeline over x and y, both (16, 128) float32, says.
class PipelineRefusalTest : public ::testing::Test {
 protected:
  std::string Text(const RefFunction& kernel, int cores = 1) {
    return RefusalText(kernel, {In("x", x_), Out("y", y_)}, {.cores = cores});
  }
  std::string Text(const PipelineOptions& options, int cores = 1) { return Text(Once(Emit(Nothing, options)), cores); }
  RefusalKind Kind(const PipelineOptions& options, int cores = 1) {
    return RefusalKindOf(Failing(Once(Emit(Nothing, options)), {In("x", x_), Out("y", y_)}, {.cores = cores}).status);
  }

  Array x_ = Numbers(DType::kFloat32, {16, 128});
  Array y_ = Numbers(DType::kFloat32, {16, 128});
  const PipelineOptions good_ = {.grid = {2}, .in_specs = {RowTile()}, .out_specs = {RowTile()}};
};

TEST_F(PipelineRefusalTest, TheNumberOfOperandsMustFitTheSpecs) {
  EXPECT_THAT(Text({.grid = {2}, .in_specs = {RowTile()}}),
              StartsWith("pipeline: expected 1 inputs and 0 outputs, given 2 operands"));
}

TEST_F(PipelineRefusalTest, TheNumberOfOperandsMustFitTheAllocations) {
  const Pipeline pipeline = Emit(Nothing, good_);
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    Allocations allocations = pipeline.MakeAllocations(core, {x, y});
    pipeline(core, {x}, {.allocations = &allocations});
  };
  EXPECT_THAT(Text(kernel), StartsWith("pipeline: its allocations are for 2 operands, given 1"));
}

TEST_F(PipelineRefusalTest, ElementTypesMustFitTheAllocations) {
  const Pipeline pipeline = Emit(Nothing, good_);
  Array other = Numbers(DType::kInt32, {16, 128});
  auto kernel = [&](KernelContext& core, Ref x, Ref y, Ref other) {
    Allocations allocations = pipeline.MakeAllocations(core, {x, y});
    pipeline(core, {other, y}, {.allocations = &allocations});
  };
  EXPECT_THAT(RefusalText(kernel, {In("x", x_), Out("y", y_), In("other", other)}),
              StartsWith("operand other: expected float32 as its allocations, given int32"));
}

TEST_F(PipelineRefusalTest, ShapesOfALaterCycleMustFitTheBlocks) {
  const Pipeline pipeline = Emit(Nothing, good_);
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    Allocations allocations = pipeline.MakeAllocations(core, {x, y});
    pipeline(core, {x.At(0), y}, {.allocations = &allocations});
  };
  EXPECT_THAT(Text(kernel), HasSubstr("operand x: expected an array of at least 2 dimensions"));
}

TEST_F(PipelineRefusalTest, TheBodyMustTakeAllWindowsAndScratches) {
  EXPECT_THAT(Text(Once(Emit([](KernelContext&, Ref) {}, good_))), StartsWith("body: it takes 1 refs, given 2"));
  auto kernel = [this](KernelContext& core, Refs refs) {
    core.RunScoped([&](Ref scratch) { Emit(Copy<float>, good_)(core, refs, {.scratches = {scratch}}); },
                   Vmem({8, 128}, DType::kFloat32));
  };
  EXPECT_THAT(Text(kernel), StartsWith("body: it takes 2 refs, given 3"));
}

TEST_F(PipelineRefusalTest, AnIndexMapMustAnswerInTheBlocksRank) {
  PipelineOptions options = good_;
  options.in_specs[0].index_map = [](GridIndex g) { return BlockIndex{g[0]}; };
  EXPECT_EQ(Kind(options), RefusalKind::kIndexMapRankMismatch);
  EXPECT_THAT(Text(options), StartsWith("operand x: at grid point (0,) the index map answers (0,), expected 2 numbers, "
                                        "one for each dimension of the block (8, 128)"));
}

TEST_F(PipelineRefusalTest, AnIndexMapMustBeThere) {
  PipelineOptions options = good_;
  options.out_specs[0].index_map = nullptr;
  EXPECT_THAT(Text(options), StartsWith("operand y: expected an index map, given none"));
}

TEST_F(PipelineRefusalTest, ABlockMustDivideOrBeAMultipleOfTheTile) {
  PipelineOptions options = good_;
  options.in_specs[0].block = {12, 128};
  EXPECT_EQ(Kind(options), RefusalKind::kBlockNotMultipleOfTile);
  EXPECT_THAT(Text(options), StartsWith("operand x: block shape (12, 128) is not a multiple of the tile (8, 128)"));
}

TEST_F(PipelineRefusalTest, ARowIsNoOperand) {
  Array row = Numbers(DType::kFloat32, {256});
  const Pipeline pipeline = Emit(Nothing, {.grid = {2}, .in_specs = {BlockSpec({128}, Picking({0}))}});
  const RunReport report = Failing(Once(pipeline), {In("row", row)});
  EXPECT_EQ(RefusalKindOf(report.status), RefusalKind::kRankBelow2);
  EXPECT_THAT(std::string(report.status.message()), HasSubstr("operand row: "));
}

TEST_F(PipelineRefusalTest, AnOutputMustBeWritable) {
  EXPECT_THAT(RefusalText(Once(Emit(Copy<float>, good_)), {In("x", x_), In("y", y_)}),
              StartsWith("copy into operand y: expected an operand given with Out or InOut, it was given with In"));
  PipelineOptions options = good_;
  options.should_accumulate_out = true;
  EXPECT_THAT(RefusalText(Once(Emit(Copy<float>, options)), {In("x", x_), In("y", y_)}), HasSubstr("operand y"));
}

TEST_F(PipelineRefusalTest, AGridThatCannotBeSplit) {
  PipelineOptions options = good_;
  options.core_axis = 0;
  EXPECT_EQ(Kind(options, 2), RefusalKind::kNoParallelDimension);
  options.dimension_semantics = {kArbitrary};
  EXPECT_EQ(Kind(options, 2), RefusalKind::kNoParallelDimension);
  options.dimension_semantics = {kParallel, kParallel};
  EXPECT_EQ(Kind(options, 2), RefusalKind::kSemanticsRankMismatch);
  options.dimension_semantics = {kParallel};
  options.grid = {Dynamic(2)};
  EXPECT_EQ(Kind(options, 2), RefusalKind::kOnlyDynamicParallelDimensions);
}

TEST_F(PipelineRefusalTest, ACoreAxisMustBeThere) {
  PipelineOptions options = good_;
  options.core_axis = 1;
  EXPECT_THAT(Text(options), StartsWith("core_axis: expected an axis of the enclosing grid, which has 1, given 1"));
}

TEST_F(PipelineRefusalTest, IsTheSameOnACoreWithoutSteps) {
  // Core 1 has no steps; its operands are refused all the same, and so is the run.
  PipelineOptions options = good_;
  options.grid = {1};
  options.core_axis = 0;
  options.dimension_semantics = {kParallel};
  options.in_specs[0].block = {8};
  EXPECT_THAT(Text(options, 2), HasSubstr("operand x: block (8,) has 1 dimensions, the array (16, 128) has 2"));
}

TEST_F(PipelineRefusalTest, PrefetchOfAnOutputDoesNothing) {
  const Pipeline pipeline = Emit(Copy<float>, good_);
  auto prefetch = [](BufferedRefs all, Scheduler& s) { s.Prefetch(all[1], Ref()); };
  EXPECT_THAT(TraceOf(Once(pipeline, {.prefetch = prefetch}), {In("x", x_), Out("y", y_)}), ::testing::SizeIs(11));
}

TEST_F(PipelineRefusalTest, CopiesOfTheWrongSortAreRefused) {
  const Pipeline pipeline = Emit(Nothing, good_);
  auto kernel = [&](auto call) {
    return [&pipeline, call](KernelContext& core, Ref x, Ref y) {
      Allocations allocations = pipeline.MakeAllocations(core, {x, y});
      call(core, allocations.refs(), x, y);
    };
  };
  const GridIndex zero = {0};
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref, Ref y) { all[1].CopyIn(core, y, zero); })),
              StartsWith("operand y: copy_in of an output"));
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref, Ref y) { all[1].WaitIn(core, y, zero); })),
              StartsWith("operand y: wait_in of an output"));
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref x, Ref) { all[0].CopyOut(core, x, zero); })),
              StartsWith("operand x: copy_out of an input"));
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref x, Ref) { all[0].WaitOut(core, x, zero); })),
              StartsWith("operand x: wait_out of an input"));
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref, Ref) { all[1].SetAccumulator(core, true); })),
              StartsWith("operand y: set_accumulator of an output"));
  EXPECT_THAT(Text(kernel([&](auto& core, BufferedRefs all, Ref, Ref) { all[0].Accumulate(core); })),
              StartsWith("operand x: accumulate of an input"));
}

}  // namespace
}  // namespace strandcore::testing
