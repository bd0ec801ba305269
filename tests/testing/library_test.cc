// The library for tests of kernels, used as a user would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/matchers.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void CopyThrough(KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y); }

class LibraryTest : public ScheduleTest {};
STRANDCORE_ON_EVERY_BACKEND(LibraryTest);

TEST_P(LibraryTest, ACleanRunIsCleanAndHasItsTransfers) {
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128});
  const RunReport report = Run(CopyThrough, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_THAT(report, HasTransfers("x", 1));
  EXPECT_THAT(report, Not(HasTransfers("x", 2)));
  EXPECT_EQ(x, y);
}

TEST_P(LibraryTest, ADeadlockIsAFaultAndNotClean) {
  const RunReport report = Run([](KernelContext& core) {
    core.RunScoped([&](SemaphoreRef never) { core.Wait(never); }, RegularSemaphore({}, "never"));
  });
  EXPECT_THAT(report, Not(IsClean()));
  EXPECT_THAT(report, HasFault(FaultKind::kDeadlock, HasSubstr("never holds 0 of 1 unit")));
  EXPECT_THAT(report, Not(HasFault(FaultKind::kCapacity)));
}

TEST_P(LibraryTest, ExpectationsInsideAKernelWorkOnEveryBackend) {
  const RunReport report = Run(
      [](KernelContext& core) {
        EXPECT_EQ(core.NumPrograms("core"), 2);
        EXPECT_LT(core.ProgramId("core"), 2);
      },
      {}, /*cores=*/2);
  EXPECT_THAT(report, IsClean());
}

// Not a test of its own: what a failing one prints is looked at by the test below.
class FailingTest : public ScheduleTest {};
STRANDCORE_ON_EVERY_BACKEND(FailingTest);

TEST_P(FailingTest, FailsInABody) {
  if (std::getenv("STRANDCORE_PLANT_A_FAILURE") == nullptr) GTEST_SKIP() << "fails only where it is asked to";
  Array x = Array::Iota(DType::kFloat32, {16, 128});
  BlockSpec block({8, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0}; });
  auto pipeline = EmitPipeline([](KernelContext& core, const Ref&) { EXPECT_EQ(core.ProgramId(0), 0) << "planted"; },
                               {.grid = {2}, .in_specs = {block}});
  Run(*pipeline, {In("x", x)});
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (size_t bytes = fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, bytes);
  pclose(pipe);
  return output;
}

TEST(FailureTextTest, NamesCoreGridPointAndWhatItRanOn) {
  const std::string self = "/proc/" + std::to_string(getpid()) + "/exe";
  const std::string output =
      OutputOf("STRANDCORE_PLANT_A_FAILURE=1 " + self + " --gtest_filter=*FailingTest.FailsInABody/random_1 2>&1");
  EXPECT_THAT(output, HasSubstr("planted"));
  EXPECT_THAT(output, HasSubstr("  in core 0, cycle 0, step (1,), body"));
  EXPECT_THAT(output, HasSubstr("  ran on: policy random, seed 1"));
  EXPECT_THAT(output, HasSubstr("1 FAILED TEST"));
}

TEST(SeedsTest, TheEnvironmentSetsHowManySeedsAreTried) {
  const std::string self = "/proc/" + std::to_string(getpid()) + "/exe";
  const std::string output =
      OutputOf("STRANDCORE_SEEDS=5 " + self + " --gtest_list_tests --gtest_filter=*LibraryTest*");
  EXPECT_THAT(output, HasSubstr("random_5"));
  EXPECT_THAT(output, Not(HasSubstr("random_6")));
}

TEST(RecorderTest, VisitedPointsNameEachPointAndItsCore) {
  Recorder recorder;
  Simulator simulator({.cores = 2, .observer = &recorder});
  auto pipeline =
      EmitPipeline([](KernelContext&, Refs) {}, {.grid = {2}, .core_axis = 0, .dimension_semantics = {kParallel}});
  EXPECT_THAT(simulator.Run(*pipeline, {}), IsClean());
  const std::vector<VisitedPoint> expected = {{{0, 0}, {0}}, {{0, 1}, {1}}};
  EXPECT_EQ(VisitedPoints(recorder), expected);
}

}  // namespace
}  // namespace strandcore::testing
