// RunReport: counters, text, and that the same choices give the same run.
#include "runtime/simulator/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

TEST(RunReportTest, SaysInOneLineWhatWasMoved) {
  RunReport report;
  report.cores = 2;
  report.counters.steps = 16;
  EXPECT_EQ(report.ToString(), "ok: 2 cores, 16 steps");
  report.counters.operands = {{"x", 16, 1 << 20, 0, 0}, {"y", 0, 0, 16, 1 << 20}};
  EXPECT_EQ(report.ToString(), "ok: 2 cores, 16 steps; x 16 copies in, y 16 copies out, 2 MiB");
  report.cores = 1;
  report.counters.steps = 1;
  report.counters.operands = {{"acc", 1, 512, 1, 1024}};
  EXPECT_EQ(report.ToString(), "ok: 1 core, 1 step; acc 1 copy in, acc 1 copy out, 1.5 KiB");
}

TEST(RunReportTest, SaysWhatWasRefusedOrWentWrong) {
  RunReport report;
  report.status = absl::InvalidArgumentError("cores: expected more");
  EXPECT_EQ(report.ToString(), "error: cores: expected more");
  EXPECT_FALSE(report.ok());
  report.status = absl::OkStatus();
  report.faults = {{FaultKind::kDeadlock, "nothing can run", {"core 0 waits"}, {}},
                   {FaultKind::kCapacity, "VMEM is full", {}, {}}};
  EXPECT_EQ(report.ToString(), "deadlock: nothing can run\n  core 0 waits\ncapacity: VMEM is full");
  EXPECT_FALSE(report.ok());
  std::ostringstream out;
  out << report;
  EXPECT_EQ(out.str(), report.ToString());
}

TEST(RunReportTest, OfAnUnknownOperandHasNoCounters) {
  EXPECT_EQ(RunReport().CountersOf("x"), (OperandCounters{"x", 0, 0, 0, 0}));
}

using CountersTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CountersTest);

TEST_P(CountersTest, CountCopiesBytesAndWaitsOfAllCores) {
  const Array x = Array::Iota(DType::kFloat32, {16, 128});
  Array y(DType::kFloat32, {16, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    const Index half = Ds(8 * core.core_index(), 8);
    for (int i = 0; i < 3; ++i) CopyAcross(core, x.At(half), y.At(half));
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)}, 2);
  EXPECT_THAT(report, IsClean());
  EXPECT_THAT(report.counters.operands,
              ElementsAre(OperandCounters{"x", 6, 6 * 4096, 0, 0}, OperandCounters{"y", 0, 0, 6, 6 * 4096}));
  EXPECT_EQ(report.counters.transfers, 12);
  EXPECT_EQ(report.counters.waits, 12);
  EXPECT_LE(report.counters.blocked_waits, 12);
  EXPECT_EQ(report.counters.steps, 0);
}

TEST_P(CountersTest, CountAWaitThatBlocks) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef s) {
          core.Signal(s, 2);
          core.Wait(s);
          core.WaitUntil(s);
          core.Wait(s, 2);
        },
        RegularSemaphore());
  };
  const RunReport report = Run(kernel);
  EXPECT_EQ(report.counters.waits, 3);
  EXPECT_EQ(report.counters.blocked_waits, 1);
  EXPECT_EQ(report.counters.transfers, 0);
}

std::vector<Backend> OneThreadBackends() {
  std::vector<Backend> backends;
  for (const Backend& backend : AllBackends()) {
    if (backend.one_thread()) backends.push_back(backend);
  }
  return backends;
}

using OneThreadTest = ScheduleTest;
STRANDCORE_ON_BACKENDS(OneThreadTest, OneThreadBackends());

