// What each option of a launch does, on every backend. (Bounds: bounds_test; what is refused at once: options_test.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsNan;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using LaunchOptionsTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(LaunchOptionsTest);

BlockSpec RowTile() {
  return BlockSpec({8, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0}; });
}

Pipeline Emitted(RefFunction body, PipelineOptions options) {
  absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(options));
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  return *std::move(pipeline);
}

// ---- dma = kSynchronous

TEST_P(LaunchOptionsTest, ASynchronousCopyIsCompleteWhenItsStartReturns) {
  SimulatorOptions options = OptionsFor(2);
  options.dma = DmaMode::kSynchronous;
  const Array x = Array::Iota(DType::kFloat32, {512, 128});
  Array y(DType::kFloat32, {512, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    const Index half = Ds(256 * core.core_index(), 256);
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          // Of many chunks, and of one.
          for (const Index& rows : {Ds(0, 256), Ds(0, 1)}) {
            const AsyncCopy copy = core.MakeAsyncCopy(x.At(half).At(rows), tile.At(rows), done);
            copy.Start();
            EXPECT_EQ(core.ReadSemaphore(done), tile.At(rows).bytes());
            copy.Wait();
          }
          core.SyncCopy(tile, y.At(half));
        },
        Vmem({256, 128}, DType::kFloat32), DmaSemaphore());
  };
  const RunReport report = MakeSimulator(options).Run(kernel, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(report.counters.transfers, 6);
  EXPECT_EQ(report.counters.blocked_waits, 0) << "no wait finds its copy under way";
  EXPECT_EQ(x, y);
}

TEST_P(LaunchOptionsTest, ASynchronousPipelineOverlapsNothingAndIsRight) {
  SimulatorOptions options = OptionsFor(1);
  options.dma = DmaMode::kSynchronous;
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); };
  const Pipeline pipeline = Emitted(body, {.grid = {16}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  const Array x = Array::Iota(DType::kFloat32, {128, 128});
  Array y(DType::kFloat32, {128, 128});
  const RunReport report = MakeSimulator(options).Run(pipeline, {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_THAT(report, HasTransfers("x", 16));
  EXPECT_EQ(report.counters.blocked_waits, 0);
  EXPECT_EQ(report.counters.overlapped_transfers, 0);
  EXPECT_EQ(x, y);
}

// ---- engines, under each mode

// Every core starts more copies than one engine's turn holds, of its own rows, and only then waits for them.
RefFunction ManyCopies(int64_t rows) {
  return [rows](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef in, SemaphoreRef out) {
          const int64_t first = rows * core.core_index();
          for (int64_t i = 0; i < rows; ++i) core.MakeAsyncCopy(x.At(first + i), tile.At(i), in).Start();
          for (int64_t i = 0; i < rows; ++i) core.MakeAsyncCopy(x.At(first + i), tile.At(i), in).Wait();
          for (int64_t i = 0; i < rows; ++i) core.MakeAsyncCopy(tile.At(i), y.At(first + i), out).Start();
          for (int64_t i = 0; i < rows; ++i) core.MakeAsyncCopy(tile.At(i), y.At(first + i), out).Wait();
        },
        Vmem({rows, 128}, DType::kInt32), DmaSemaphore(), DmaSemaphore());
  };
}

TEST_P(LaunchOptionsTest, OneEngineServesTwoCoresThatHelpIt) {
  constexpr int64_t kRows = 300;
  const int runs = Times(20, 4);
  const Array x = Array::Iota(DType::kInt32, {2 * kRows, 128});
  for (DmaMode dma : {DmaMode::kOverlap, DmaMode::kHelp}) {
    if (dma == DmaMode::kHelp && backend().deterministic()) continue;  // a policy leaves nothing to help with
    SimulatorOptions options = OptionsFor(2);
    options.engines = 1;
    options.dma = dma;
    Simulator& simulator = MakeSimulator(options);
    for (int run = 0; run < runs; ++run) {
      Array y(DType::kInt32, {2 * kRows, 128});
      const RunReport report = simulator.Run(ManyCopies(kRows), {In("x", x), Out("y", y)});
      ASSERT_THAT(report, IsClean());
      EXPECT_EQ(report.counters.transfers, 4 * kRows);
      ASSERT_EQ(x, y);
    }
  }
}

// Transfers of 64 KiB go to their engine, smaller ones are copied by who helps: both kinds in one queue.
TEST_P(LaunchOptionsTest, LargeAndSmallCopiesShareAnEngineThatIsHelped) {
  SimulatorOptions options = OptionsFor(2);
  options.engines = 1;
  if (!backend().deterministic()) options.dma = DmaMode::kHelp;
  const Array x = Array::Iota(DType::kInt32, {2 * 256, 128});
  Array y(DType::kInt32, {2 * 256, 128});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile) {
          const Index half = Ds(256 * core.core_index(), 256);
          for (int i = 0; i < Times(40, 8); ++i) {
            core.SyncCopy(x.At(half), tile);  // 128 KiB
            for (int64_t row = 0; row < 4; ++row) core.SyncCopy(x.At(half).At(row), tile.At(row));
          }
          core.SyncCopy(tile, y.At(half));
        },
        Vmem({256, 128}, DType::kInt32));
  };
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

