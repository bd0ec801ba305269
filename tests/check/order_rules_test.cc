// Each part of the rule is needed: without it a small program is misjudged.
#include <gtest/gtest.h>

#include "tests/check/order_program.h"
#include "tests/check/program_run.h"

namespace strandcore {
namespace {

constexpr uint64_t kSchedules = 30;

// Core 0 may be paid by either signal; core 2's may come after its first wait.
OrderProgram EitherPays() {
  OrderProgram program;
  program.cells = 1;
  program.owners = {0};
  program.cores = {{Wait(0), Read(0), Wait(0)}, {Write(0), Signal(0)}, {Signal(0)}};
  return program;
}
const std::set<RacePair> kEitherPaysRaces = {{"c0.1", "c1.0"}};

// Both starts are known by one wait, neither completion is.
OrderProgram TwoStarts() {
  OrderProgram program;
  program.cells = 3;
  program.owners = {1};
  program.cores = {{Write(0), Start(0), Start(1)}, {Wait(0), Read(0)}};
  program.transfers = {{-1, 1, 1, 0, -1}, {-1, 2, 1, 0, -1}};
  return program;
}

// The write comes after the signal.
OrderProgram WriteAfterSignal() {
  OrderProgram program;
  program.cells = 1;
  program.owners = {1};
  program.cores = {{Read(0), Signal(0), Write(0)}, {Wait(0), Read(0)}};
  return program;
}

// In how many of the schedules the solved order, or the run's own if `own`, finds other pairs than `races`.
int Misjudged(const OrderProgram& program, const std::set<RacePair>& races, const OrderRules& rules, bool own) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    const ProgramRun run = RunProgram(program, seed, rules);
    const bool taken = own && !run.late;
    wrong += (taken ? run.races_of_run : run.verdict.races) == races ? 0 : 1;
  }
  return wrong;
}

TEST(OrderRulesTest, WithAllRulesNothingIsMisjudged) {
  EXPECT_EQ(Misjudged(EitherPays(), kEitherPaysRaces, {}, true), 0);
  EXPECT_EQ(Misjudged(EitherPays(), kEitherPaysRaces, {}, false), 0);
  EXPECT_EQ(Misjudged(TwoStarts(), {}, {}, false), 0);
  EXPECT_EQ(Misjudged(WriteAfterSignal(), {{"c0.2", "c1.1"}}, {}, true), 0);
}

TEST(OrderRulesTest, WithoutTicksAfterPostsALaterWriteSeemsOrdered) {
  OrderRules rules;
  rules.tick_after_posts = false;
  EXPECT_GT(Misjudged(WriteAfterSignal(), {{"c0.2", "c1.1"}}, rules, true), 0);
}

TEST(OrderRulesTest, WithoutSeeingLatePostsARaceIsMissed) {
  OrderRules rules;
  rules.see_late_posts = false;
  EXPECT_GT(Misjudged(EitherPays(), kEitherPaysRaces, rules, true), 0);
}

TEST(OrderRulesTest, WithoutLearningPerEntryWhatIsOrderedIsReported) {
  OrderRules rules;
  rules.learn_per_entry = false;
  EXPECT_GT(Misjudged(TwoStarts(), {}, rules, false), 0);
}

TEST(OrderRulesTest, WithoutCheckingChainsARaceIsMissed) {
  OrderRules rules;
  rules.check_chain = false;
  EXPECT_GT(Misjudged(EitherPays(), kEitherPaysRaces, rules, true), 0);
}

// Core 2's signal may pay core 0's first wait too, but has to wait for core 3 itself.
OrderProgram EitherPaysAfterAWait() {
  OrderProgram program;
  program.cells = 1;
  program.owners = {0, 2};
  program.cores = {{Wait(0), Read(0), Wait(0)}, {Write(0), Signal(0)}, {Wait(1), Signal(0)}, {Signal(1)}};
  return program;
}

TEST(OrderRulesTest, WithoutSolvingARaceIsMissed) {
  OrderRules rules;
  rules.solve = false;
  EXPECT_GT(Misjudged(EitherPaysAfterAWait(), kEitherPaysRaces, rules, false), 0);
  EXPECT_EQ(Misjudged(EitherPaysAfterAWait(), kEitherPaysRaces, {}, false), 0);
}

}  // namespace
}  // namespace strandcore
