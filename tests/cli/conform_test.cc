// The golden cases, on every policy and number of threads; and that a wrong pipeline does not pass them.
#include "runtime/cli/conform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/cli/case.h"
#include "runtime/cli/command.h"
#include "runtime/cli/run_case.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/pipeline/scheduler.h"
#include "runtime/testing/sanitizer.h"
#include "tests/cli/golden_files.h"

namespace strandcore::testing {
namespace {

std::vector<Json> Cases(const std::string& path) {
  std::ifstream file(path);
  std::vector<Json> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(Json::parse(line));
  return cases;
}

std::vector<Json> SmallCases() { return Cases(SmallGoldenFile("seed_cases.jsonl")); }

[[maybe_unused]] bool HasRaces(const Json& line) {
  const Json& expect = line["expect"];
  return line.value("cross_core", false) || (expect.contains("hazards") && !expect["hazards"].empty());
}

// The file that a build runs. ThreadSanitizer rightly reports the cases that race, so it gets the others.
std::string CasesFile() {
#ifdef STRANDCORE_TSAN
  const std::string path = ::testing::TempDir() + "/cases_without_races_" + std::to_string(getpid()) + ".jsonl";
  std::ofstream file(path);
  for (const Json& line : SmallCases()) {
    if (!HasRaces(line) && !line["expect"].contains("deadlock")) file << line.dump() << "\n";
  }
  return path;
#else
  return kSanitized ? SmallGoldenFile("seed_cases.jsonl") : GoldenFile("seed_cases.jsonl");
#endif
}

class ConformTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformTest, EveryGoldenCaseIsReproduced) {
  const std::string path = CasesFile();
  const size_t cases = Cases(path).size();
  ASSERT_GT(cases, 50u);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunCommand({"conform", path, GetParam()}, out, err), 0) << out.str() << err.str();
  const std::string all = std::to_string(cases);
  EXPECT_THAT(out.str(), ::testing::StartsWith(all + " of " + all + " cases conform ("));
  EXPECT_EQ(err.str(), "");
}

TEST(GoldenFilesTest, HoldAllTheirCases) {
  EXPECT_EQ(SmallCases().size(), 120u);
  const std::string all = GoldenFile("seed_cases.jsonl");
  if (all != SmallGoldenFile("seed_cases.jsonl")) {
    EXPECT_EQ(Cases(all).size(), 1200u);
  }
}

INSTANTIATE_TEST_SUITE_P(AllExecutors, ConformTest,
                         ::testing::Values("--policy=eager", "--policy=on_wait", "--policy=in_order", "--policy=random",
                                           "--threads=1", "--threads=2", "--threads=4"));

// A pipeline broken on purpose races, and ThreadSanitizer says so before the test can.
#ifdef STRANDCORE_TSAN
#define SKIP_UNDER_THREAD_SANITIZER() GTEST_SKIP() << "races on purpose"
#else
#define SKIP_UNDER_THREAD_SANITIZER() static_cast<void>(0)
#endif

// How many golden cases differ when this is done to every schedule.
int DifferingCases(const std::function<Schedule(const Schedule&)>& alter) {
  int differing = 0;
  CaseRunOptions options;
  options.alter_schedule = alter;
  for (const Json& line : SmallCases()) {
#ifdef STRANDCORE_TSAN
    if (HasRaces(line)) continue;
#endif
    absl::StatusOr<Case> parsed = ParseCase(line);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    absl::StatusOr<Json> result = RunCase(*parsed, options);
    EXPECT_TRUE(result.ok()) << result.status();
    absl::StatusOr<Expectation> expected = ParseExpectation(line);
    EXPECT_TRUE(expected.ok()) << expected.status();
    if (!Difference(*expected, *result, true).empty()) ++differing;
  }
  return differing;
}

TEST(BrokenPipelineTest, UnalteredSchedulesConform) {
  EXPECT_EQ(DifferingCases([](const Schedule& schedule) { return schedule; }), 0);
}

