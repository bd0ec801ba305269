// Any run of a generated kernel says what a search over all its schedules says.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/testing/sanitizer.h"
#include "tests/check/closure.h"
#include "tests/check/search.h"
#include "tests/verdict/kernel_generator.h"
#include "tests/verdict/kernel_program.h"
#include "tests/verdict/kernel_run.h"

namespace strandcore {
namespace {

using testing::kSanitized;
using testing::Times;

struct Tally {
  int judged = 0;
  int clean = 0;
  int racy = 0;
  int blocked = 0;
  int used_after_scope = 0;
  int in_flight = 0;
};

std::vector<SimulatorOptions> Backends(uint64_t seed) {
  std::vector<SimulatorOptions> backends(5);
  backends[0].policy = Policy::Eager();
  backends[1].policy = Policy::OnWait();
  backends[2].policy = Policy::Random(seed);
  backends[3].policy = Policy::Random(seed + 1);
  backends[4].threads = 2;
  if (seed % 4 == 0) {
    backends.emplace_back();
    backends.back().threads = 1;
  }
  return backends;
}

// Faults that are not judged here do not count.
bool IsJudged(const Fault& fault) {
  return fault.kind == FaultKind::kRace || fault.kind == FaultKind::kDeadlock ||
         fault.kind == FaultKind::kUseAfterScope || fault.kind == FaultKind::kTransferInFlightAtExit;
}

// The uses after a scope that a report which names these transfers is about.
std::set<RacePair> UsesOf(const KernelVerdict& truth, const std::set<int>& transfers) {
  std::set<RacePair> uses;
  for (const auto& [a, b] : truth.uses_after_scope) {
    const std::string& transfer = a[0] == 't' ? a : b;
    if (transfers.contains(std::stoi(transfer.substr(1)))) uses.emplace(a, b);
  }
  return uses;
}

// A report does not name every pair, but one for every element that has a pair.
void ExpectVerdict(const UnrolledKernel& unrolled, const KernelVerdict& truth, const KernelRun& run) {
  ASSERT_TRUE(run.report.status.ok()) << run.report.status;
  for (const RacePair& pair : run.verdict.races) {
    ASSERT_TRUE(truth.races.contains(pair)) << pair.first << "-" << pair.second << " is no race";
  }
  KernelVerdict found = run.verdict;
  ASSERT_EQ(RacedFor(unrolled, found.races), RacedFor(unrolled, truth.races)) << ToText(found);
  found.races = truth.races;
  for (const int transfer : found.used_after_scope) {
    ASSERT_TRUE(truth.used_after_scope.contains(transfer)) << "t" << transfer << " ends before its memory";
  }
  ASSERT_EQ(RacedFor(unrolled, UsesOf(truth, found.used_after_scope)), RacedFor(unrolled, truth.uses_after_scope));
  found.used_after_scope = truth.used_after_scope;
  ASSERT_EQ(ToText(found), ToText(truth));
  const bool others = std::any_of(run.report.faults.begin(), run.report.faults.end(),
                                  [](const Fault& fault) { return !IsJudged(fault); });
  ASSERT_TRUE(others || run.report.proved == truth.clean()) << run.report;
}

std::string FindingsOf(const RunReport& report) {
  std::string text;
  for (const Fault& fault : report.faults) text += fault.ToString() + " x" + std::to_string(fault.count) + "\n";
  for (const Note& note : report.notes) text += note.ToString() + "\n";
  return text;
}

void JudgeOne(const KernelProgram& program, const UnrolledKernel& unrolled, const OrderVerdict& found, uint64_t seed,
              Tally& tally) {
  const KernelVerdict truth = VerdictOf(unrolled, found);
#ifdef STRANDCORE_TSAN
  if (!truth.clean()) return;  // the sanitizer reports it too
#endif
  std::optional<std::string> first;
  for (const SimulatorOptions& backend : Backends(seed)) {
    SCOPED_TRACE(ToText(program) + "\n" + ToText(unrolled.program) + "\ntruth: " + ToText(truth) +
                 (backend.threads > 0 ? "\nthreads " + std::to_string(backend.threads)
                                      : "\npolicy " + backend.policy->ToString()));
    const KernelRun run = RunKernel(program, unrolled, !truth.blocked.empty(), backend);
    ExpectVerdict(unrolled, truth, run);
    if (::testing::Test::HasFatalFailure()) return;
    const std::string text = FindingsOf(run.report);
    if (!first.has_value()) first = text;
    ASSERT_EQ(text, *first) << "the report depends on the schedule";
  }
  ++tally.judged;
  tally.clean += truth.clean() ? 1 : 0;
  tally.racy += truth.races.empty() ? 0 : 1;
  tally.blocked += truth.blocked.empty() ? 0 : 1;
  tally.used_after_scope += truth.used_after_scope.empty() ? 0 : 1;
  tally.in_flight += truth.in_flight.empty() ? 0 : 1;
}

// Kernels with more than `limit` states are replaced by others.
Tally Judge(int count, uint64_t first_seed, size_t limit) {
  Tally tally;
  for (uint64_t seed = first_seed; tally.judged < count && !::testing::Test::HasFatalFailure(); ++seed) {
    const KernelProgram program = GenerateKernel(seed);
    const UnrolledKernel unrolled = Unroll(program);
    const std::optional<OrderVerdict> found = SearchAllSchedules(unrolled.program, limit);
    if (found.has_value()) JudgeOne(program, unrolled, *found, seed, tally);
  }
  return tally;
}

// Kernels too large for a search.
Tally JudgeLarge(int count, uint64_t first_seed, int steps) {
  Tally tally;
  for (uint64_t seed = first_seed; tally.judged < count && !::testing::Test::HasFatalFailure(); ++seed) {
    const KernelProgram program = GenerateKernel(seed, steps);
    const UnrolledKernel unrolled = Unroll(program);
    JudgeOne(program, unrolled, JudgeByClosure(unrolled.program), seed, tally);
  }
  return tally;
}

TEST(GeneratedKernelsTest, TheClosureAgreesWithTheSearch) {
  int compared = 0;
  for (uint64_t seed = 1'000'000; compared < Times(300, 50); ++seed) {
    const UnrolledKernel unrolled = Unroll(GenerateKernel(seed));
    const std::optional<OrderVerdict> found = SearchAllSchedules(unrolled.program, 5'000);
    if (!found.has_value()) continue;
    const OrderVerdict closure = JudgeByClosure(unrolled.program);
    ASSERT_EQ(ToText(VerdictOf(unrolled, closure)), ToText(VerdictOf(unrolled, *found))) << ToText(unrolled.program);
    ++compared;
  }
}

TEST(GeneratedKernelsTest, AnyRunSaysWhatTheSearchSays) {
  const Tally tally = Judge(kSanitized ? 60 : 300, 1, 5'000);
  RecordProperty("clean", tally.clean);
  RecordProperty("racy", tally.racy);
  RecordProperty("blocked", tally.blocked);
  RecordProperty("used_after_scope", tally.used_after_scope);
  RecordProperty("in_flight", tally.in_flight);
  if (kSanitized) return;
  // The kernels are of all kinds.
  EXPECT_GT(tally.clean, 30);
  EXPECT_GT(tally.racy, 30);
  EXPECT_GT(tally.blocked, 3);
  EXPECT_GT(tally.used_after_scope, 10);
  EXPECT_GT(tally.in_flight, 10);
}

// Under the thread sanitizer only clean ones are run, and few are.
TEST(GeneratedKernelsTest, AnyRunOfALargeOneSaysWhatTheClosureSays) { JudgeLarge(Times(40, 4), 1, 15); }

TEST(LongGeneratedKernelsTest, AnyRunOfALargeOneSaysWhatTheClosureSays) {
  EXPECT_EQ(JudgeLarge(3'000, 10'000, 12).judged, 3'000);
  EXPECT_EQ(JudgeLarge(200, 10'000, 30).judged, 200);
}

TEST(LongGeneratedKernelsTest, AnyRunOfTenThousandSaysWhatTheSearchSays) {
  EXPECT_EQ(Judge(10'000, 100'000, 20'000).judged, 10'000);
}

}  // namespace
}  // namespace strandcore
