// The golden traces of seed_pipeline.md 1.8 and 1.17, event by event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TraceTest, ACopyOverThreeBlocks) {
  Array x = Numbers(DType::kFloat32, {24, 128});
  Array o(DType::kFloat32, {24, 128});
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {3}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  EXPECT_THAT(TraceOf(Once(pipeline), {In("x", x), Out("o", o)}),
              ElementsAre("cycle 0",                                                                         //
                          "ci x s1 (0, 0)", "wi x (0, 0)", "ci x s0 (8, 0)", "body (0,)", "co o s0 (0, 0)",  //
                          "wi x (8, 0)", "ci x s1 (16, 0)", "body (1,)", "wo o (0, 0)", "co o s1 (8, 0)",    //
                          "wi x (16, 0)", "body (2,)", "wo o (8, 0)", "co o s0 (16, 0)", "wo o (16, 0)"));
  EXPECT_EQ(x, o);
}

TEST(TraceTest, AnAccumulatorOverTwoBlocksOfTwoSteps) {
  Array x = Numbers(DType::kFloat32, {16, 256});
  Array z = Numbers(DType::kFloat32, {16, 128});
  const Pipeline pipeline = Emit(
      Copy<float>, {.grid = {2, 2}, .in_specs = {Tile()}, .out_specs = {RowTile()}, .should_accumulate_out = true});
  EXPECT_THAT(TraceOf(Once(pipeline), {In("x", x), InOut("z", z)}),
              ElementsAre("cycle 0",                                                                       //
                          "ci x s1 (0, 0)", "ci z s1 (0, 0)", "wi x (0, 0)", "wi z (0, 0)", "set z load",  //
                          "ci x s0 (0, 128)", "body (0, 0)",                                               //
                          "wi x (0, 128)", "ci x s1 (8, 0)", "ci z s0 (8, 0)", "body (0, 1)", "acc z",     //
                          "co z s1 (0, 0)",                                                                //
                          "wi x (8, 0)", "wi z (8, 0)", "set z load", "ci x s0 (8, 128)", "body (1, 0)",   //
                          "wo z (0, 0)",                                                                   //
                          "wi x (8, 128)", "body (1, 1)", "acc z", "co z s0 (8, 0)", "wo z (8, 0)"));
}

// Two cycles over one accumulator block, the first of which zeroes it.
RefFunction TwoCyclesFixed() {
  const Pipeline pipeline = Emit(
      Copy<float>, {.grid = {2}, .in_specs = {RowTile()}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  return [pipeline](KernelContext& core, Refs refs) {
    Allocations allocations = pipeline.MakeAllocations(core, refs);
    const Schedule& fixed = Schedule::Fixed();
    for (bool first : {true, false}) {
      pipeline(core, refs,
               {.allocations = &allocations,
                .first_cycle = first,
                .last_cycle = !first,
                .init_accumulators = first,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], refs[0], fixed); },
                .postyeet = [](BufferedRefs, Scheduler&) {},
                .schedule = fixed});
    }
  };
}

TEST(TraceTest, TwoFusedCyclesKeepTheSumInVmemUnderFixed) {
  Array x = Numbers(DType::kFloat32, {16, 128});
  Array z = Numbers(DType::kFloat32, {8, 128});
  EXPECT_THAT(TraceOf(TwoCyclesFixed(), {In("x", x), InOut("z", z)}),
              ElementsAre("cycle 0",                                                                                 //
                          "ci x s1 (0, 0)", "wi x (0, 0)", "set z zero", "ci x s0 (8, 0)", "body (0,)", "postyeet",  //
                          "wi x (8, 0)", "ci x s1 (0, 0)", "body (1,)", "acc z",                                     //
                          "cycle 1",                                                                                 //
                          "wi x (0, 0)", "set z load", "ci x s0 (8, 0)", "body (0,)", "postyeet",                    //
                          "wi x (8, 0)", "body (1,)", "acc z", "co z s0 (0, 0)", "wo z (0, 0)"));
}

TEST(TraceTest, OperandsAreVisitedInOrderInsideEachPhase) {
  Array a = Numbers(DType::kFloat32, {8, 128});
  Array b = a, o = a, z = a;
  const Pipeline pipeline = Emit(Nothing, {.grid = {1},
                                           .in_specs = {StayingTile(), StayingTile()},
                                           .out_specs = {StayingTile(), StayingTile()},
                                           .should_accumulate_out = {false, true}});
  EXPECT_THAT(TraceOf(Once(pipeline), {In("a", a), In("b", b), InOut("o", o), InOut("z", z)}),
              ElementsAre("cycle 0", "ci a s1 (0, 0)", "ci b s1 (0, 0)", "ci z s1 (0, 0)", "wi a (0, 0)", "wi b (0, 0)",
                          "wi z (0, 0)", "set z load", "body (0,)", "co o s0 (0, 0)", "acc z", "co z s1 (0, 0)",
                          "wo o (0, 0)", "wo z (0, 0)"));
}

