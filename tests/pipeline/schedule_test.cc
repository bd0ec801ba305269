// Schedules as values: by name, made by the user, one an operand, and what is refused (seed_pipeline.md 1.6, 1.11).
#include "runtime/pipeline/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

// Two cycles of two steps over x -> y, both of which stay on one block.
RefFunction TwoCycles(const Schedules& schedules) {
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {2}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
  return [=](KernelContext& core, Refs refs) {
    Allocations allocations = pipeline.MakeAllocations(core, refs);
    for (bool first : {true, false}) {
      pipeline(core, refs,
               {.allocations = &allocations,
                .first_cycle = first,
                .last_cycle = !first,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], refs[0], schedules.Of(0)); },
                .schedule = schedules});
    }
  };
}

std::vector<std::string> TraceUnder(const Schedules& schedules) {
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128});
  std::vector<std::string> trace = TraceOf(TwoCycles(schedules), {In("x", x), Out("y", y)});
  EXPECT_EQ(x, y);
  return trace;
}

const std::vector<std::string> kDefaultTrace = {
    "cycle 0", "ci x s1 (0, 0)", "wi x (0, 0)", "body (0,)",   "ci x s0 (0, 0)", "body (1,)",      "co y s0 (0, 0)",
    "cycle 1", "wi x (0, 0)",    "body (0,)",   "wo y (0, 0)", "body (1,)",      "co y s1 (0, 0)", "wo y (0, 0)"};
const std::vector<std::string> kFixedTrace = {"cycle 0",        "ci x s1 (0, 0)", "wi x (0, 0)", "body (0,)",
                                              "body (1,)",      "cycle 1",        "body (0,)",   "body (1,)",
                                              "co y s0 (0, 0)", "wo y (0, 0)"};

TEST(ScheduleValueTest, ComesFromAName) {
  EXPECT_EQ(TraceUnder(*Schedule::FromName("default")), kDefaultTrace);
  EXPECT_EQ(TraceUnder(*Schedule::FromName("fixed")), kFixedTrace);
  const absl::Status status = Schedule::FromName("lazy").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "schedule: expected default or fixed, given \"lazy\"");
}

TEST(ScheduleValueTest, IsDefaultWhereNoneIsGiven) {
  EXPECT_EQ(TraceUnder({}), kDefaultTrace);
  EXPECT_EQ(TraceUnder({std::nullopt, std::nullopt}), kDefaultTrace);
}

TEST(ScheduleValueTest, OneServesAllOperands) { EXPECT_EQ(TraceUnder(Schedule::Fixed()), kFixedTrace); }

TEST(ScheduleValueTest, EachOperandMayHaveItsOwn) {
  EXPECT_THAT(TraceUnder({std::nullopt, Schedule::Fixed()}),
              ElementsAre("cycle 0", "ci x s1 (0, 0)", "wi x (0, 0)", "body (0,)", "ci x s0 (0, 0)", "body (1,)",
                          "cycle 1", "wi x (0, 0)", "body (0,)", "body (1,)", "co y s0 (0, 0)", "wo y (0, 0)"));
  EXPECT_THAT(TraceUnder({Schedule::Fixed(), Schedule::Default()}),
              ElementsAre("cycle 0", "ci x s1 (0, 0)", "wi x (0, 0)", "body (0,)", "body (1,)", "co y s0 (0, 0)",
                          "cycle 1", "body (0,)", "wo y (0, 0)", "body (1,)", "co y s1 (0, 0)", "wo y (0, 0)"));
}

TEST(ScheduleValueTest, AUserMayReplaceOnePredicate) {
  // Copies out at every step, and so waits at every step but the first.
  Schedule eager_out = Schedule::Default();
  eager_out.copy_out = [](const Scheduler&, const BufferedRef&, const Ref&) { return true; };
  eager_out.wait_out = [](const Scheduler& s, const BufferedRef&, const Ref&) { return !s.first_step_ever(); };
  EXPECT_THAT(TraceUnder({std::nullopt, eager_out}),
              ElementsAre("cycle 0", "ci x s1 (0, 0)", "wi x (0, 0)", "body (0,)", "co y s0 (0, 0)",  //
                          "ci x s0 (0, 0)", "body (1,)", "wo y (0, 0)", "co y s1 (0, 0)",             //
                          "cycle 1", "wi x (0, 0)", "body (0,)", "wo y (0, 0)", "co y s0 (0, 0)",     //
                          "body (1,)", "wo y (0, 0)", "co y s1 (0, 0)", "wo y (0, 0)"));
}

