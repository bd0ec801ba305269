// The whole text of a race of each form, which is the same on every backend: both sides, why nothing orders them, what
// could have paid instead; and how the faults of one mistake read as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

#ifdef STRANDCORE_TSAN
#define SKIP_AS_THE_PROGRAM_RACES() GTEST_SKIP() << "the sanitizer reports it too"
#else
#define SKIP_AS_THE_PROGRAM_RACES() static_cast<void>(0)
#endif

// "kernel (race_text_test.cc:12)"
std::string Kernel(int line) { return "kernel (race_text_test.cc:" + std::to_string(line) + ")"; }

class RaceTextTest : public ScheduleTest {
 protected:
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y{DType::kFloat32, {8, 128}};

  // Two or three cores; `body` is given a semaphore of core 0 that all know.
  template <typename Body>
  RunReport RunShared(int cores, const Body& body) {
    SemaphoreRef shared;
    std::atomic<bool> made{false};
    SimulatorOptions options = OptionsFor(cores);
    options.allow_hbm_access = true;
    auto kernel = [&](KernelContext& core, const Ref& m) {
      if (core.core_index() != 0) {
        while (!made.load(std::memory_order_acquire)) core.Delay(1);
        return body(core, m, shared);
      }
      core.RunScoped(
          [&](SemaphoreRef semaphore) {
            shared = semaphore;
            made.store(true, std::memory_order_release);
            body(core, m, semaphore);
          },
          RegularSemaphore({}, "full"));
    };
    return MakeSimulator(options).Run(kernel, {InOut("m", y)});
  }
};
STRANDCORE_ON_EVERY_BACKEND(RaceTextTest);

TEST_P(RaceTextTest, OfACopyThatIsNotWaitedFor) {
  SKIP_AS_THE_PROGRAM_RACES();
  int start = 0, read = 0;
  auto kernel = [&](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          core.SyncCopy(x, tile);
          const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
          copy.Start(), start = __LINE__;
          tile.At(Ds(2, 3)).Read<float>(), read = __LINE__;
          copy.Wait();
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
  };
  const std::string text = Run(kernel, {In("x", x)}).ToString();
  EXPECT_EQ(text,
            "race: the kernel reads tile while a copy is still filling it\n"
            "  core 0, " +
                Kernel(read) +
                ": reads tile, rows 2–4, columns 0–127\n"
                "  a copy, started by core 0, " +
                Kernel(start) +
                ": writes tile, rows 2–4, columns 0–127\n"
                "  nothing orders them: core 0 has not waited done for this copy (4,096 bytes started, 0 waited)");
}

TEST_P(RaceTextTest, OfAWaitThatTheOtherCopyMayHavePaid) {
  SKIP_AS_THE_PROGRAM_RACES();
  int first = 0, second = 0, wait = 0, read = 0;
  auto kernel = [&](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](Ref tile, Ref other, SemaphoreRef done) {
          const AsyncCopy a = core.MakeAsyncCopy(x, tile, done), b = core.MakeAsyncCopy(x, other, done);
          a.Start(), first = __LINE__;
          b.Start(), second = __LINE__;
          a.Wait(), wait = __LINE__;
          tile.Read<float>(), read = __LINE__;
          b.Wait();
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), Vmem({8, 128}, DType::kFloat32, "other"), DmaSemaphore({}, "done"));
  };
  const std::string text = Run(kernel, {In("x", x)}).ToString();
  EXPECT_EQ(text,
            "race: the kernel reads tile while a copy is still filling it\n"
            "  core 0, " +
                Kernel(read) +
                ": reads tile, rows 0–7, columns 0–127\n"
                "  a copy, started by core 0, " +
                Kernel(first) +
                ": writes tile, rows 0–7, columns 0–127\n"
                "  nothing orders them: the waits of core 0 on done, the last by core 0, " +
                Kernel(wait) + ", may have been paid by the copy started by core 0, " + Kernel(second) +
                " instead of this copy\n"
                "  wait for all of these copies before one is used, or give each a semaphore of its own");
}

// The same text where the order is solved: another core does nothing of note.
TEST_P(RaceTextTest, OfOneCoreIsTheSameBesideOthers) {
  SKIP_AS_THE_PROGRAM_RACES();
  auto kernel = [](KernelContext& core, const Ref& x) {
    if (core.core_index() > 0) return;
    core.RunScoped(
        [&](Ref tile, Ref other, SemaphoreRef done) {
          const AsyncCopy a = core.MakeAsyncCopy(x, tile, done), b = core.MakeAsyncCopy(x, other, done);
          a.Start();
          tile.Read<float>();
          b.Start();
          a.Wait();
          tile.Write<float>().setZero();
          b.Wait();
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), Vmem({8, 128}, DType::kFloat32, "other"), DmaSemaphore({}, "done"));
  };
  const RunReport alone = Run(kernel, {In("x", x)}, 1), beside = Run(kernel, {In("x", x)}, 2);
  EXPECT_THAT(alone.faults, SizeIs(2));
  EXPECT_EQ(alone.faults, beside.faults);
  EXPECT_EQ(alone.ToString(), beside.ToString());
}