TEST(TraceTest, CallbacksComeBeforeAndAfterTheBody) {
  std::vector<std::string> said;
  auto body = [&](KernelContext& core, Refs) { said.push_back(absl::StrCat("body ", core.ProgramId(0))); };
  const Pipeline pipeline = Emit(body, {.grid = {3}});
  auto kernel = Once(pipeline, {.prefetch =
                                    [&](BufferedRefs, Scheduler& s) {
                                      said.push_back(absl::StrCat("prefetch at ", s.step(), " of ", s.num_steps()));
                                    },
                                .postyeet =
                                    [&](BufferedRefs, Scheduler& s) {
                                      said.push_back(absl::StrCat("postyeet at ", s.step(), " of ", s.num_steps()));
                                    }});
  EXPECT_THAT(TraceOf(kernel, {}), ElementsAre("cycle 0", "body (0,)", "postyeet", "body (1,)", "body (2,)"));
  EXPECT_THAT(said, ElementsAre("body 0", "postyeet at 0 of 3", "body 1", "prefetch at 2 of 3", "body 2"));
}

TEST(TraceTest, AnEmptyGridIsOneStep) {
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128});
  const Pipeline pipeline = Emit(Copy<float>, {.in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
  EXPECT_THAT(TraceOf(Once(pipeline), {In("x", x), Out("y", y)}),
              ElementsAre("cycle 0", "ci x s1 (0, 0)", "wi x (0, 0)", "body ()", "co y s0 (0, 0)", "wo y (0, 0)"));
  EXPECT_EQ(x, y);
}

TEST(TraceTest, ADynamicSizeOf0OrLessDoesNothingAtAll) {
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y = x;
  auto never = [](BufferedRefs, Scheduler&) { ADD_FAILURE() << "a callback was called"; };
  for (const Grid& grid : {Grid{Dynamic(0)}, Grid{Dynamic(-3)}, Grid{Dynamic(-2), Dynamic(-2)}, Grid{2, Dynamic(0)}}) {
    const Pipeline pipeline = Emit(Nothing, {.grid = grid, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
    const std::vector<std::string> trace =
        TraceOf(Once(pipeline, {.prefetch = never, .postyeet = never}), {In("x", x), InOut("y", y)});
    EXPECT_THAT(trace, ElementsAre("cycle 0"));
  }
  EXPECT_EQ(x, y);
}

TEST(TraceTest, EventsSayWhereTheyAreAndHowMuchMoves) {
  Array x = Numbers(DType::kFloat32, {12, 200});
  Recorder recorder;
  Simulator simulator({.observer = &recorder});
  const Pipeline pipeline = Emit(Nothing, {.grid = {2, 2}, .in_specs = {Tile()}});
  ASSERT_TRUE(simulator.Run(Once(pipeline), {In("x", x)}).ok());
  std::vector<std::string> copies;
  for (const Event& event : recorder.EventsOf({})) {
    // The line is that of the pipeline's call, in Once.
    if (event.kind == Event::Kind::kCopyIn) {
      copies.push_back(std::regex_replace(EventText(event), std::regex("support.h:[0-9]+"), "support.h"));
    }
  }
  EXPECT_THAT(copies,
              ElementsAre("core 0, cycle 0, step (0, 0), initialize of x (support.h): copy_in, slot 1, start (0, 0), "
                          "size (8, 128)",
                          "core 0, cycle 0, step (0, 0), copy_in of x (support.h): copy_in, slot 0, start (0, 128), "
                          "size (8, 128)",
                          "core 0, cycle 0, step (0, 1), copy_in of x (support.h): copy_in, slot 1, start (8, 0), "
                          "size (8, 128)",
                          "core 0, cycle 0, step (1, 0), copy_in of x (support.h): copy_in, slot 0, start (8, 128), "
                          "size (8, 128)"));
}

TEST(TraceTest, ACoreWithoutStepsIssuesNothing) {
  Array x = Numbers(DType::kFloat32, {24, 128});
  Array y(DType::kFloat32, {24, 128});
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {3},
                                               .in_specs = {RowTile()},
                                               .out_specs = {RowTile()},
                                               .core_axis = 0,
                                               .dimension_semantics = {kParallel}});
  const Operands operands = {In("x", x), Out("y", y)};
  EXPECT_THAT(TraceOf(Once(pipeline), operands, 4, CoreId{0, 3}), ElementsAre("cycle 0"));
  EXPECT_EQ(x, y);
  EXPECT_THAT(TraceOf(Once(pipeline), operands, 4, CoreId{0, 1}),
              ElementsAre("cycle 0", "ci x s1 (8, 0)", "wi x (8, 0)", "body (1,)", "co y s0 (8, 0)", "wo y (8, 0)"));
}

}  // namespace
}  // namespace strandcore::testing