TEST(ScheduleValueTest, PredicatesSeeWhereThePipelineStands) {
  std::vector<std::string> seen;
  Schedule schedule = Schedule::Default();
  schedule.epilogue_wait_out = [&](const Scheduler& s, const BufferedRef& ref, const Ref& source) {
    seen.push_back(absl::StrCat(ref.name(), " ", source.shape().ToString(), " ", s.step(), "/", s.num_steps(), " ",
                                s.indices().ToString(), s.first_cycle() ? " first" : "",
                                s.last_cycle() ? " last" : ""));
    return s.last_step_ever();
  };
  TraceUnder({std::nullopt, schedule});
  EXPECT_THAT(seen, ElementsAre("y (8, 128) 0/2 (0,) first", "y (8, 128) 1/2 (1,) first", "y (8, 128) 0/2 (0,) last",
                                "y (8, 128) 1/2 (1,) last"));
}

using Member = Schedule::Predicate Schedule::*;

TEST(ScheduleValueTest, AMissingKeyIsRefusedByOperandAndKey) {
  const std::vector<std::pair<Member, std::string>> keys = {{&Schedule::prologue_copy_in, "prologue_copy_in"},
                                                            {&Schedule::wait_in, "wait_in"},
                                                            {&Schedule::copy_in, "copy_in"},
                                                            {&Schedule::wait_out, "wait_out"},
                                                            {&Schedule::copy_out, "copy_out"},
                                                            {&Schedule::epilogue_wait_out, "epilogue_wait_out"}};
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y = x;
  for (const auto& [member, name] : keys) {
    Schedule schedule = Schedule::Default();
    schedule.*member = nullptr;
    const std::string text = RefusalText(TwoCycles({std::nullopt, schedule}), {In("x", x), Out("y", y)});
    EXPECT_THAT(text, ::testing::StartsWith("operand y: its schedule has no " + name + " (core 0"));
  }
}

TEST(ScheduleValueTest, PrefetchIsMissedOnlyByWhoPrefetches) {
  Schedule schedule = Schedule::Default();
  schedule.prefetch = nullptr;
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y = x;
  EXPECT_THAT(RefusalText(TwoCycles(schedule), {In("x", x), Out("y", y)}),
              ::testing::HasSubstr("operand x: its schedule has no prefetch"));
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {2}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
  EXPECT_THAT(TraceOf(Once(pipeline, {.schedule = schedule}), {In("x", x), Out("y", y)}), Contains("body (1,)"));
}

TEST(ScheduleValueTest, AListMustHaveOneEntryAnOperand) {
  Array x = Numbers(DType::kFloat32, {8, 128});
  Array y = x;
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {2}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}});
  const std::string text = RefusalText(Once(pipeline, {.schedule = {Schedule::Fixed(), std::nullopt, std::nullopt}}),
                                       {In("x", x), Out("y", y)});
  EXPECT_THAT(text, ::testing::StartsWith("schedule: expected one, or one for each of 2 operands, given 3"));
}

// z += nothing over one block, initialised, under a schedule whose input copies ignore that.
std::vector<std::string> InitialisedUnder(const Schedule& schedule) {
  Array z = Numbers(DType::kFloat32, {8, 128});
  const Pipeline pipeline = Emit(Nothing, {.grid = {1}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  return TraceOf(Once(pipeline, {.init_accumulators = true, .schedule = schedule}), {InOut("z", z)});
}

TEST(ScheduleValueTest, AUserMadeScheduleCopiesAccumulatorsInUnlessItIsWrapped) {
  Schedule own = Schedule::Default();
  own.prologue_copy_in = [](const Scheduler& s, const BufferedRef&, const Ref&) { return s.first_step_ever(); };
  own.wait_in = [](const Scheduler& s, const BufferedRef&, const Ref&) { return s.first_step(); };
  EXPECT_THAT(InitialisedUnder(own), Contains("wi z (0, 0)"));
  EXPECT_THAT(InitialisedUnder(SkipInputCopiesWhenInitAccumulators(own)), Not(Contains("wi z (0, 0)")));
  EXPECT_EQ(InitialisedUnder(SkipInputCopiesWhenInitAccumulators(own)), InitialisedUnder(Schedule::Default()));
  EXPECT_FALSE(SkipInputCopiesWhenInitAccumulators(Schedule()).wait_in);
}

}  // namespace
}  // namespace strandcore::testing
