// What a pipeline leaves undefined in its windows, what cores leave each other, and one array under two names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/strandcore.h"
#include "tests/core/exchange.h"
#include "tests/simulator/uninitialised.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using UninitialisedWindowTest = UninitialisedTest;
STRANDCORE_ON_EVERY_BACKEND(UninitialisedWindowTest);

// ---- windows

TEST_P(UninitialisedWindowTest, AnOutputWindowIsAddedToAtItsFirstVisit) {
  for (bool faulty : kBoth) {
    auto body = [faulty](KernelContext& core, Ref y) {
      if (core.ProgramId(0) == 0 && !faulty) y.Write<float>().setZero();
      y.ReadWrite<float>() += 1.0f;
    };
    const BlockSpec stays({8, 128}, [](const GridIndex&) { return BlockIndex{0, 0}; });
    const RunReport report = Run(Emitted(body, {.grid = {3}, .out_specs = {stays}}), {Out("y", y)});
    Expect(report, faulty, "the body reads y's window, of which rows 0–7, columns 0–127 were never written",
           "core 0, cycle 0, step (0,), body (uninitialised_window_test.cc:");
    if (faulty) {
      EXPECT_EQ(report.faults[0].count, 1) << "from then on the sum is defined";
    }
  }
}

TEST_P(UninitialisedWindowTest, TheSecondVisitOfAWindowFindsAnotherBlock) {
  for (bool faulty : kBoth) {
    Array z(DType::kFloat32, {32, 128});
    auto body = [faulty](KernelContext& core, Ref z) {
      if (core.ProgramId(1) == 0 && (!faulty || core.ProgramId(0) < 2)) z.Write<float>().setZero();
      z.ReadWrite<float>() += 1.0f;
    };
    const RunReport report = Run(Emitted(body, {.grid = {4, 2}, .out_specs = {Rows()}}), {Out("z", z)});
    Expect(report, faulty, "the body reads z's window", "step (2, 0)", "not written since the window began its block");
    if (faulty) {
      EXPECT_EQ(report.faults[0].count, 2) << "of two blocks, in two slots";
    }
  }
}

TEST_P(UninitialisedWindowTest, ATailThatIsStaleIsRead) {
  for (bool faulty : kBoth) {
    const Array part = Array::Iota(DType::kFloat32, {20, 128});
    Array z(DType::kFloat32, {20, 128});
    auto body = [faulty](KernelContext& core, Ref x, Ref z) {
      const int64_t rows = std::min<int64_t>(16, 20 - 16 * core.ProgramId(0));
      const Ref there = z.At(Ds(0, rows));
      there.Write<float>() = x.At(Ds(0, faulty ? 16 : rows)).Read<float>().topRows(rows);
    };
    const BlockSpec rows({16, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0}; });
    const RunReport report =
        Run(Emitted(body, {.grid = {2}, .in_specs = {rows}, .out_specs = {rows}}), {In("x", part), Out("z", z)});
    // Eight rows are copied, of which four are padding of x.
    Expect(report, faulty, "the body reads x's window, of which rows 4–15 lie beyond the end of the array",
           "rows 4–7: x ends there", "rows 8–15: the block is partial", "core.Filled(x) or x.At(Ds(0, rows))");
    EXPECT_EQ(part, z);
  }
}

TEST_P(UninitialisedWindowTest, PaddingIsCopiedAndRead) {
  for (bool faulty : kBoth) {
    const Array part = Array::Iota(DType::kFloat32, {8, 100});
    auto body = [faulty](KernelContext&, Ref x, Ref y) {
      y.Write<float>().setZero();
      const Index there = Ds(0, faulty ? 101 : 100);
      y.At(All(), there).Write<float>() = x.At(All(), there).Read<float>();
    };
    const RunReport report =
        Run(Emitted(body, {.grid = {1}, .in_specs = {Rows()}, .out_specs = {Rows()}}), {In("x", part), Out("y", y)});
    Expect(report, faulty, "the body reads x's window, of which column 100 lies beyond the end of the array",
           "column 100: x ends there");
  }
}

TEST_P(UninitialisedWindowTest, AWholeBlockAfterAPartialOneIsDefined) {
  // Blocks 1, 0, 1, 0: each slot holds the partial one, then the whole one.
  const Array part = Array::Iota(DType::kFloat32, {12, 128});
  Array z(DType::kFloat32, {40, 128});
  const BlockSpec back({8, 128}, [](const GridIndex& g) { return BlockIndex{1 - g[0] % 2, 0}; });
  auto body = [](KernelContext& core, Ref x, Ref z) {
    const Index rows = Ds(0, core.ProgramId(0) % 2 == 0 ? 4 : 8);
    z.Write<float>().setZero();
    z.At(rows).Write<float>() = x.At(rows).Read<float>();
  };
  EXPECT_THAT(
      Run(Emitted(body, {.grid = {5}, .in_specs = {back}, .out_specs = {Rows()}}), {In("x", part), Out("z", z)}),
      IsClean());
  EXPECT_TRUE((z.Matrix<float>().middleRows(8, 8) == part.Matrix<float>().topRows(8)).all());
  EXPECT_TRUE((z.Matrix<float>().bottomRows(8).topRows(4) == part.Matrix<float>().bottomRows(4)).all());
}

