// Uses of what was never written, on every backend alike: each fault, and its repaired twin a line apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class UninitialisedReadTest : public ScheduleTest {
 protected:
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y{DType::kFloat32, {8, 128}};

  // `faulty`: one such fault, whose text holds all of `parts`; else clean and proved.
  template <typename... Parts>
  static void Expect(const RunReport& report, bool faulty, const Parts&... parts) {
    if (!faulty) return ExpectProved(report);
    EXPECT_THAT(report, HasFault(FaultKind::kUninitialisedRead, AllOf(HasSubstr(""), HasSubstr(parts)...)));
    EXPECT_FALSE(report.proved);
  }
  static void ExpectProved(const RunReport& report) {
    EXPECT_THAT(report, IsClean());
    EXPECT_TRUE(report.proved);
  }
  static Pipeline Emitted(RefFunction body, PipelineOptions options) {
    absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(options));
    EXPECT_TRUE(pipeline.ok()) << pipeline.status();
    return *std::move(pipeline);
  }
};
STRANDCORE_ON_EVERY_BACKEND(UninitialisedReadTest);

constexpr bool kBoth[] = {true, false};

ScopedMemory Tile(const char* name) { return Vmem({8, 128}, DType::kFloat32, name); }

BlockSpec Rows() {
  return BlockSpec({8, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0}; });
}

// ---- scratches

TEST_P(UninitialisedReadTest, AScratchIsReadBeforeItIsWritten) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a) {
            if (!faulty) a.Write<float>().setZero();
            a.Read<float>();
            a.Write<float>().setZero();
          },
          Tile("a"));
    };
    Expect(Run(kernel, {}), faulty, "the kernel reads a, of which rows 0–7, columns 0–127 were never written",
           "core 0, kernel (uninitialised_read_test.cc:", "reads a, rows 0–7, columns 0–127",
           "never written since the memory was allocated");
  }
}

TEST_P(UninitialisedReadTest, AddingToAScratchIsARead) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a) {
            a.At(Ds(0, faulty ? 4 : 8)).Write<float>().setZero();
            for (int i = 0; i < 3; ++i) a.ReadWrite<float>() += 1.0f;
          },
          Tile("a"));
    };
    // What is added to is written then: once, not three times.
    const RunReport report = Run(kernel, {});
    Expect(report, faulty, "the kernel reads a, of which rows 4–7 were never written");
    if (faulty) {
      EXPECT_THAT(report.faults[0].ToString(), Not(HasSubstr("times")));
    }
  }
}

TEST_P(UninitialisedReadTest, OneLineIsOneFaultHoweverOftenItReads) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [](Ref a) {
          for (int64_t i = 0; i < 5; ++i) a.At(7 - i).Load<float>();
        },
        Tile("a"));
  };
  const RunReport report = Run(kernel, {});
  EXPECT_THAT(report, HasFault(FaultKind::kUninitialisedRead, HasSubstr("of which row 7 was never written")));
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].count, 5);
}

TEST_P(UninitialisedReadTest, AMaskedLoadAvoidsTheHole) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a) {
            a.At(Ds(0, 5), Ds(0, 100)).Write<float>().setZero();
            OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(8, 128, false);
            mask.topLeftCorner(5, 100).setConstant(true);
            if (faulty) mask(5, 7) = true;
            a.Load<float>(mask, 0.0f);
          },
          Tile("a"));
    };
    Expect(Run(kernel, {}), faulty, "the kernel reads a, of which row 5, column 7 was never written");
  }
}

TEST_P(UninitialisedReadTest, AMaskedStoreDefinesWhatItTakes) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a) {
            OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(8, 128, true);
            if (faulty) mask.block(2, 3, 4, 5).setConstant(false);
            a.Store(OwnedWindow<float>::Zero(8, 128), mask);
            a.Read<float>();
          },
          Tile("a"));
    };
    Expect(Run(kernel, {}), faulty, "of which rows 2–5, columns 3–7 were never written");
  }
}

TEST_P(UninitialisedReadTest, AMaskOfMoreThanTwoDimensionsTakesWhatItTakes) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a) {
            // As rows of a matrix: those of index 1 are 4 to 7.
            OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(8, 8, false);
            mask.block(4, 0, 4, 6).setConstant(true);
            a.Store(OwnedWindow<float>::Zero(8, 8), mask);
            a.At(faulty ? 0 : 1, All(), Ds(0, 6)).Load<float>();
          },
          Vmem({2, 4, 8}, DType::kFloat32, "a"));
    };
    Expect(Run(kernel, {}), faulty, "of which index 0, columns 0–5 were never written");
  }
}