// ---- dry

TEST_P(LaunchOptionsTest, ADryRunCallsNoBodyAndCountsAsUsual) {
  std::atomic<int> called{0};
  auto body = [&](KernelContext&, Ref x, Ref y) {
    ++called;
    y.Write<float>() = x.Read<float>();
  };
  PipelineOptions split = {.grid = {8}, .in_specs = {RowTile()}, .out_specs = {RowTile()}};
  split.core_axis = 0;
  split.dimension_semantics = {kParallel};
  const Pipeline pipeline = Emitted(body, split);
  const Array x = Array::Iota(DType::kFloat32, {64, 128});
  RunReport reports[2];
  for (bool dry : {false, true}) {
    SimulatorOptions options = OptionsFor(2);
    options.dry = dry;
    Array y = Array::Full(DType::kFloat32, {64, 128}, 5), kept = Array::Full(DType::kInt32, {4}, 5);
    called = 0;
    RunReport& report = reports[dry ? 1 : 0];
    report = MakeSimulator(options).Run(
        [&](KernelContext& core, Ref x, Ref y, Ref) {
          pipeline(core, {x, y});
        },
        {In("x", x), Out("y", y), InOut("kept", kept)});
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(called.load(), dry ? 0 : 8);
    if (!dry) continue;
    EXPECT_THAT(y.ToVector<float>(), Each(IsNan())) << "what no body has computed is nobody's to read";
    EXPECT_THAT(kept.ToVector<int32_t>(), Each(INT32_MAX));
  }
  EXPECT_EQ(reports[1].counters.operands, reports[0].counters.operands);
  EXPECT_EQ(reports[1].counters.transfers, reports[0].counters.transfers);
  EXPECT_EQ(reports[1].counters.waits, reports[0].counters.waits);
  EXPECT_EQ(reports[1].counters.steps, reports[0].counters.steps);
}