TEST_P(RaceTextTest, OfTwoCoresWithoutAHandOver) {
  SKIP_AS_THE_PROGRAM_RACES();
  int copies = 0, reads = 0;
  const RunReport report = RunShared(2, [&](KernelContext& core, const Ref& m, const SemaphoreRef&) {
    core.RunScoped(
        [&](Ref tile) {
          if (core.core_index() == 0) core.SyncCopy(tile, m), copies = __LINE__;
          if (core.core_index() == 1) m.Read<float>(), reads = __LINE__;
        },
        Vmem({8, 128}, DType::kFloat32, "tile"));
  });
  EXPECT_EQ(
      report.ToString(),
      "race: the kernel reads m while a copy of core 0 is still filling it\n"
      "  core 1, " +
          Kernel(reads) +
          ": reads m, rows 0–7, columns 0–127\n"
          "  a copy, started by core 0, " +
          Kernel(copies) +
          ": writes m, rows 0–7, columns 0–127\n"
          "  nothing orders them: after core 0 had waited sync_copy for this copy, it signalled or copied nothing "
          "that core 1 has waited for");
}

TEST_P(RaceTextTest, OfTwoCoresOfWhichTheOneNeverWaits) {
  SKIP_AS_THE_PROGRAM_RACES();
  int copies = 0, reads = 0;
  const RunReport report = RunShared(2, [&](KernelContext& core, const Ref& m, const SemaphoreRef& full) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          if (core.core_index() == 1) {
            core.MakeAsyncCopy(tile, m, done).Start(), copies = __LINE__;
            core.Signal(full);
          } else {
            core.Wait(full);
            m.Read<float>(), reads = __LINE__;
          }
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
  });
  const auto race = std::find_if(report.faults.begin(), report.faults.end(),
                                 [](const Fault& fault) { return fault.kind == FaultKind::kRace; });
  ASSERT_NE(race, report.faults.end());
  // In the one order that is judged core 0 comes first, as far as it can: it waits for core 1's signal.
  EXPECT_EQ(race->ToString(),
            "race: the kernel reads m while a copy of core 1 is still filling it\n"
            "  core 0, " +
                Kernel(reads) +
                ": reads m, rows 0–7, columns 0–127\n"
                "  a copy, started by core 1, " +
                Kernel(copies) +
                ": writes m, rows 0–7, columns 0–127\n"
                "  nothing orders them: core 1 never waits done for this copy, so it can tell core 0 nothing of it");
}

// Small program 1 of the rule: the wait may have been paid by core 2, whichever came first in this run.
TEST_P(RaceTextTest, OfAWaitThatAnotherCoreMayHavePaid) {
  SKIP_AS_THE_PROGRAM_RACES();
  int wait = 0, read = 0, write = 0, signal = 0, other = 0;
  const RunReport report = RunShared(3, [&](KernelContext& core, const Ref& m, const SemaphoreRef& full) {
    if (core.core_index() == 0) {
      core.Wait(full), wait = __LINE__;
      m.Read<float>(), read = __LINE__;
      core.Wait(full);
    } else if (core.core_index() == 1) {
      m.Write<float>().setZero(), write = __LINE__;
      core.Signal(full), signal = __LINE__;
    } else {
      core.Signal(full), other = __LINE__;
    }
  });
  ASSERT_THAT(report.faults, SizeIs(1));
  EXPECT_EQ(report.faults[0].ToString(),
            "race: the kernel reads m while core 1 may still be writing it\n"
            "  core 0, " +
                Kernel(read) +
                ": reads m, rows 0–7, columns 0–127\n"
                "  core 1, " +
                Kernel(write) +
                ": writes m, rows 0–7, columns 0–127\n"
                "  nothing orders them: the waits of core 0 on full, the last by core 0, " +
                Kernel(wait) + ", may have been paid by the signal of core 2, " + Kernel(other) +
                " instead of the signal of core 1, " + Kernel(signal));
}

TEST_P(RaceTextTest, OfACoreThatSignalsNobody) {
  SKIP_AS_THE_PROGRAM_RACES();
  const RunReport report = RunShared(2, [&](KernelContext& core, const Ref& m, const SemaphoreRef&) {
    m.Write<float>().setConstant(static_cast<float>(core.core_index()));
  });
  ASSERT_THAT(report.faults, SizeIs(1));
  EXPECT_THAT(report.ToString(), HasSubstr("\n  nothing orders them: core 0 signals nobody afterwards"));
}

