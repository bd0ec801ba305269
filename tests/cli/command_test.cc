// The command line: what it teaches, and how it refuses.
#include "runtime/cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace strandcore {
namespace {

using testing::HasSubstr;

int64_t LinesIn(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

constexpr char kGood[] =
    R"({"name":"one","grid":[2],"refs":[{"kind":"input","shape":[16,128],"dtype":"float32","block":[8,128],)"
    R"("map":[{"coef":[1]},{"coef":[0]}],"space":"any"},{"kind":"output","shape":[16,128],"dtype":"float32",)"
    R"("block":[8,128],"map":[{"coef":[1]},{"coef":[0]}],"space":"any"}]})";

class CommandTest : public testing::Test {
 protected:
  ~CommandTest() override { std::remove(path_.c_str()); }

  int Run(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return RunCommand(arguments, out_, err_);
  }
  int RunFile(const std::string& command, const std::string& text) {
    path_ = testing::TempDir() + "/command_test_" + std::to_string(getpid()) + ".jsonl";
    std::ofstream(path_) << text;
    return Run({command, path_});
  }
  // The good case with one part of its text replaced.
  static std::string Replaced(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  // The good case with more members.
  static std::string With(const std::string& members) {
    std::string text = kGood;
    text.back() = ',';
    return text + members + "}";
  }
  void ExpectRefused(const std::string& line, const std::string& said, const std::string& command = "trace") {
    EXPECT_EQ(RunFile(command, line + "\n"), 2) << line;
    EXPECT_THAT(err_.str(), HasSubstr(said));
    EXPECT_EQ(LinesIn(err_.str()), 1) << err_.str();
  }

  std::string path_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(CommandTest, HelpTeachesTheCommandsAndFlags) {
  EXPECT_EQ(Run({"--help"}), 0);
  for (const char* word :
       {"trace", "conform", "list", "run", "--policy", "--seed", "--threads", "on_wait", "Exit status"}) {
    EXPECT_THAT(out_.str(), HasSubstr(word));
  }
}

TEST_F(CommandTest, ListAndRunKnowWhatTheyAreGiven) {
  auto stop = [](KernelContext& core) { core.Check(core.num_cores() == 1, "two cores"); };
  Catalogue catalogue;
  for (int cores : {1, 2}) {
    auto run = [stop](Simulator& simulator) -> absl::StatusOr<RunReport> { return simulator.Run(stop, {}); };
    catalogue.push_back({cores == 1 ? "one" : "two_of_them", "what it does", cores, run});
  }
  EXPECT_EQ(RunCommand({"list"}, out_, err_, catalogue), 0);
  EXPECT_EQ(out_.str(), "one          what it does\ntwo_of_them  what it does\n");
  EXPECT_EQ(RunCommand({"run", "one", "--threads=1"}, out_, err_, catalogue), 0);
  EXPECT_THAT(out_.str(), HasSubstr("ok: 1 core"));
  EXPECT_EQ(RunCommand({"run", "two_of_them"}, out_, err_, catalogue), 1);
  EXPECT_THAT(out_.str(), HasSubstr("kernel-error: Check failed"));
}

TEST_F(CommandTest, WrongUseIsOneLineAndStatusTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> kWrong = {
      {{}, "expected a command, given none"},
      {{"race"}, "expected trace, conform, verdict, list or run, given \"race\""},
      {{"list", "all"}, "list: expected nothing, given 1"},
      {{"run"}, "run: expected one name, given 0"},
      {{"run", "nobody"}, "run: expected a name that strandcore list prints, given \"nobody\""},
      {{"trace"}, "trace: expected one file, given 0"},
      {{"trace", "a", "b"}, "trace: expected one file, given 2"},
      {{"trace", "/nowhere"}, "/nowhere: cannot be read"},
      {{"trace", "x", "--speed=3"}, "given --speed=3"},
      {{"trace", "x", "--policy=lazy"}, "policy: expected eager, on_wait, in_order or random, given \"lazy\""},
      {{"trace", "x", "--policy"}, "flag --policy: expected a value, given none"},
      {{"trace", "x", "--threads=two"}, "flag --threads: expected a number, given \"two\""},
      {{"trace", "x", "--threads=-1"}, "flag --threads: expected 0 or more, given -1"},
      {{"trace", "x", "--threads=2", "--policy=eager"}, "contradict each other"},
      {{"trace", "x", "--seed=1"}, "flag --seed: expected with --policy=random alone"},
  };
  for (const auto& [arguments, said] : kWrong) {
    EXPECT_EQ(Run(arguments), 2) << said;
    EXPECT_THAT(err_.str(), HasSubstr(said));
    EXPECT_EQ(LinesIn(err_.str()), 1) << err_.str();
  }
}

TEST_F(CommandTest, FlagsDoNotOutliveTheirCommand) {
  EXPECT_EQ(Run({"trace", "x", "--threads=2"}), 2);
  EXPECT_EQ(Run({"trace", "x", "--policy=random", "--seed", "3"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("x: cannot be read"));
}

TEST_F(CommandTest, TracePrintsOneObjectACase) {
  EXPECT_EQ(RunFile("trace", std::string(kGood) + "\n\n" + kGood + "\n"), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              testing::StartsWith(R"({"name":"one","trace":[["ci",0,1,[0,0],[8,128]],["wi",0,[0,0],[8,128]])"));
  EXPECT_EQ(LinesIn(out_.str()), 2);
}

TEST_F(CommandTest, ConformAnswersOneWhereACaseDiffers) {
  const std::string wrong = With(R"("expect":{"trace":[],"outputs":[0],"hazards":[]})");
  EXPECT_EQ(RunFile("conform", wrong + "\n"), 1) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("one: trace: expected 0 entries"));
  EXPECT_THAT(out_.str(), HasSubstr("0 of 1 cases conform (eager)"));
}

TEST_F(CommandTest, AMalformedExpectationIsNamedByField) {
  const std::pair<std::string, std::string> kWrong[] = {
      {R"("expect":5)", "field expect: expected an object, given 5"},
      {R"("expect":null)", "field expect: expected an object, given null"},
      {R"("expect":{})", "field expect.trace: expected, given none"},
      {R"("expect":{"error":5})", "field expect.error: expected a string, given 5"},
      {R"("expect":{"trace":5})", "field expect.trace: expected an array, given 5"},
      {R"("expect":{"trace":[5]})", "field expect.trace[0]: expected an array, given 5"},
      {R"("expect":{"trace":[]})", "field expect.outputs: expected, given none"},
      {R"("expect":{"trace":[],"outputs":{}})", "field expect.outputs: expected an array, given {}"},
      {R"("expect":{"trace":[],"outputs":["1"]})", "field expect.outputs[0]: expected a number, given \"1\""},
      {R"("expect":{"trace":[],"deadlock":true})", "field expect.deadlock: expected a string, given true"},
      {R"("expect":{"trace":[],"outputs":[],"hazards":"none"})",
       "field expect.hazards: expected an array, given \"none\""},
      {R"("expect":{"trace":[],"outputs":[],"hazards":[1]})", "field expect.hazards[0]: expected a string, given 1"},
      {R"("order_sensitive":"x","expect":{"trace":[],"outputs":[]})",
       "field order_sensitive: expected true or false, given \"x\""},
      {R"("cross_core":1,"expect":{"trace":[],"outputs":[]})", "field cross_core: expected true or false, given 1"},
  };
  for (const auto& [members, said] : kWrong) ExpectRefused(With(members), ":1: " + said, "conform");
  ExpectRefused(kGood, ":1: field expect: expected, given none", "conform");
}

TEST_F(CommandTest, TraceReadsNoExpectation) {
  EXPECT_EQ(RunFile("trace", With(R"("expect":{"error":5})") + "\n"), 0) << err_.str();
}

TEST_F(CommandTest, AFileWithoutACaseDoesNotConform) {
  for (const char* text : {"", "\n\n"}) {
    EXPECT_EQ(RunFile("conform", text), 2);
    EXPECT_THAT(err_.str(), HasSubstr(": expected at least one case, given none"));
    EXPECT_EQ(LinesIn(err_.str()), 1) << err_.str();
  }
}

TEST_F(CommandTest, AGridOfTooManyStepsIsMalformed) {
  ExpectRefused(Replaced("[2]", "[2048,2049]"), "field grid: expected at most 4194304 steps");
  ExpectRefused(Replaced("[2]", "[268435456,268435456,268435456,268435456]"), "field grid: expected at most");
  ExpectRefused(Replaced("[2]", "[268435456,2],\"dynamic\":[true,true]"), "field grid: expected at most");
  ExpectRefused(Replaced("[2]", "[0,268435456,2]"), "field grid: expected at most");
}

TEST_F(CommandTest, AWindowWithoutDimensionsIsFilled) {
  std::string line = kGood;
  for (size_t at; (at = line.find("[8,128]")) != std::string::npos;) line.replace(at, 7, "[null,null]");
  for (size_t at; (at = line.find("[16,128]")) != std::string::npos;) line.replace(at, 8, "[2,1]");
  EXPECT_EQ(RunFile("trace", line + "\n"), 0) << err_.str();
  // The input is 0, 3; the body adds the grid index + 1 times 1: 0, 4; and the sum is 0 x 1 + 4 x 2.
  EXPECT_THAT(out_.str(), HasSubstr(R"("outputs":[8.0])"));
}

TEST_F(CommandTest, AMalformedLineIsNamedByNumberAndField) {
  ExpectRefused(std::string(kGood) + "\n{", ":2: expected one JSON object, given malformed JSON");
  ExpectRefused("[1]", ":1: field (the whole line): expected an object, given [1]");
  ExpectRefused(Replaced("\"name\"", "\"nome\""), "field name: expected, given none");
  ExpectRefused(Replaced("[2]", "[2.5]"), "field grid[0]: expected an integer");
  ExpectRefused(Replaced("[2]", "\"two\""), "field grid: expected an array, given \"two\"");
  ExpectRefused(Replaced("[2]", "[99999999999999999999]"), "field grid[0]: expected an integer");
  ExpectRefused(Replaced("\"input\"", "\"in\""),
                "field refs[0].kind: expected input, output or accumulator, given \"in\"");
  ExpectRefused(Replaced("[16,128]", "[-16,128]"), "field refs[0].shape[0]: expected an integer from 0");
  ExpectRefused(Replaced("[16,128]", "[268435456,268435456]"), "field refs[0].shape: expected at most");
  ExpectRefused(Replaced("float32", "float31"), "field refs[0].dtype: expected the name of an element type");
  ExpectRefused(Replaced("[8,128]", "[0,128]"), "field refs[0].block[0]: expected an integer from 1");
  ExpectRefused(Replaced("{\"coef\":[1]}", "{\"coef\":[1,2]}"), "field refs[0].map[0].coef: expected 1 entries");
  ExpectRefused(Replaced("{\"coef\":[1]}", "{\"coef\":[1],\"div\":0}"),
                "field refs[0].map[0].div: expected an integer from 1");
  ExpectRefused(Replaced("\"any\"", "\"hbm\""), "field refs[0].space: expected any or vmem, given \"hbm\"");
}

TEST_F(CommandTest, ARefusedCaseIsAResultAndNotMalformed) {
  const std::string rank = Replaced("{\"coef\":[1]},{\"coef\":[0]}", "{\"coef\":[1]}");
  EXPECT_EQ(RunFile("trace", rank + "\n"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr(R"("error":"index-map-rank-mismatch")"));
}

TEST_F(CommandTest, AStaticGridSizeOfZeroIsARefusedCase) {
  EXPECT_EQ(RunFile("trace", Replaced("[2]", "[0]") + "\n"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("expected a positive size in dimension 0, given 0"));
}

}  // namespace
}  // namespace strandcore
