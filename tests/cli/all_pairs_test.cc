// All pairs of accesses in the golden pipelines: the kinds of those that nothing orders are the golden hazards, so the
// checker, which drops what a later access makes needless, loses no kind.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "runtime/cli/case.h"
#include "runtime/cli/run_case.h"
#include "runtime/testing/sanitizer.h"
#include "tests/cli/golden_files.h"
#include "tests/verdict/all_pairs.h"

namespace strandcore {
namespace {

struct Found {
  std::set<std::string> within;  // one core: "core-read/dma-write", the later one first
  bool between = false;
};

Found FoundIn(AllPairs& all) {
  Found found;
  for (const UnorderedPair& pair : all.Unordered()) {
    if (pair.one->access.ends || pair.other->access.ends) continue;
    if (pair.one->access.core != pair.other->access.core) {
      found.between = true;
    } else {
      found.within.insert(std::string(AccessKindName(pair.one->kind())) + "/" + AccessKindName(pair.other->kind()));
    }
  }
  return found;
}

// The races among the golden hazards.
std::set<std::string> RacesOf(const Json& expect) {
  std::set<std::string> races;
  for (const std::string kind : expect["hazards"]) {
    if (kind.find('/') != std::string::npos) races.insert(kind);
  }
  return races;
}

// Returns how many cases were compared.
int Compare(const std::string& path) {
  std::ifstream file(path);
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    const Json& expect = json["expect"];
    if (!expect.contains("hazards")) continue;
    const bool between = json.value("cross_core", false);
#ifdef STRANDCORE_TSAN
    if (between || !expect["hazards"].empty()) continue;  // the sanitizer reports it too
#endif
    const absl::StatusOr<Case> given = ParseCase(json);
    EXPECT_TRUE(given.ok()) << given.status();
    if (!given.ok()) break;
    AllPairs all(given->cores.value_or(1));
    CaseRunOptions options;
    options.policy = Policy::Random(static_cast<uint64_t>(compared));
    options.checker_hook = &all;
    EXPECT_TRUE(RunCase(*given, options).ok()) << given->name;
    const Found found = FoundIn(all);
    EXPECT_EQ(found.within, RacesOf(expect)) << given->name;
    EXPECT_EQ(found.between, between) << given->name;
    ++compared;
  }
  return compared;
}

TEST(AllPairsTest, OfTheGoldenPipelinesAreTheirHazards) { EXPECT_GT(Compare(SmallGoldenFile("seed_cases.jsonl")), 40); }
TEST(LongAllPairsTest, OfAllGoldenPipelinesAreTheirHazards) { EXPECT_GT(Compare(GoldenFile("seed_cases.jsonl")), 40); }

}  // namespace
}  // namespace strandcore
