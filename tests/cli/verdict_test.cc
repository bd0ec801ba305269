// strandcore verdict and conform on the golden order programs: what is true of a program in all its schedules is said
// from any one run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/cli/command.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/testing/sanitizer.h"
#include "tests/cli/golden_files.h"

namespace strandcore {
namespace {

std::string ProgramsFile() {
  return testing::kSanitized ? SmallGoldenFile("order_programs.jsonl") : GoldenFile("order_programs.jsonl");
}

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome RunTool(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = RunCommand(arguments, out, err);
  return {status, out.str(), err.str()};
}

class VerdictTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#ifdef STRANDCORE_TSAN
    GTEST_SKIP() << "nearly all of the programs race";
#endif
  }
};

TEST_P(VerdictTest, EveryGoldenProgramIsJudgedRight) {
  const Outcome outcome = RunTool({"conform", ProgramsFile(), GetParam()});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              ::testing::AnyOf(::testing::StartsWith("2040 of 2040"), ::testing::StartsWith("204 of 204")));
}

TEST_P(VerdictTest, SaysTheSameToTheByteHoweverItIsRun) {
  const std::string file = SmallGoldenFile("order_programs.jsonl");
  const Outcome eager = RunTool({"verdict", file});
  EXPECT_EQ(eager.status, 0) << eager.err;
  EXPECT_EQ(RunTool({"verdict", file, GetParam()}).out, eager.out);
}

INSTANTIATE_TEST_SUITE_P(On, VerdictTest,
                         ::testing::Values("--policy=eager", "--policy=on_wait", "--policy=in_order", "--policy=random",
                                           "--threads=1", "--threads=2", "--threads=4"),
                         [](const auto& info) {
                           std::string name = info.param.substr(2);
                           for (char& c : name) c = c == '=' ? '_' : c;
                           return name;
                         });

class VerdictLineTest : public ::testing::Test {
 protected:
  // Of a file of this one line.
  Outcome Run(const std::string& command, const std::string& line) {
    // ctest runs the tests of this fixture at the same time, each in a process of its own.
    const std::string path = ::testing::TempDir() + "/verdict_line_" + std::to_string(getpid()) + ".jsonl";
    std::ofstream(path) << line << "\n";
    const Outcome outcome = RunTool({command, path});
    std::remove(path.c_str());
    return outcome;
  }
};

TEST_F(VerdictLineTest, PrintsRacesWhatBlocksAndWhatIsLeft) {
  const Outcome outcome =
      Run("verdict", R"({"name":"p","cells":1,"semaphores":[{"owner":0,"kind":"regular"}],"transfers":[],)"
                     R"("cores":[[["read",0],["wait",0,2]],[["write",0],["signal",0,1]]]})");
  EXPECT_EQ(outcome.out, R"({"name":"p","races":[["c0.0","c1.0"]],"racy_cells":[0],"blocked":[[0,1]],"left":[1]})"
                         "\n");
}

TEST_F(VerdictLineTest, AMalformedProgramIsOneLineAndStatusTwo) {
  const char* const lines[] = {
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[]})",
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[[["read",1]]]})",
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[[["signal",0,1]]]})",
      R"({"name":"p","cells":1,"semaphores":[{"owner":1,"kind":"dma"}],"transfers":[],"cores":[[]]})",
      R"({"name":"p","cells":1,"semaphores":[],"cores":[[]]})",
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[[1],[]]})",
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[["x"],[]]})",
      R"({"name":"p","cells":1,"semaphores":[],"transfers":[],"cores":[[[]],[]]})",
      // Waits for another core's, signals what copies pay, sends on another core's and on a regular semaphore.
      R"({"name":"p","cells":1,"semaphores":[{"owner":1,"kind":"dma"}],"transfers":[],"cores":[[["wait",0,1]],[]]})",
      R"({"name":"p","cells":1,"semaphores":[{"owner":0,"kind":"dma"}],"transfers":[],"cores":[[["signal",0,1]],[]]})",
      R"({"name":"p","cells":1,"semaphores":[{"owner":1,"kind":"dma"}],)"
      R"("transfers":[{"source":0,"target":null,"units":1,"send":0}],"cores":[[["start",0]],[]]})",
      R"({"name":"p","cells":1,"semaphores":[{"owner":0,"kind":"regular"}],)"
      R"("transfers":[{"source":0,"target":null,"units":1,"send":0}],"cores":[[["start",0]],[]]})",
      R"({"cells":"x"})",
  };
  for (const char* line : lines) {
    const Outcome outcome = Run("verdict", line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, ::testing::ContainsRegex("verdict_line_[0-9]+\\.jsonl:1: ")) << line;
  }
  EXPECT_EQ(Run("conform", R"({"name":"p","cells":0,"semaphores":[],"transfers":[],"cores":[[]]})").status, 2);
}

}  // namespace
}  // namespace strandcore
