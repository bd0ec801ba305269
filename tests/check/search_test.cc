// One run against all schedules: freshly made programs, judged by exhaustive search.
#include "tests/check/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/check/closure.h"
#include "tests/check/program_generator.h"
#include "tests/check/program_run.h"

namespace strandcore {
namespace {

struct Tally {
  int judged = 0;
  int racy = 0;
  int blocked = 0;
  int late = 0;
  int passes = 0;
  // Programs that have one.
  int with_one_semaphore = 0;  // that a transfer pays twice
  int with_copy_to_itself = 0;
  int with_peek = 0;
};

void CountTraits(const OrderProgram& program, Tally& tally) {
  bool one_semaphore = false, copy_to_itself = false, peek = false;
  for (const auto& transfer : program.transfers) {
    one_semaphore |= transfer.send == transfer.receive;
    copy_to_itself |= transfer.source >= 0 && transfer.source == transfer.target;
  }
  for (const auto& core : program.cores) {
    for (const auto& operation : core) {
      peek |= operation.kind == OrderProgram::Operation::Kind::kWaitWithoutDecrement;
    }
  }
  tally.with_one_semaphore += one_semaphore ? 1 : 0;
  tally.with_copy_to_itself += copy_to_itself ? 1 : 0;
  tally.with_peek += peek ? 1 : 0;
}

// Runs a program under some schedules; each must say what `truth` says.
void ExpectJudged(const OrderProgram& program, const OrderVerdict& truth, int schedules, Tally& tally) {
  bool late = false;
  for (int i = 0; i < schedules; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i) + 6 * static_cast<uint64_t>(tally.judged);
    const ProgramRun run = RunProgram(program, seed);
    ASSERT_EQ(ToText(run.verdict), ToText(truth)) << ToText(program) << "\nseed " << seed;
    ASSERT_TRUE(run.late || run.races_of_run == truth.races) << ToText(program) << "\nseed " << seed;
    late |= run.late;
    tally.passes = std::max(tally.passes, run.passes);
  }
  CountTraits(program, tally);
  ++tally.judged;
  tally.racy += truth.races.empty() ? 0 : 1;
  tally.blocked += truth.blocked.empty() ? 0 : 1;
  tally.late += late ? 1 : 0;
}

// Programs with more than `limit` states are replaced by others.
Tally Compare(int count, uint64_t first_seed, int schedules, size_t limit) {
  Tally tally;
  for (uint64_t seed = first_seed; tally.judged < count && !testing::Test::HasFatalFailure(); ++seed) {
    const OrderProgram program = GenerateOrderProgram(seed);
    const std::optional<OrderVerdict> truth = SearchAllSchedules(program, limit);
    if (truth.has_value()) ExpectJudged(program, *truth, schedules, tally);
  }
  return tally;
}

TEST(SearchTest, AnyRunOfAGeneratedProgramSaysWhatTheSearchSays) {
  const Tally tally = Compare(300, 1, 6, 5'000);
  RecordProperty("passes", tally.passes);
  // The programs are of all kinds.
  EXPECT_GT(tally.racy, 30);
  EXPECT_GT(tally.judged - tally.racy, 30);
  EXPECT_GT(tally.blocked, 5);
  EXPECT_GT(tally.late, 10);
  EXPECT_GT(tally.with_one_semaphore, 20);
  EXPECT_GT(tally.with_copy_to_itself, 20);
  EXPECT_GT(tally.with_peek, 20);
}

TEST(LongSearchTest, AnyRunOfTenThousandGeneratedProgramsSaysWhatTheSearchSays) {
  const Tally tally = Compare(10'000, 100'000, 12, 50'000);
  EXPECT_EQ(tally.judged, 10'000);
  RecordProperty("late", tally.late);
  RecordProperty("passes", tally.passes);
}

TEST(SearchTest, ItAgreesWithTheGoldenPrograms) {
  int compared = 0;
  for (const JudgedProgram& judged : GoldenOrderPrograms()) {
    if (compared == 100) break;
    const std::optional<OrderVerdict> truth = SearchAllSchedules(judged.program, 5'000);
    if (!truth.has_value()) continue;
    EXPECT_EQ(ToText(*truth), ToText(judged.expect)) << ToText(judged.program);
    ++compared;
  }
  EXPECT_EQ(compared, 100);
}

// Programs too large for a search, with many transfers in one slot and long chains of waits.
Tally CompareLarge(int count, uint64_t first_seed, int steps) {
  Tally tally;
  for (uint64_t seed = first_seed; tally.judged < count && !testing::Test::HasFatalFailure(); ++seed) {
    const OrderProgram program = GenerateOrderProgram(seed, steps);
    ExpectJudged(program, JudgeByClosure(program), 6, tally);
  }
  return tally;
}

TEST(ClosureTest, ItAgreesWithTheSearch) {
  int compared = 0;
  for (uint64_t seed = 1'000'000; compared < 300; ++seed) {
    const OrderProgram program = GenerateOrderProgram(seed);
    const std::optional<OrderVerdict> truth = SearchAllSchedules(program, 5'000);
    if (!truth.has_value()) continue;
    ASSERT_EQ(ToText(JudgeByClosure(program)), ToText(*truth)) << ToText(program);
    ++compared;
  }
}

TEST(ClosureTest, AnyRunOfALargeProgramSaysWhatTheClosureSays) {
  const Tally tally = CompareLarge(100, 1, 60);
  EXPECT_GT(tally.late, 10);
  EXPECT_GT(tally.passes, 2);
  CompareLarge(10, 1, 250);
}

TEST(LongClosureTest, AnyRunOfThousandsOfLargePrograms) {
  CompareLarge(10'000, 5'000, 40);
  CompareLarge(1'000, 5'000, 120);
}

}  // namespace
}  // namespace strandcore
