// The 2,040 programs of golden/order_programs.jsonl: one run, whatever its schedule, says what holds in all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/check/order_program.h"
#include "tests/check/program_run.h"

namespace strandcore {
namespace {

constexpr uint64_t kSchedules = 12;

const std::vector<JudgedProgram>& Programs() {
  static const std::vector<JudgedProgram> programs = GoldenOrderPrograms();
  return programs;
}

// How many programs are judged wrongly in some schedule.
int WronglyJudged(const OrderRules& rules) {
  int wrong = 0;
  for (const JudgedProgram& judged : Programs()) {
    bool right = true;
    for (uint64_t seed = 0; seed < kSchedules; ++seed) {
      right &= RunProgram(judged.program, seed, rules).verdict == judged.expect;
    }
    wrong += right ? 0 : 1;
  }
  return wrong;
}

// How many programs are judged wrongly by the run's own order in some schedule in which no post was seen to be late.
int WronglyJudgedByTheRun(const OrderRules& rules) {
  int wrong = 0;
  for (const JudgedProgram& judged : Programs()) {
    bool right = true;
    for (uint64_t seed = 0; seed < kSchedules; ++seed) {
      const ProgramRun run = RunProgram(judged.program, seed, rules);
      right &= run.late || run.races_of_run == judged.expect.races;
    }
    wrong += right ? 0 : 1;
  }
  return wrong;
}

TEST(GoldenOrderTest, TheProgramsAreThere) { EXPECT_GE(Programs().size(), 204u); }

TEST(GoldenOrderTest, EveryScheduleGivesTheVerdictOfAll) {
  for (const JudgedProgram& judged : Programs()) {
    for (uint64_t seed = 0; seed < kSchedules; ++seed) {
      const ProgramRun run = RunProgram(judged.program, seed);
      ASSERT_EQ(ToText(run.verdict), ToText(judged.expect)) << ToText(judged.program) << "\nseed " << seed;
    }
  }
}

TEST(GoldenOrderTest, WithoutALatePostTheRunsOwnOrderIsExact) {
  int late = 0;
  for (const JudgedProgram& judged : Programs()) {
    for (uint64_t seed = 0; seed < kSchedules; ++seed) {
      const ProgramRun run = RunProgram(judged.program, seed);
      late += run.late ? 1 : 0;
      // With one it may be too strong, never too weak.
      const auto& [truth, found] = std::tie(judged.expect.races, run.races_of_run);
      ASSERT_TRUE(run.late || found == truth) << ToText(judged.program) << "\nseed " << seed;
      ASSERT_TRUE(std::includes(truth.begin(), truth.end(), found.begin(), found.end()))
          << ToText(judged.program) << "\nseed " << seed;
    }
  }
  EXPECT_GT(late, 0);
}

TEST(GoldenOrderTest, WithoutTicksAfterPostsTheRunsOwnOrderIsWrong) {
  OrderRules rules;
  rules.tick_after_posts = false;
  EXPECT_GT(WronglyJudgedByTheRun(rules), 0);
}

TEST(GoldenOrderTest, WithoutLearningPerEntryProgramsAreMisjudged) {
  OrderRules rules;
  rules.learn_per_entry = false;
  EXPECT_GT(WronglyJudged(rules), 0);
}

TEST(GoldenOrderTest, WithoutCheckingChainsTheRunsOwnOrderIsWrong) {
  OrderRules rules;
  rules.check_chain = false;
  EXPECT_GT(WronglyJudgedByTheRun(rules), 0);
}

TEST(GoldenOrderTest, WithoutSeeingLatePostsTheRunsOwnOrderIsTakenForExact) {
  OrderRules rules;
  rules.see_late_posts = false;
  EXPECT_GT(WronglyJudgedByTheRun(rules), 0);
}

TEST(GoldenOrderTest, WithoutSolvingProgramsAreMisjudged) {
  OrderRules rules;
  rules.solve = false;
  EXPECT_GT(WronglyJudged(rules), 0);
}

}  // namespace
}  // namespace strandcore