TEST_P(UninitialisedReadTest, AMaskThatTakesNothingReadsNothing) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped([](Ref a) { a.Load<float>(OwnedWindow<bool>::Constant(8, 128, false), 0.0f); }, Tile("a"));
  };
  ExpectProved(Run(kernel, {}));
}

TEST_P(UninitialisedReadTest, ScalarsOfSmem) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref cells) {
            cells.Set<int32_t>(7, {faulty ? 1 : 2});
            cells.Get<int32_t>({2});
          },
          Smem({4}, DType::kInt32, "cells"));
    };
    Expect(Run(kernel, {}), faulty, "the kernel reads cells, of which element 2 was never written");
  }
}

TEST_P(UninitialisedReadTest, AScopeThatBeginsAgainBeginsUndefined) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      for (int round = 0; round < 2; ++round) {
        core.RunScoped(
            [&](Ref a) {
              if (round == 0 || !faulty) a.Write<float>().setZero();
              a.Read<float>();
            },
            Tile("a"));
      }
    };
    const RunReport report = Run(kernel, {});
    Expect(report, faulty, "the kernel reads a, of which rows 0–7, columns 0–127 were never written");
    if (faulty) {
      EXPECT_EQ(report.faults[0].count, 1);
    }
  }
}

// ---- copies

TEST_P(UninitialisedReadTest, APartialCopyFillsAPart) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core, Ref x) {
      core.RunScoped(
          [&](Ref a) {
            core.SyncCopy(x.At(Ds(0, 5)), a.At(Ds(2, 5)));
            a.At(Ds(2, faulty ? 6 : 5)).Read<float>();
          },
          Tile("a"));
    };
    Expect(Run(kernel, {In("x", x)}), faulty, "of which row 7 was never written", "reads a, rows 2–7");
  }
}

TEST_P(UninitialisedReadTest, AChainOfCopiesCarriesAHole) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core) {
      core.RunScoped(
          [&](Ref a, Ref b, Ref c) {
            a.At(Ds(0, 4)).Write<float>().setOnes();
            if (!faulty) a.At(Ds(4, 4)).Write<float>().setOnes();
            // Transposed, so that rows become columns, and back, every other one.
            core.SyncCopy(a.At(All(), Ds(0, 8)).Transpose({1, 0}), b.At(All(), Ds(0, 8)));
            core.SyncCopy(b.At(Ds(0, 4, 2), Ds(0, 8)), c.At(Ds(0, 4), Ds(8, 8)));
            c.At(Ds(0, 4), Ds(8, 8)).Load<float>();
          },
          Tile("a"), Tile("b"), Tile("c"));
    };
    const RunReport report = Run(kernel, {});
    Expect(report, faulty, "the kernel reads c, of which rows 0–3, columns 12–15 were never written",
           "copied from elements of a that were never written");
  }
}

TEST_P(UninitialisedReadTest, ACopyOfUndefinedElementsIsNoFaultOfItsOwn) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped([&](Ref a, Ref b) { core.SyncCopy(a, b); }, Tile("a"), Tile("b"));
  };
  ExpectProved(Run(kernel, {}));
}

// ---- what the host is handed

TEST_P(UninitialisedReadTest, AnOutputThatNobodyWritesIsHandedOver) {
  for (bool faulty : kBoth) {
    auto kernel = [faulty](KernelContext& core, Ref x, Ref y) {
      core.RunScoped(
          [&](Ref a) {
            core.SyncCopy(x, a);
            if (!faulty) core.SyncCopy(a, y);
          },
          Tile("a"));
    };
    Expect(Run(kernel, {In("x", x), Out("y", y)}), faulty,
           "the host is handed y, of which rows 0–7, columns 0–127 were never written",
           "1024 of 1024 elements were undefined", "or give it with InOut");
  }
}

TEST_P(UninitialisedReadTest, PartOfAnOutputIsHandedOverUnwritten) {  // P10
  for (bool faulty : kBoth) {
    Array z(DType::kInt32, {4});
    auto kernel = [faulty](KernelContext&, Ref z) {
      for (int64_t i = faulty ? 1 : 0; i < (faulty ? 3 : 4); ++i) z.Set<int32_t>(7, {i});
    };
    Expect(Run(kernel, {Out("z", z, MemorySpace::kSmem)}), faulty,
           "the host is handed z, of which element 0; element 3 were never written", "2 of 4 elements");
    // What the host put there is as good as written.
    ExpectProved(Run(kernel, {InOut("z", z, MemorySpace::kSmem)}));
  }
}

TEST_P(UninitialisedReadTest, ARunThatStopsHandsNothingOver) {
  auto kernel = [](KernelContext& core, Ref) { core.Check(false, "stop"); };
  EXPECT_THAT(Run(kernel, {Out("y", y)}), HasFault(FaultKind::kKernelError));
}