TEST(BrokenPipelineTest, AWaitOutThatIgnoresTheFirstStepIsFound) {
  SKIP_UNDER_THREAD_SANITIZER();
  EXPECT_GT(DifferingCases([](const Schedule& schedule) {
              Schedule broken = schedule;
              broken.wait_out = [](const Scheduler& s, const BufferedRef& b, const Ref&) {
                return !s.first_step() && s.HasChanged(b);
              };
              return broken;
            }),
            0);
}

TEST(BrokenPipelineTest, ACopyInPhaseThatNeverCopiesIsFound) {
  SKIP_UNDER_THREAD_SANITIZER();
  EXPECT_GT(DifferingCases([](const Schedule& schedule) {
              Schedule broken = schedule;
              broken.copy_in = [](const Scheduler&, const BufferedRef&, const Ref&) { return false; };
              return broken;
            }),
            0);
}

TEST(BrokenPipelineTest, APrologueThatCopiesAccumulatorsBeingInitialisedIsFound) {
  SKIP_UNDER_THREAD_SANITIZER();
  EXPECT_GT(DifferingCases([](const Schedule& schedule) {
              Schedule broken = schedule;
              broken.prologue_copy_in = [](const Scheduler& s, const BufferedRef&, const Ref&) {
                return s.first_step_ever();
              };
              return broken;
            }),
            0);
}

// Carries out a phase of the scheduler from inside a predicate of another, which is asked before that one acts. The
// objects are the loop's own and not constant; only predicates are shown them so.
using SchedulerPhase = void (Scheduler::*)(BufferedRef&, const Ref&, const Schedule&);
void CarryOut(SchedulerPhase phase, const Scheduler& scheduler, const BufferedRef& ref, const Ref& array,
              const Schedule& schedule) {
  (const_cast<Scheduler&>(scheduler).*phase)(const_cast<BufferedRef&>(ref), array, schedule);
}

// A predicate that is false for operands of this type: their phase has been carried out already.
Schedule::Predicate NeverFor(BufferType type, const Schedule::Predicate& otherwise) {
  return [=](const Scheduler& s, const BufferedRef& b, const Ref& array) {
    return b.type() != type && otherwise(s, b, array);
  };
}

// The loop with two phases the wrong way round, for operands of one type.
Schedule CopiesOutBeforeItWaitsOut(const Schedule& schedule) {
  Schedule broken = schedule;
  broken.wait_out = [schedule](const Scheduler& s, const BufferedRef& b, const Ref& array) {
    if (b.type() == BufferType::kOutput) CarryOut(&Scheduler::CopyOut, s, b, array, schedule);
    return schedule.wait_out(s, b, array);
  };
  broken.copy_out = NeverFor(BufferType::kOutput, schedule.copy_out);
  return broken;
}

Schedule CopiesInBeforeItWaitsIn(const Schedule& schedule) {
  Schedule broken = schedule;
  broken.wait_in = [schedule](const Scheduler& s, const BufferedRef& b, const Ref& array) {
    if (b.type() == BufferType::kInput) CarryOut(&Scheduler::CopyIn, s, b, array, schedule);
    return schedule.wait_in(s, b, array);
  };
  broken.copy_in = NeverFor(BufferType::kInput, schedule.copy_in);
  return broken;
}

void ExpectFoundByConform(const ScheduleChange& alter) {
  SKIP_UNDER_THREAD_SANITIZER();
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunCommand({"conform", CasesFile()}, out, err, {}, alter), 1) << err.str();
  EXPECT_THAT(out.str(), ::testing::HasSubstr("trace["));
}

TEST(BrokenPhaseTest, UnalteredPhasesConform) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunCommand({"conform", CasesFile()}, out, err, {}, [](const Schedule& schedule) { return schedule; }), 0);
}

TEST(BrokenPhaseTest, WaitOutAndCopyOutTheWrongWayRoundAreFound) { ExpectFoundByConform(CopiesOutBeforeItWaitsOut); }