TEST_P(UninitialisedWindowTest, AnAccumulatorsWindowHoldsNothingAtItsFirstVisit) {
  for (bool init : kBoth) {
    for (bool faulty : kBoth) {
      Array z = Array::Full(DType::kFloat32, {16, 128}, 3);
      auto body = [faulty](KernelContext& core, Ref z) {
        if (core.ProgramId(1) == 0 && !faulty) z.Write<float>().setZero();
        z.ReadWrite<float>() += 1.0f;
      };
      const Pipeline pipeline = Emitted(body, {.grid = {2, 3}, .out_specs = {Rows()}, .should_accumulate_out = true});
      auto kernel = [&](KernelContext& core, Ref z) { pipeline(core, {z}, {.init_accumulators = init}); };
      const RunReport report = Run(kernel, {InOut("z", z)});
      Expect(report, faulty, "the body reads z's window, of which rows 0–7, columns 0–127 were never written",
             "step (0, 0)");
      if (!faulty) {
        EXPECT_EQ(z.Get({15, 127}), init ? 3 : 6);
      }
    }
  }
}

TEST_P(UninitialisedWindowTest, AnAccumulatorIsAsDefinedAsWhatIsAdded) {
  for (bool faulty : kBoth) {
    Array z = Array::Full(DType::kFloat32, {8, 128}, 3);
    auto body = [faulty](KernelContext&, Ref z) { z.At(Ds(0, faulty ? 6 : 8)).Write<float>().setOnes(); };
    const Pipeline pipeline = Emitted(body, {.grid = {1}, .out_specs = {Rows()}, .should_accumulate_out = true});
    Expect(Run(pipeline, {InOut("z", z)}), faulty, "the host is handed z, of which rows 6–7 were never written",
           "copied from z's window");
  }
}

TEST_P(UninitialisedWindowTest, WhatIsAddedToIsAsDefinedAsTheSum) {
  for (bool faulty : kBoth) {
    // Fresh memory is added to: the old sum was never written.
    auto body = [](KernelContext&, Ref z) { z.Write<float>().setOnes(); };
    const Pipeline pipeline = Emitted(body, {.grid = {1}, .out_specs = {Rows()}, .should_accumulate_out = true});
    auto kernel = [&](KernelContext& core, Ref y) { pipeline(core, {y}, {.init_accumulators = !faulty}); };
    Expect(Run(kernel, {Out("y", y)}), faulty, "the host is handed y, of which rows 0–7, columns 0–127");
  }
}

// ---- several cores

TEST_P(UninitialisedWindowTest, WhatOneCoreLeftOutAnotherReads) {
  for (bool faulty : kBoth) {
    Exchange exchange[2];
    auto kernel = [&, faulty](KernelContext& core, Ref shared, Ref y) {
      core.RunScoped(
          [&](Ref a, SemaphoreRef there) {
            const Index own = Ds(4 * core.core_index(), 4);
            if (core.core_index() == 0 || !faulty) a.At(own).Write<float>().setOnes();
            core.SyncCopy(a.At(own), shared.At(own));
            exchange[core.core_index()].Publish(there);
            core.Signal(exchange[1 - core.core_index()].Get(core));
            core.Wait(there);
            core.SyncCopy(shared, a);
            a.Read<float>();
            core.SyncCopy(a.At(own), y.At(own));
          },
          Tile("a"), RegularSemaphore({}, "there"));
    };
    const Operands operands = {Scratch("shared", DType::kFloat32, {8, 128}), InOut("y", y)};
    const RunReport report = MakeSimulator(OptionsFor(2)).Run(kernel, operands);
    if (!faulty) {
      ExpectProved(report);
      continue;
    }
    ASSERT_EQ(report.faults.size(), 2u) << report.ToString();
    EXPECT_THAT(
        report.faults[0].ToString(),
        AllOf(HasSubstr("the kernel reads a, of which rows 4–7 were never written"), HasSubstr("core 0, kernel ("),
              HasSubstr("copied from elements of a that were never written"), HasSubstr("2 times")));
    EXPECT_THAT(report.faults[1].ToString(), HasSubstr("the host is handed y, of which rows 4–7 were never written"));
  }
}

// ---- one array under two names

TEST_P(UninitialisedWindowTest, OneArrayUnderTwoNamesIsOneMemory) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer reports it too";
#endif
  for (bool faulty : kBoth) {
    Array both = x;
    auto kernel = [faulty](KernelContext& core, Ref a, Ref b) {
      core.RunScoped(
          [&](Ref tile, Ref other, SemaphoreRef in, SemaphoreRef out) {
            other.Write<float>().setZero();
            const AsyncCopy reads = core.MakeAsyncCopy(a, tile, in), writes = core.MakeAsyncCopy(other, b, out);
            reads.Start();
            if (!faulty) reads.Wait();
            writes.Start();
            if (faulty) reads.Wait();
            writes.Wait();
          },
          Tile("tile"), Tile("other"), DmaSemaphore({}, "in"), DmaSemaphore({}, "out"));
    };
    const RunReport report = Run(kernel, {In("a", both), Out("b", both)});
    if (faulty) {
      EXPECT_THAT(report, HasFault(FaultKind::kRace, HasSubstr("a (also b)")));
    } else {
      ExpectProved(report);
    }
    // Two arrays that have adopted the same bytes are one, too.
    std::vector<float> host(8 * 128, 1.0f);
    const Array one = Array::Adopt(DType::kFloat32, {8, 128}, host.data());
    Array two = Array::Adopt(DType::kFloat32, {8, 128}, host.data());
    EXPECT_EQ(Run(kernel, {In("a", one), Out("b", two)}).ok(), !faulty);
  }
}

TEST_P(UninitialisedWindowTest, AnOutputThatTheRunAlsoReadsIsDefined) {
  Array both = x;
  auto kernel = [](KernelContext& core, Ref, Ref b) {
    core.RunScoped(
        [&](Ref tile) {
          core.SyncCopy(b, tile);
          tile.Read<float>();
        },
        Tile("tile"));
  };
  ExpectProved(Run(kernel, {In("a", both), Out("b", both)}));
}

}  // namespace
}  // namespace strandcore::testing
