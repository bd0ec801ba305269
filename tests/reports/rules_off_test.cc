// Each report that is a fault needs its rule: with the checker off, or with the rule off, its test fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

struct Outcome {
  bool failed = false;
  std::set<std::string> expected;  // the kinds of fault that it looks for
};

// All tests of the reports under one policy, in a process of their own.
std::map<std::string, Outcome> RunReports(const std::string& rule_off) {
  const std::string stem = ::testing::TempDir() + "/reports_" + std::to_string(getpid()) + "_" + rule_off;
  const std::string command = std::string(kRuleOffVariable) + "='" + rule_off + "' '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter='*/eager' --gtest_output='json:" + stem + ".json' > '" + stem +
                              ".log' 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_EQ(status != 0, !rule_off.empty()) << command;
  std::map<std::string, Outcome> outcomes;
  const nlohmann::json said = nlohmann::json::parse(std::ifstream(stem + ".json"), nullptr, /*allow_exceptions=*/false);
  if (said.is_discarded()) {
    ADD_FAILURE() << "no results of: " << command << ", see " << stem << ".log";
    return outcomes;
  }
  for (const auto& suite : said["testsuites"]) {
    for (const auto& test : suite["testsuite"]) {
      Outcome& outcome = outcomes[test["classname"].get<std::string>() + "." + test["name"].get<std::string>()];
      outcome.failed = test.contains("failures");
      for (const auto& [key, value] : test.items()) {
        if (value == "expected") outcome.expected.insert(key);
      }
    }
  }
  std::remove((stem + ".json").c_str());
  std::remove((stem + ".log").c_str());
  return outcomes;
}

class RulesOffTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "it starts all tests of the reports anew";
  }
  // Every test that looks for one of `kinds`, and there are `at_least` of them, fails with the rule off.
  void ExpectToFailWithout(const std::string& rule, const std::set<FaultKind>& kinds, int at_least) {
    const std::map<std::string, Outcome> with = RunReports("");
    const std::map<std::string, Outcome> without = RunReports(rule);
    int concerned = 0;
    for (const auto& [name, outcome] : with) {
      EXPECT_FALSE(outcome.failed) << name;
      const bool is_concerned = std::any_of(kinds.begin(), kinds.end(), [&, &outcome = outcome](FaultKind kind) {
        return outcome.expected.count(FaultName(kind)) > 0;
      });
      if (!is_concerned) continue;
      ++concerned;
      const auto found = without.find(name);
      EXPECT_TRUE(found != without.end() && found->second.failed) << name << " passes without " << rule;
    }
    EXPECT_GE(concerned, at_least);
  }
};

TEST_F(RulesOffTest, WithoutTheCheckerEveryTestOfItsFaultsFails) {
  ExpectToFailWithout("checker",
                      {FaultKind::kRace, FaultKind::kUseAfterScope, FaultKind::kTransferInFlightAtExit,
                       FaultKind::kSemaphoreNotZero, FaultKind::kUninitialisedRead, FaultKind::kRevisitedOutput},
                      25);
}

TEST_F(RulesOffTest, WithoutDefinednessEveryTestOfUninitialisedReadsFails) {
  ExpectToFailWithout("definedness", {FaultKind::kUninitialisedRead}, 3);
}

TEST_F(RulesOffTest, WithoutTheEndOfScopesEveryTestOfUseAfterScopeFails) {
  ExpectToFailWithout("scopes_end", {FaultKind::kUseAfterScope}, 2);
}

}  // namespace
}  // namespace strandcore::testing