TEST_P(LaunchOptionsTest, ADryBodyCountsAsReadingAndWritingItsWindowsWhole) {
  Recorder recorder;
  SimulatorOptions options = OptionsFor(1);
  options.dry = true;
  options.observer = &recorder;
  const Pipeline pipeline =
      Emitted([](KernelContext&, Refs) {}, {.grid = {3}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  const Array x(DType::kFloat32, {24, 128});
  Array y(DType::kFloat32, {24, 128});
  EXPECT_THAT(MakeSimulator(options).Run(pipeline, {In("x", x), Out("y", y)}), IsClean());
  std::vector<std::string> seen;
  for (const Event& event : recorder.EventsOf({0, 0})) {
    if (event.kind != Event::Kind::kRead && event.kind != Event::Kind::kWrite) continue;
    seen.push_back((event.kind == Event::Kind::kRead ? "read " : "write ") + event.place.grid_point.ToString() +
                   event.size.ToString());
  }
  EXPECT_THAT(seen, UnorderedElementsAre("read (0,)(8, 128)", "write (0,)(8, 128)", "read (1,)(8, 128)",
                                         "write (1,)(8, 128)", "read (2,)(8, 128)", "write (2,)(8, 128)"));
}

// ---- fresh

TEST_P(LaunchOptionsTest, FreshMemoryIsPoisonUnlessZerosAreAskedFor) {
  for (Fill fresh : {Fill::kPoison, Fill::kZero}) {
    SimulatorOptions options = OptionsFor(1);
    options.fresh = fresh;
    const int32_t expected = fresh == Fill::kZero ? 0 : INT32_MAX;
    Array y = Array::Full(DType::kInt32, {3, 5}, 7), z = Array::Full(DType::kInt32, {4}, 7);
    auto kernel = [&](KernelContext& core, Ref, Ref z, Ref shared) {
      core.RunScoped(
          [&](Ref vmem, Ref smem, Ref copy) {
            EXPECT_TRUE((vmem.Read<int32_t>() == expected).all());
            EXPECT_EQ(smem.Get<int32_t>({2}), expected);
            EXPECT_EQ(z.Get<int32_t>({2}), expected);
            core.SyncCopy(shared, copy);
            EXPECT_TRUE((copy.Read<int32_t>() == expected).all());
            vmem.Write<int32_t>().setOnes();
          },
          Vmem({8, 128}, DType::kInt32), Smem({4}, DType::kInt32), Vmem({2, 3}, DType::kInt32));
    };
    const Operands operands = {Out("y", y), Out("z", z, MemorySpace::kSmem), Scratch("s", DType::kInt32, {2, 3})};
    Simulator& simulator = MakeSimulator(options);
    // The second run is given the memory that the first has written.
    for (int run = 0; run < 2; ++run) {
      // It is found to be uninitialised whatever it holds: four reads, and two operands that the host is handed.
      const RunReport report = simulator.Run(kernel, operands);
      EXPECT_THAT(report.faults, AllOf(SizeIs(6), Each(Field(&Fault::kind, FaultKind::kUninitialisedRead))));
      EXPECT_TRUE(report.status.ok()) << report.status;
    }
    EXPECT_THAT(y.ToVector<int32_t>(), Each(expected));
    EXPECT_THAT(z.ToVector<int32_t>(), Each(expected));
  }
}

// ---- allow_hbm_access

TEST_P(LaunchOptionsTest, DirectAccessToHbmIsRefusedWithAdviceToCopy) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128});
  const Operands operands = {In("x", x), Out("y", y)};
  const std::string advice =
      " lives in HBM: a kernel cannot load it directly; copy it to VMEM (MakeAsyncCopy, SyncCopy or a pipeline)";
  const std::string advice_to_store =
      "store to it directly; copy to it from VMEM (MakeAsyncCopy, SyncCopy or a pipeline)";
  EXPECT_THAT(Run([](KernelContext&, Ref x, Ref) { x.Load<float>(); }, operands), IsRefused("operand x" + advice));
  EXPECT_THAT(Run([](KernelContext&, Ref x, Ref) { x.Get<float>({0, 0}); }, operands), IsRefused("operand x" + advice));
  EXPECT_THAT(Run([](KernelContext&, Ref, Ref y) { y.Write<float>(); }, operands), IsRefused(advice_to_store));
}

TEST_P(LaunchOptionsTest, DirectAccessToHbmIsDeclaredWhereItIsAllowed) {
  Recorder recorder;
  SimulatorOptions options = OptionsFor(1);
  options.allow_hbm_access = true;
  options.observer = &recorder;
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128}), z = Array::Full(DType::kFloat32, {8, 128}, 1);
  auto kernel = [](KernelContext&, Ref x, Ref y, Ref z) {
    y.Write<float>() = x.Read<float>();
    z.ReadWrite<float>() += x.Load<float>();
    z.Set<float>(x.Get<float>({1, 1}), {0, 0});
    z.At(1).Store(x.At(2).Load<float>());
  };
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {In("x", x), Out("y", y), InOut("z", z)}), IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(z.Get({0, 0}), 129);
  EXPECT_EQ(z.Get({1, 5}), 2 * 128 + 5);
  EXPECT_EQ(z.Get({7, 127}), 1024);
  int reads = 0, writes = 0;
  for (const Event& event : recorder.EventsOf({0, 0})) {
    reads += event.kind == Event::Kind::kRead ? 1 : 0;
    writes += event.kind == Event::Kind::kWrite ? 1 : 0;
  }
  EXPECT_EQ(reads, 5);
  EXPECT_EQ(writes, 4);
}

// ---- scratch operands

TEST_P(LaunchOptionsTest, AScratchOperandIsSharedByTheCores) {
  Exchange exchange;
  Array y(DType::kInt32, {8, 128});
  auto kernel = [&](KernelContext& core, Ref shared, Ref y) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef written) {
          if (core.core_index() == 0) {
            tile.Write<int32_t>().setConstant(42);
            core.SyncCopy(tile, shared);
            core.Signal(exchange.Get(core));
          } else {
            exchange.Publish(written);
            core.Wait(written);
            core.SyncCopy(shared, tile);
            core.SyncCopy(tile, y);
          }
        },
        Vmem({8, 128}, DType::kInt32), RegularSemaphore());
  };
  const RunReport report = Run(kernel, {Scratch("shared", DType::kInt32, {8, 128}), Out("y", y)}, 2);
  EXPECT_THAT(report, IsClean());
  EXPECT_THAT(y.ToVector<int32_t>(), Each(42));
  EXPECT_EQ(report.CountersOf("shared"), (OperandCounters{"shared", 1, 4096, 1, 4096}));
}

