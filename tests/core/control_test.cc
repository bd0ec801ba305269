// The rest of what a kernel may ask for: program ids, Delay, Print, Check, bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

using ControlTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(ControlTest);

TEST_P(ControlTest, TheLaunchsOwnGridIsItsCores) {
  auto kernel = [](KernelContext& core) {
    core.Check(core.ProgramId(0) == core.core_index(), "ProgramId(0) is the core");
    core.Check(core.NumPrograms(0) == 3 && core.num_cores() == 3, "NumPrograms(0) is the number of cores");
    core.Print(std::to_string(core.ProgramId(0)));
  };
  const RunReport report = Run(kernel, {}, 3);
  EXPECT_THAT(report, IsClean());
  EXPECT_THAT(report.printed,
              UnorderedElementsAre(MatchesRegex("core 0, kernel .*: 0"), MatchesRegex("core 1, kernel .*: 1"),
                                   MatchesRegex("core 2, kernel .*: 2")));
}

TEST_P(ControlTest, ABodySeesItsOwnGridAndThenTheOuterAgain) {
  auto kernel = [](KernelContext& core) {
    core.RunBody(GridEnv{{4, 2}, {5, 3}}, [&] {
      core.Check(core.ProgramId(0) == 4 && core.ProgramId(1) == 2, "ids of the body");
      core.Check(core.NumPrograms(0) == 5 && core.NumPrograms(1) == 3, "sizes of the body");
      core.RunBody(GridEnv{{1}, {2}}, [&] { core.Check(core.NumPrograms(0) == 2, "sizes of the inner body"); });
      core.Check(core.ProgramId(1) == 2, "ids of the body again");
    });
    core.Check(core.ProgramId(0) == 0 && core.NumPrograms(0) == 1, "the launch's again");
  };
  const RunReport report = Run(kernel);
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(report.counters.steps, 2);
}

TEST_P(ControlTest, ABodyLeftByAnExceptionIsUndone) {
  auto kernel = [](KernelContext& core) {
    try {
      core.RunBody(GridEnv{{4, 2}, {5, 3}}, [&] { throw 1; });
    } catch (int) {
    }
    core.Check(core.ProgramId(0) == 0 && core.grid_envs().size() == 1, "the launch's again");
  };
  EXPECT_THAT(Run(kernel), IsClean());
}

TEST_P(ControlTest, DelayLetsOthersGoFirst) {
  std::atomic<bool> other_ran{false};
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() == 1) return other_ran.store(true);
    core.Delay(0);
    while (!other_ran.load()) core.Delay(1);
  };
  EXPECT_THAT(Run(kernel, {}, 2), IsClean());
}

TEST_P(ControlTest, LinesOfOneCoreKeepTheirOrder) {
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 20; ++i) core.Print("line " + std::to_string(i));
  };
  const RunReport report = Run(kernel, {}, 2);
  std::vector<int> next(2, 0);
  for (const std::string& line : report.printed) {
    const int core = line[5] - '0';
    EXPECT_THAT(line, HasSubstr(": line " + std::to_string(next[core]++)));
  }
  EXPECT_THAT(next, ElementsAre(20, 20));
}

TEST_P(ControlTest, LinesOfARunThatFailsAreKept) {
  auto kernel = [](KernelContext& core) {
    core.Print("so far so good");
    core.Check(false, "no further");
  };
  const RunReport report = Run(kernel);
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.printed, ElementsAre(HasSubstr("so far so good")));
}

// In a pipeline a line says where in it: phase, cycle and grid point.
TEST(PrintTest, CarriesTheGridPointAndThePhase) {
  const BlockSpec block({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto pipeline = EmitPipeline([](KernelContext& core, Ref) { core.Print("here"); },
                               {.grid = {2}, .in_specs = {block}, .out_specs = {}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const Array x(DType::kFloat32, {16, 128});
  const RunReport report = RunOnce([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", x)});
  EXPECT_THAT(report.printed,
              ElementsAre(MatchesRegex("core 0, cycle 0, step \\(0,\\), body \\(control_test.cc:[0-9]+\\): here"),
                          MatchesRegex("core 0, cycle 0, step \\(1,\\), body \\(control_test.cc:[0-9]+\\): here")));
}

TEST(CheckTest, ThatFailsIsAKernelErrorWithItsLine) {
  const int line = __LINE__ + 1;
  const RunReport report = RunOnce([](KernelContext& core) { core.Check(1 + 1 == 3, "sums add up"); });
  EXPECT_EQ(report.ToString(), "kernel-error: Check failed at control_test.cc:" + std::to_string(line) +
                                   ": sums add up\n  at core 0, kernel");
}

TEST(CheckTest, ThatHoldsDoesNothing) {
  EXPECT_THAT(RunOnce([](KernelContext& core) { core.Check(true, "of course"); }), IsClean());
}

TEST(ChipTest, IsReadFromItsName) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(Chip::kV8t); ++i) {
    const ChipSpec& spec = SpecOf(static_cast<Chip>(i));
    EXPECT_TRUE(names.insert(spec.name).second);
    EXPECT_EQ(*ChipFromName(spec.name), static_cast<Chip>(i));
    EXPECT_GT(spec.vmem_bytes, 0);
    EXPECT_GT(spec.smem_bytes, 0);
    EXPECT_GT(spec.hbm_bytes, spec.vmem_bytes);
  }
}

TEST(ChipTest, OfAnotherNameIsRefusedWithThoseItKnows) {
  EXPECT_EQ(ChipFromName("v9").status().message(),
            "chip: expected one of v2, v3, v4i, v4, v5e, v5p, v6e, 7x, 8i, 8t, given \"v9\"");
}

TEST(ChipTest, IsWhatTheKernelSees) {
  SimulatorOptions options;
  options.chip = Chip::kV5p;
  Simulator simulator(options);
  EXPECT_THAT(simulator.Run(
                  [](KernelContext& core) {
                    core.Check(core.chip().name == std::string("v5p"), "the chip's name");
                    core.RunScoped([](Ref) {}, Vmem({64 * 1024, 256}, DType::kFloat32));
                  },
                  {}),
              IsClean())
      << "64 MiB are just what it has";
}

TEST(CountersTest, AddOperandByOperand) {
  Counters one, two;
  one.operands = {{"x", 1, 10, 0, 0}};
  one.steps = 3;
  two.operands = {{"x", 2, 20, 0, 0}, {"y", 0, 0, 5, 50}};
  two.transfers = 7;
  two.blocked_waits = 1;
  one.Add(two);
  EXPECT_THAT(one.operands, ElementsAre(OperandCounters{"x", 3, 30, 0, 0}, OperandCounters{"y", 0, 0, 5, 50}));
  EXPECT_EQ(one.steps, 3);
  EXPECT_EQ(one.transfers, 7);
  EXPECT_EQ(one.blocked_waits, 1);
}

}  // namespace
}  // namespace strandcore::testing