// A transfer overlaps a body only if both really ran at once.
TEST_P(OneThreadTest, NothingOverlaps) {
  const BlockSpec block({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); };
  auto pipeline = EmitPipeline(body, {.grid = {16}, .in_specs = {block}, .out_specs = {block}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const Array x = Array::Iota(DType::kFloat32, {128, 128});
  Array y(DType::kFloat32, {128, 128});
  const RunReport report =
      Run([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(report.counters.steps, 16);
  EXPECT_EQ(report.counters.overlapped_transfers, 0);
  EXPECT_EQ(x, y);
}

// Transfers overlap a body that runs beside them: the body of each step works about as long as its copies take, and on
// two threads some of them must meet within many steps.
TEST(OverlapTest, IsCountedOnTwoThreads) {
  const BlockSpec block({256, 1024}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto body = [](KernelContext&, Ref x, Ref y) {
    for (int i = 0; i < 10; ++i) y.Write<float>() = x.Read<float>() + 1.0f;
  };
  auto pipeline = EmitPipeline(body, {.grid = {20}, .in_specs = {block}, .out_specs = {block}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const Array x(DType::kFloat32, {20 * 256, 1024});
  Array y(DType::kFloat32, {20 * 256, 1024});
  Simulator simulator({.threads = 2});
  int64_t overlapped = 0;
  for (int run = 0; run < 10 && overlapped == 0; ++run) {
    const RunReport report =
        simulator.Run([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", x), Out("y", y)});
    EXPECT_THAT(report, IsClean());
    overlapped = report.counters.overlapped_transfers;
    EXPECT_LE(overlapped, report.counters.transfers);
  }
  EXPECT_GT(overlapped, 0);
}

using DeterminismTest = ScheduleTest;
STRANDCORE_ON_EVERY_POLICY(DeterminismTest);

// Two cores with copies, signals both ways, and polls: much to choose from.
void ManyChoices(KernelContext& core, Ref x, Ref y) {
  const Index half = Ds(8 * core.core_index(), 8);
  core.RunScoped(
      [&](Ref a, Ref b, SemaphoreRef done) {
        for (int i = 0; i < 10; ++i) {
          const AsyncCopy first = core.MakeAsyncCopy(x.At(half), a, done.At(0));
          const AsyncCopy second = core.MakeAsyncCopy(x.At(half), b, done.At(1));
          first.Start();
          second.Start();
          if (core.ReadSemaphore(done.At(1)) > 0) core.Delay(i % 3);
          first.Wait();
          second.Wait();
          core.SyncCopy(i % 2 == 0 ? a : b, y.At(half));
          core.Print("round " + std::to_string(i));
        }
      },
      Vmem({8, 128}, DType::kInt32), Vmem({8, 128}, DType::kInt32), DmaSemaphore({2}));
}

// Every event in the order in which it came, of all cores.
class Log final : public Observer {
 public:
  void OnEvent(const Event& event) override { text += EventText(event) + "\n"; }
  std::string text;
};

struct LoggedRun {
  std::string events;
  std::vector<std::string> printed;
  Counters counters;
  friend bool operator==(const LoggedRun&, const LoggedRun&) = default;
};

LoggedRun RunLogged(Simulator& simulator, Log& log) {
  const Array x = Array::Iota(DType::kInt32, {16, 128});
  Array y(DType::kInt32, {16, 128});
  log.text.clear();
  const RunReport report = simulator.Run(ManyChoices, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  return {log.text, report.printed, report.counters};
}

TEST_P(DeterminismTest, TheSamePolicyGivesTheSameRunToTheByte) {
  Log log;
  SimulatorOptions options = OptionsFor(2);
  options.observer = &log;
  const LoggedRun first = RunLogged(MakeSimulator(options), log);
  EXPECT_GT(first.events.size(), 1000u);
  EXPECT_EQ(RunLogged(MakeSimulator(options), log), first);
}

TEST_P(DeterminismTest, ASecondRunOfOneSimulatorIsLikeItsFirst) {
  Log log;
  SimulatorOptions options = OptionsFor(2);
  options.observer = &log;
  Simulator& simulator = MakeSimulator(options);
  const LoggedRun first = RunLogged(simulator, log);
  MakeSimulator(2).Run(WaitForEver, {});
  simulator.Run([](KernelContext&, Ref) { throw 1; }, {});
  simulator.Run([](KernelContext&) { throw 1; }, {});
  EXPECT_EQ(RunLogged(simulator, log), first);
}

TEST_P(DeterminismTest, TheRecordersTraceIsTheSameToo) {
  std::string traces[2];
  for (std::string& trace : traces) {
    Recorder recorder;
    SimulatorOptions options = OptionsFor(2);
    options.observer = &recorder;
    Simulator simulator(options);
    const Array x = Array::Iota(DType::kInt32, {16, 128});
    Array y(DType::kInt32, {16, 128});
    EXPECT_THAT(simulator.Run(ManyChoices, {In("x", x), Out("y", y)}), IsClean());
    trace = TraceText(recorder);
  }
  EXPECT_EQ(traces[0], traces[1]);
}

TEST(RandomPolicyTest, SeedsGiveDifferentRuns) {
  std::set<std::string> logs;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Log log;
    Simulator simulator({.cores = 2, .policy = Policy::Random(seed), .observer = &log});
    logs.insert(RunLogged(simulator, log).events);
  }
  EXPECT_EQ(logs.size(), 20u);
}

}  // namespace
}  // namespace strandcore::testing