TEST_P(LaunchOptionsTest, AScratchOperandMustFitItsShapeAndHbm) {
  SimulatorOptions options = OptionsFor(1);
  options.hbm_bytes = 8192;
  Simulator& simulator = MakeSimulator(options);
  auto kernel = [](KernelContext&, Ref) {};
  EXPECT_THAT(simulator.Run(kernel, {Scratch("s", DType::kFloat32, {16, 128})}), IsClean());
  EXPECT_THAT(simulator.Run(kernel, {Scratch("s", DType::kFloat32, {24, 128})}),
              HasFault(FaultKind::kCapacity, HasSubstr("HBM is full: operand s needs 12,288 bytes, 8,192 of")));
  EXPECT_THAT(simulator.Run(kernel, {Scratch("s", DType::kFloat32, {8, -1})}), IsRefused("operand s"));
}

// ---- names of axes

TEST_P(LaunchOptionsTest, GridAxesAreKnownByTheirNames) {
  std::atomic<int> points{0};
  auto inner_body = [&](KernelContext& core, Refs) {
    ++points;
    EXPECT_EQ(core.ProgramId("k"), core.ProgramId(0));
    EXPECT_EQ(core.NumPrograms("k"), 3);
    // Those of the grids around it, too.
    EXPECT_EQ(core.NumPrograms("rows"), 2);
    EXPECT_LT(core.ProgramId("columns"), 2);
    EXPECT_EQ(core.ProgramId("core"), core.core_index());
    EXPECT_EQ(core.NumPrograms("core"), 2);
  };
  const Pipeline inner = Emitted(inner_body, {.grid = {3}, .axis_names = {"k"}});
  auto outer_body = [&](KernelContext& core, Refs) {
    EXPECT_EQ(core.ProgramId("rows"), core.ProgramId(0));
    EXPECT_EQ(core.ProgramId("columns"), core.ProgramId(1));
    inner(core, {});
  };
  const Pipeline outer = Emitted(outer_body, {.grid = {2, 2}, .axis_names = {"rows", "columns"}});
  EXPECT_THAT(Run([&](KernelContext& core) { outer(core, {}); }, {}, 2), IsClean());
  EXPECT_EQ(points.load(), 2 * 2 * 2 * 3);
}

TEST_P(LaunchOptionsTest, TheInnermostAxisOfANameIsMeant) {
  const Pipeline inner = Emitted([](KernelContext& core, Refs) { EXPECT_EQ(core.NumPrograms("i"), 5); },
                                 {.grid = {5}, .axis_names = {"i"}});
  const Pipeline outer = Emitted(
      [&](KernelContext& core, Refs) {
        EXPECT_EQ(core.NumPrograms("i"), 2);
        inner(core, {});
        EXPECT_EQ(core.NumPrograms("i"), 2);
      },
      {.grid = {2}, .axis_names = {"i"}});
  EXPECT_THAT(Run([&](KernelContext& core) { outer(core, {}); }), IsClean());
}

TEST_P(LaunchOptionsTest, AnAxisOfAnUnknownNameIsRefusedWithTheKnownOnes) {
  const Pipeline pipeline =
      Emitted([](KernelContext& core, Refs) { core.ProgramId("m"); }, {.grid = {2}, .axis_names = {"k"}});
  EXPECT_THAT(Run([&](KernelContext& core) { pipeline(core, {}); }),
              IsRefused("ProgramId: expected the name of a grid axis (k, core), given \"m\""));
}

TEST(AxisNamesTest, AreOneForEachDimensionOfTheGrid) {
  const absl::StatusOr<Pipeline> pipeline =
      EmitPipeline([](KernelContext&, Refs) {}, {.grid = {2, 2}, .axis_names = {"k"}});
  EXPECT_EQ(pipeline.status().message(),
            "axis_names: expected none, or one for each of 2 dimensions of the grid, given 1");
}

}  // namespace
}  // namespace strandcore::testing