TEST(BrokenPhaseTest, WaitInAndCopyInTheWrongWayRoundAreFound) { ExpectFoundByConform(CopiesInBeforeItWaitsIn); }

std::string DifferenceFrom(const Json& golden, const Json& result, bool as_the_seed) {
  absl::StatusOr<Expectation> expected = ParseExpectation(golden);
  EXPECT_TRUE(expected.ok()) << expected.status();
  return Difference(*expected, result, as_the_seed);
}

TEST(DifferenceTest, NamesTheFirstTraceEntryThatDiffers) {
  const Json golden = Json::parse(R"({"expect":{"trace":[["wi",0,[0,0],[8,128]],["acc",1]],"outputs":[]}})");
  const Json result = Json::parse(R"({"trace":[["wi",0,[0,0],[8,128]],["acc",2]],"outputs":[]})");
  EXPECT_EQ(DifferenceFrom(golden, result, true), R"(trace[1]: expected ["acc",1], given ["acc",2])");
}

TEST(DifferenceTest, AMissingEntryIsADifference) {
  const Json golden = Json::parse(R"({"expect":{"trace":[["acc",1]],"outputs":[]}})");
  EXPECT_THAT(DifferenceFrom(golden, Json::parse(R"({"trace":[],"outputs":[]})"), true),
              ::testing::HasSubstr("expected 1 entries, given 0"));
}

TEST(DifferenceTest, OutputsCountWhereOneOrderIsLegalOrTheOrderIsTheSeeds) {
  const Json safe = Json::parse(R"({"expect":{"trace":[],"outputs":[1.0],"hazards":[]}})");
  const Json risky = Json::parse(R"({"expect":{"trace":[],"outputs":[1.0],"hazards":["core-read/dma-write"]}})");
  const Json clean = Json::parse(R"({"trace":[],"outputs":[2.0],"hazards":[]})");
  const Json racy = Json::parse(R"({"trace":[],"outputs":[2.0],"hazards":["core-read/dma-write"]})");
  EXPECT_NE(DifferenceFrom(safe, clean, false), "");
  EXPECT_NE(DifferenceFrom(risky, racy, true), "");
  EXPECT_EQ(DifferenceFrom(risky, racy, false), "");
}

TEST(DifferenceTest, HazardsAndRacesBetweenCoresCount) {
  const Json golden = Json::parse(R"({"expect":{"trace":[],"outputs":[],"hazards":["b","a"]},"cross_core":true})");
  const Json equal = Json::parse(R"({"trace":[],"outputs":[],"hazards":["a","b"],"cross_core":true})");
  EXPECT_EQ(DifferenceFrom(golden, equal, true), "");
  const Json fewer = Json::parse(R"({"trace":[],"outputs":[],"hazards":["a"],"cross_core":true})");
  EXPECT_EQ(DifferenceFrom(golden, fewer, true), R"(hazards: expected ["a","b"], given ["a"])");
  const Json within = Json::parse(R"({"trace":[],"outputs":[],"hazards":["a","b"],"cross_core":false})");
  EXPECT_EQ(DifferenceFrom(golden, within, true), "cross_core: expected 1, given 0");
}

TEST(DifferenceTest, IntegersAndFloatsOfEqualValueAreEqual) {
  const Json golden = Json::parse(R"({"expect":{"trace":[],"outputs":[3],"hazards":[]}})");
  EXPECT_EQ(DifferenceFrom(golden, Json::parse(R"({"trace":[],"outputs":[3.0]})"), true), "");
}

TEST(DifferenceTest, AnErrorOfAnotherNameIsADifference) {
  const Json golden = Json::parse(R"({"expect":{"error":"rank-below-2"}})");
  EXPECT_EQ(DifferenceFrom(golden, Json::parse(R"({"error":"rank-below-2"})"), true), "");
  EXPECT_EQ(DifferenceFrom(golden, Json::parse(R"({"trace":[],"outputs":[]})"), true),
            "error: expected rank-below-2, given none");
}

}  // namespace
}  // namespace strandcore::testing