// Two cores run one pipeline whole, where each was to have a part.
TEST_P(RaceTextTest, OfAPipelineThatIsNotPartitionedSaysSo) {
  SKIP_AS_THE_PROGRAM_RACES();
  const BlockSpec block({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); };
  const Array wide = Array::Iota(DType::kFloat32, {32, 128});
  Array out(DType::kFloat32, {32, 128});
  for (bool partitioned : {false, true}) {
    PipelineOptions options{.grid = {4}, .in_specs = {block}, .out_specs = {block}};
    if (partitioned) options.core_axis = 0, options.dimension_semantics = {kParallel};
    auto pipeline = EmitPipeline(body, options);
    ASSERT_TRUE(pipeline.ok()) << pipeline.status();
    const RunReport report =
        Run([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", wide), Out("y", out)}, 2);
    if (partitioned) {
      EXPECT_THAT(report, IsClean());
      EXPECT_TRUE(report.proved) << report;
    } else {
      EXPECT_THAT(report.ToString(), HasSubstr("\n  both cores run the whole grid (4,) of this pipeline: core_axis "
                                               "would give each a part of it"));
    }
  }
}

// One wait is missing: the read, the next copy and the end of the scope all suffer, and read as one.
TEST_P(RaceTextTest, FaultsOfOneCauseReadAsOne) {
  SKIP_AS_THE_PROGRAM_RACES();
  auto kernel = [&](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](SemaphoreRef done, SemaphoreRef also) {
          core.RunScoped(
              [&](Ref tile) {
                core.MakeAsyncCopy(x, tile, done).Start();
                const AsyncCopy next = core.MakeAsyncCopy(x, tile, also);
                next.Start();
                next.Wait();
                tile.Read<float>();
              },
              Vmem({8, 128}, DType::kFloat32, "tile"));
        },
        DmaSemaphore({}, "done"), DmaSemaphore({}, "also"));
  };
  const RunReport report = Run(kernel, {In("x", x)});
  std::set<FaultKind> kinds;
  for (const Fault& fault : report.faults) {
    kinds.insert(fault.kind);
    EXPECT_EQ(fault.cause, report.faults[0].cause);
  }
  EXPECT_EQ(kinds,
            (std::set<FaultKind>{FaultKind::kRace, FaultKind::kUseAfterScope, FaultKind::kTransferInFlightAtExit}));
  EXPECT_THAT(report.faults, SizeIs(4));
  EXPECT_THAT(GroupedByCause(report.faults), SizeIs(1));
  const std::string text = report.ToString();
  EXPECT_THAT(text, StartsWith("race: the kernel reads tile while a copy is still filling it\n"));
  EXPECT_THAT(text, HasSubstr("\n  also race: a copy writes tile while a copy is still filling it, at core 0, kernel"));
  EXPECT_THAT(text, HasSubstr("\n  also use-after-scope: tile is freed while a copy may still be filling it"));
  EXPECT_THAT(text,
              HasSubstr("\n  also transfer-in-flight-at-exit: core 0 ends while a copy to tile may be in flight"));
}

// One read of each row on a line of its own is one place; of each copy another.
TEST_P(RaceTextTest, AReportHoldsAsManyFaultsAsItMay) {
  SKIP_AS_THE_PROGRAM_RACES();
  auto kernel = [&](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
          copy.Start();
          for (uint32_t line = 1; line <= 50; ++line) tile.Read<float>(Site::Here("many.cc", "Kernel", line));
          copy.Wait();
        },
        Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
  };
  for (int most : {0, 1, 10, 50}) {
    SimulatorOptions options = OptionsFor(1);
    options.max_faults = most;
    const RunReport report = MakeSimulator(options).Run(kernel, {In("x", x)});
    const size_t kept = most == 0 ? 50 : static_cast<size_t>(most);
    EXPECT_THAT(report.faults, SizeIs(kept));
    EXPECT_FALSE(report.more_faults);
    if (kept == 50) {
      EXPECT_THAT(report.left_out, SizeIs(0));
    } else {
      ASSERT_THAT(report.left_out, SizeIs(1));
      EXPECT_EQ(report.left_out[0], (LeftOut{FaultKind::kRace, static_cast<int64_t>(50 - kept)}));
      EXPECT_THAT(report.ToString(), HasSubstr("\n… and " + std::to_string(50 - kept) + " more faults: race"));
    }
  }
}

TEST_P(RaceTextTest, ARunThatReadsASemaphoreIsNotProved) {
  for (bool reads : {false, true}) {
    auto kernel = [&](KernelContext& core, const Ref& x) {
      core.RunScoped(
          [&](Ref tile, SemaphoreRef done) {
            const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
            copy.Start();
            if (reads) core.ReadSemaphore(done);
            copy.Wait();
          },
          Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
    };
    const RunReport report = Run(kernel, {In("x", x)});
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(report.proved, !reads);
    EXPECT_EQ(report.ToString(),
              "ok: 1 core, 0 steps; x 1 copy in, 4 KiB; " +
                  std::string(reads ? "not proved: core 0 read semaphore done, whose value may depend on the schedule"
                                    : "proved"));
  }
}

}  // namespace
}  // namespace strandcore::testing
