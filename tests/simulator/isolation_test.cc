// Several simulators in one process; a simulator that is asked for two runs at once (I03, I11).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/exec/agent_identity.h"
#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kBusy[] = "a run of this simulator is on: expected to be called after its end";

using IsolationTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(IsolationTest);

TEST_P(IsolationTest, ARunInsideItsOwnKernelIsRefused) {
  Simulator& simulator = MakeSimulator();
  RunReport inner;
  EXPECT_THAT(simulator.Run([&](KernelContext&) { inner = simulator.Run([](KernelContext&) {}, {}); }, {}), IsClean());
  EXPECT_THAT(inner, IsRefused(kBusy));
  EXPECT_EQ(inner.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(simulator.Run([](KernelContext&) {}, {}), IsClean());
}

TEST_P(IsolationTest, ARunFromAnotherThreadMeanwhileIsRefused) {
  Simulator& simulator = MakeSimulator();
  RunReport second;
  auto kernel = [&](KernelContext&) {
    // While the kernel runs, so does its run.
    std::thread([&] { second = simulator.Run([](KernelContext&) {}, {}); }).join();
  };
  EXPECT_THAT(simulator.Run(kernel, {}), IsClean());
  EXPECT_THAT(second, IsRefused(kBusy));
}

// The same program, the same names, one waiting inside the other.
TEST_P(IsolationTest, ASimulatorRunsInsideAnothersKernel) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "Asio recycles memory between the two kernels without an order";
#endif
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  std::vector<Array> results(2, Array(DType::kFloat32, {8, 128}));
  auto kernel = [&](KernelContext& core) {
    Simulator inner(OptionsFor(2));
    Array& result = results[core.core_index()];
    auto copy_on_core_1 = [](KernelContext& core, Ref x, Ref y) {
      if (core.core_index() == 1) CopyAcross(core, x, y);
    };
    for (int i = 0; i < 3; ++i) {
      core.Delay(1);
      const RunReport report = inner.Run(copy_on_core_1, {In("x", x), Out("y", result)});
      core.Check(report.ok() && inner.held() == 0, report.ToString());
    }
    const RunReport stuck = inner.Run(WaitForEver, {});
    core.Check(stuck.faults.size() == 1 && stuck.faults[0].kind == FaultKind::kDeadlock, stuck.ToString());
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
  for (const Array& result : results) EXPECT_EQ(result, x);
}

// The host's own exceptions are in flight while it runs a simulator.
TEST_P(IsolationTest, ARunInACatchBlockLeavesTheException) {
  std::string caught;
  try {
    try {
      throw std::runtime_error("the host's");
    } catch (...) {
      auto kernel = [](KernelContext& core) {
        for (int i = 0; i < 3; ++i) {
          try {
            throw i;
          } catch (int) {
            core.Delay(1);
          }
        }
        if (core.core_index() == 1) WaitForEver(core);
      };
      EXPECT_THAT(Run(kernel, {}, 3), HasFault(FaultKind::kDeadlock, HasSubstr("never")));
      throw;
    }
  } catch (const std::exception& error) {
    caught = error.what();
  }
  EXPECT_EQ(caught, "the host's");
}

TEST_P(IsolationTest, ARunInADestructorWhileTheHostUnwindsIsARunLikeOthers) {
  struct RunsWhenDestroyed {
    Simulator& simulator;
    std::atomic<int>& alive;
    RunReport& report;
    ~RunsWhenDestroyed() {
      auto kernel = [this](KernelContext& core) {
        Counted local(alive);
        for (;;) WaitForEver(core);
      };
      report = simulator.Run(kernel, {});
    }
  };
  std::atomic<int> alive{0};
  RunReport report;
  try {
    RunsWhenDestroyed local{MakeSimulator(2), alive, report};
    throw 1;
  } catch (int) {
  }
  EXPECT_THAT(report, HasFault(FaultKind::kDeadlock, HasSubstr("never")));
  EXPECT_EQ(alive.load(), 0) << "its kernels were given up instead of unwound";
}

TEST_P(IsolationTest, TwoSimulatorsRunAtOnceInTwoThreads) {
  const Array x = Array::Iota(DType::kFloat32, {16, 128});
  auto many_runs = [&](int* good) {
    Simulator simulator(OptionsFor(2));
    for (int i = 0; i < Times(100, 20); ++i) {
      Array y(DType::kFloat32, {16, 128});
      auto kernel = [](KernelContext& core, Ref x, Ref y) {
        const Index half = Ds(8 * core.core_index(), 8);
        CopyAcross(core, x.At(half), y.At(half));
      };
      const RunReport report = simulator.Run(kernel, {In("x", x), Out("y", y)});
      if (report.ok() && x == y && report.counters.transfers == 4 && simulator.held() == 0) ++*good;
    }
  };
  int good[2] = {0, 0};
  std::thread other(many_runs, &good[1]);
  many_runs(&good[0]);
  other.join();
  EXPECT_EQ(good[0], Times(100, 20));
  EXPECT_EQ(good[1], Times(100, 20));
}

TEST_P(IsolationTest, SimulatorsComeAndGo) {
  for (int i = 0; i < 30; ++i) {
    Simulator simulator(OptionsFor(2));
    if (i % 2 == 0) continue;
    EXPECT_THAT(simulator.Run([](KernelContext& core) { core.Delay(2); }, {}), IsClean());
  }
}

}  // namespace
}  // namespace strandcore::testing
