// Uses of what was never written, on every backend alike: each fault, and its repaired twin a line apart. (What a
// pipeline makes of its windows: uninitialised_window_test.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/strandcore.h"
#include "tests/simulator/uninitialised.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using UninitialisedReadTest = UninitialisedTest;
STRANDCORE_ON_EVERY_BACKEND(UninitialisedReadTest);

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

// A run that stops for another fault still tells what was read before, as far as that is the same in every schedule.
TEST_P(UninitialisedReadTest, IsToldBesideADeadlock) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](Ref count, SemaphoreRef done) {
          count.Get<int32_t>({0});
          core.Wait(done);
        },
        Smem({1}, DType::kInt32, "count"), RegularSemaphore({}, "done"));
  };
  const RunReport report = Run(kernel, {}, 2);
  ASSERT_EQ(report.faults.size(), 2u) << report;
  EXPECT_EQ(report.faults[0].kind, FaultKind::kDeadlock);
  EXPECT_EQ(report.faults[1].kind, FaultKind::kUninitialisedRead);
  EXPECT_EQ(report.faults[1].count, 2);
}

TEST_P(UninitialisedReadTest, ADryRunSaysNothingOfIt) {
  auto body = [](KernelContext&, Ref y) { y.Write<float>().setZero(); };
  SimulatorOptions options = OptionsFor(1);
  options.dry = true;
  EXPECT_THAT(MakeSimulator(options).Run(Emitted(body, {.grid = {1}, .out_specs = {Rows()}}), {Out("y", y)}),
              IsClean());
}

}  // namespace
}  // namespace strandcore::testing
