// ThreadSanitizer sees the races of the emulated program: a missing wait_in, a missing wait_out and a missing
// hand-over between two cores are reported in every run, on any number of threads, and the right programs in none.
//
// Each run is a child process (this binary again, with one of the tests below that are disabled otherwise): a report
// becomes its exit status. Without ThreadSanitizer the right programs run all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/testing/matchers.h"
#include "runtime/testing/sanitizer.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

// --- The programs, each run in a child.

class PlantedProgram : public ::testing::TestWithParam<int> {
 protected:
  // x -> y in five blocks of (8, 128), y under this schedule.
  void CopyUnder(const Schedule& x_schedule, const Schedule& y_schedule) {
    Array x = Numbers(DType::kFloat32, {40, 128});
    Array y(DType::kFloat32, {40, 128});
    const Pipeline pipeline = Emit(Copy<float>, {.grid = {5}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
    Simulator simulator({.threads = GetParam()});
    const RunReport report =
        simulator.Run(Once(pipeline, {.schedule = {x_schedule, y_schedule}}), {In("x", x), Out("y", y)});
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(simulator.held(), 0);
  }

  // Core 0 copies a tile into z and hands over to core 1, which copies it out of z; or does not hand over.
  void HandOver(bool hands_over);
};

// Default, but that one predicate does not hold at step 2.
Schedule Without(Schedule::Predicate Schedule::*key) {
  Schedule schedule = Schedule::Default();
  schedule.*key = [usual = schedule.*key](const Scheduler& s, const BufferedRef& ref, const Ref& source) {
    return s.step() != 2 && usual(s, ref, source);
  };
  return schedule;
}

// The semaphore of core 1, told to core 0. It orders core 0 after core 1's beginning, and nothing else.
struct Introduction {
  SemaphoreRef arrived;
  std::atomic<bool> made{false};
};

// The other core's semaphore is there once it has been told; it stays until its owner has been signalled.
void Produce(KernelContext& core, const Ref& z, Introduction& introduction, bool hands_over) {
  while (!introduction.made.load(std::memory_order_acquire)) core.Delay(1);
  auto produce = [&](Ref tile) {
    tile.Write<float>().setConstant(7);
    core.SyncCopy(tile, z);
  };
  core.RunScoped(produce, Vmem({8, 128}, DType::kFloat32));
  if (hands_over) core.Signal(introduction.arrived);
}

void Consume(KernelContext& core, const Ref& z, const Ref& y, Introduction& introduction, bool hands_over) {
  auto consume = [&](SemaphoreRef arrived, Ref tile) {
    introduction.arrived = arrived;
    introduction.made.store(true, std::memory_order_release);
    if (hands_over) core.Wait(arrived);
    core.SyncCopy(z, tile);
    tile.ReadWrite<float>() += 1.0f;
    core.SyncCopy(tile, y);
  };
  core.RunScoped(consume, RegularSemaphore(), Vmem({8, 128}, DType::kFloat32));
}

void PlantedProgram::HandOver(bool hands_over) {
  Array z(DType::kFloat32, {8, 128}), y(DType::kFloat32, {8, 128});
  Introduction introduction;
  auto kernel = [&](KernelContext& core, Ref z, Ref y) {
    if (core.core_index() == 0) {
      Produce(core, z, introduction, hands_over);
    } else {
      Consume(core, z, y, introduction, hands_over);
    }
  };
  Simulator simulator({.cores = 2, .threads = GetParam()});
  EXPECT_THAT(simulator.Run(kernel, {InOut("z", z), InOut("y", y)}), IsClean());
  EXPECT_EQ(simulator.held(), 0);
  if (hands_over) {
    EXPECT_EQ(y.Get({7, 127}), 8);
  }
}

TEST_P(PlantedProgram, DISABLED_RightCopy) { CopyUnder(Schedule::Default(), Schedule::Default()); }
TEST_P(PlantedProgram, DISABLED_MissingWaitIn) { CopyUnder(Without(&Schedule::wait_in), Schedule::Default()); }
TEST_P(PlantedProgram, DISABLED_MissingWaitOut) { CopyUnder(Schedule::Default(), Without(&Schedule::wait_out)); }
TEST_P(PlantedProgram, DISABLED_RightHandOver) { HandOver(true); }
TEST_P(PlantedProgram, DISABLED_MissingHandOver) { HandOver(false); }
INSTANTIATE_TEST_SUITE_P(On, PlantedProgram, ::testing::Values(1, 2, 4), ::testing::PrintToStringParamName());

// --- The tests, which judge the children.

constexpr int kRaceStatus = 66;
constexpr int kRuns = Times(3, 20);

// The exit status of one program on so many threads; -1 if it ended otherwise. It says nothing.
int StatusOf(const std::string& program, int threads) {
  const std::string filter = absl::StrCat("--gtest_filter=On/PlantedProgram.DISABLED_", program, "/", threads);
  fflush(nullptr);  // or the child would say it again
  const pid_t child = fork();
  if (child == 0) {
    setenv("TSAN_OPTIONS", absl::StrCat("halt_on_error=0 atexit_sleep_ms=0 exitcode=", kRaceStatus).c_str(), 1);
    if (freopen("/dev/null", "w", stdout) == nullptr || freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    execl("/proc/self/exe", "pipeline_test", "--gtest_also_run_disabled_tests", filter.c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

class PlantedRaceTest : public ::testing::TestWithParam<int> {
 protected:
  void ExpectStatus(const std::string& program, int expected) {
    for (int run = 0; run < kRuns; ++run) ASSERT_EQ(StatusOf(program, GetParam()), expected) << "run " << run;
  }
};
INSTANTIATE_TEST_SUITE_P(On, PlantedRaceTest, ::testing::Values(1, 2, 4), ::testing::PrintToStringParamName());

TEST_P(PlantedRaceTest, ARightCopyIsNotReported) { ExpectStatus("RightCopy", 0); }
TEST_P(PlantedRaceTest, ARightHandOverIsNotReported) { ExpectStatus("RightHandOver", 0); }

#ifdef STRANDCORE_RACES_ARE_REPORTED
TEST_P(PlantedRaceTest, AMissingWaitInIsReported) { ExpectStatus("MissingWaitIn", kRaceStatus); }
TEST_P(PlantedRaceTest, AMissingWaitOutIsReported) { ExpectStatus("MissingWaitOut", kRaceStatus); }
TEST_P(PlantedRaceTest, AMissingHandOverIsReported) { ExpectStatus("MissingHandOver", kRaceStatus); }
#endif

}  // namespace
}  // namespace strandcore::testing