TEST_P(UninitialisedReadTest, ADryRunSaysNothingOfIt) {
  auto body = [](KernelContext&, Ref y) { y.Write<float>().setZero(); };
  SimulatorOptions options = OptionsFor(1);
  options.dry = true;
  EXPECT_THAT(MakeSimulator(options).Run(Emitted(body, {.grid = {1}, .out_specs = {Rows()}}), {Out("y", y)}),
              IsClean());
}

// ---- windows

TEST_P(UninitialisedReadTest, AnOutputWindowIsAddedToAtItsFirstVisit) {
  for (bool faulty : kBoth) {
    auto body = [faulty](KernelContext& core, Ref y) {
      if (core.ProgramId(0) == 0 && !faulty) y.Write<float>().setZero();
      y.ReadWrite<float>() += 1.0f;
    };
    const BlockSpec stays({8, 128}, [](const GridIndex&) { return BlockIndex{0, 0}; });
    const RunReport report = Run(Emitted(body, {.grid = {3}, .out_specs = {stays}}), {Out("y", y)});
    Expect(report, faulty, "the body reads y's window, of which rows 0–7, columns 0–127 were never written",
           "core 0, cycle 0, step (0,), body (uninitialised_read_test.cc:");
    if (faulty) {
      EXPECT_EQ(report.faults[0].count, 1) << "from then on the sum is defined";
    }
  }
}

TEST_P(UninitialisedReadTest, TheSecondVisitOfAWindowFindsAnotherBlock) {
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

TEST_P(UninitialisedReadTest, ATailThatIsStaleIsRead) {
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
           "rows 4–7: x ends there", "rows 8–15: the block is partial", "x.At(Ds(0, rows))");
    EXPECT_EQ(part, z);
  }
}

TEST_P(UninitialisedReadTest, PaddingIsCopiedAndRead) {
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

TEST_P(UninitialisedReadTest, AWholeBlockAfterAPartialOneIsDefined) {
  // Blocks 1, 0, 1, 0: each slot holds the partial one, then the whole one.
  const Array part = Array::Iota(DType::kFloat32, {12, 128});
  Array z(DType::kFloat32, {12, 128});
  const BlockSpec back({8, 128}, [](const GridIndex& g) { return BlockIndex{1 - g[0] % 2, 0}; });
  auto body = [](KernelContext& core, Ref x, Ref z) {
    const Index rows = Ds(0, core.ProgramId(0) % 2 == 0 ? 4 : 8);
    z.At(rows).Write<float>() = x.At(rows).Read<float>();
  };
  EXPECT_THAT(Run(Emitted(body, {.grid = {5}, .in_specs = {back}, .out_specs = {back}}), {In("x", part), Out("z", z)}),
              IsClean());
  EXPECT_EQ(part, z);
}

TEST_P(UninitialisedReadTest, AnAccumulatorsWindowHoldsNothingAtItsFirstVisit) {
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

TEST_P(UninitialisedReadTest, AnAccumulatorIsAsDefinedAsWhatIsAdded) {
  for (bool faulty : kBoth) {
    Array z = Array::Full(DType::kFloat32, {8, 128}, 3);
    auto body = [faulty](KernelContext&, Ref z) { z.At(Ds(0, faulty ? 6 : 8)).Write<float>().setOnes(); };
    const Pipeline pipeline = Emitted(body, {.grid = {1}, .out_specs = {Rows()}, .should_accumulate_out = true});
    Expect(Run(pipeline, {InOut("z", z)}), faulty, "the host is handed z, of which rows 6–7 were never written",
           "copied from z's window");
  }
}

TEST_P(UninitialisedReadTest, WhatIsAddedToIsAsDefinedAsTheSum) {
  for (bool faulty : kBoth) {
    // Fresh memory is added to: the old sum was never written.
    auto body = [](KernelContext&, Ref z) { z.Write<float>().setOnes(); };
    const Pipeline pipeline = Emitted(body, {.grid = {1}, .out_specs = {Rows()}, .should_accumulate_out = true});
    auto kernel = [&](KernelContext& core, Ref y) { pipeline(core, {y}, {.init_accumulators = !faulty}); };
    Expect(Run(kernel, {Out("y", y)}), faulty, "the host is handed y, of which rows 0–7, columns 0–127");
  }
}

// ---- several cores

TEST_P(UninitialisedReadTest, WhatOneCoreLeftOutAnotherReads) {
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

TEST_P(UninitialisedReadTest, OneArrayUnderTwoNamesIsOneMemory) {
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

TEST_P(UninitialisedReadTest, AnOutputThatTheRunAlsoReadsIsDefined) {
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
