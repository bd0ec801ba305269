// Kernels that fail: the first cause is reported, all others are unwound, the simulator stays usable (I01).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using FailureTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(FailureTest);

// Of the kernel below, before it fails: the line of its inner RunScoped.
const std::string kLastRequest = std::to_string(__LINE__ + 11);

// Core 1 fails in its own way, deep inside, while core 0 waits for it.
template <typename Fail>
RefFunction OneFails(std::atomic<int>& alive, Fail fail) {
  return [&alive, fail](KernelContext& core) {
    Counted outer(alive);
    core.RunScoped(
        [&](Ref) {
          Counted inner(alive);
          if (core.core_index() == 0) WaitForEver(core);
          core.RunScoped([&](Ref tile) { fail(core, tile); }, Vmem({8, 128}, DType::kFloat32, "tile"));
        },
        Vmem({8, 128}, DType::kFloat32));
  };
}

TEST_P(FailureTest, AnExceptionOfTheKernelIsAKernelError) {
  std::atomic<int> alive{0};
  auto kernel = OneFails(alive, [](KernelContext&, Ref) { throw std::runtime_error("the disk is full"); });
  EXPECT_EQ(
      Run(kernel, {}, 2).ToString(),
      "kernel-error: the disk is full\n  at core 1, kernel, after its request at failure_test.cc:" + kLastRequest);
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(FailureTest, AnExceptionOfAnyTypeIsAKernelError) {
  std::atomic<int> alive{0};
  auto kernel = OneFails(alive, [](KernelContext&, Ref) { throw 42; });
  EXPECT_EQ(Run(kernel, {}, 2).ToString(),
            "kernel-error: an exception that is no std::exception\n"
            "  at core 1, kernel, after its request at failure_test.cc:" +
                kLastRequest);
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(FailureTest, ARefusalEndsTheRunWithItsStatus) {
  std::atomic<int> alive{0};
  auto kernel = OneFails(alive, [](KernelContext& core, Ref tile) { core.SyncCopy(tile.At(0), tile); });
  const std::string line = std::to_string(__LINE__ - 1);
  const RunReport report = Run(kernel, {}, 2);
  EXPECT_EQ(report.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(report.ToString(),
            "error: copy from tile (128,) float32 in VMEM to tile (8, 128) float32 in VMEM: expected equal shapes "
            "(core 1, kernel (failure_test.cc:" +
                line + "))");
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(FailureTest, AnIndexOutsideIsOutOfBounds) {
  std::atomic<int> alive{0};
  auto kernel = OneFails(alive, [](KernelContext&, Ref tile) { tile.At(8); });
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(
      Run(kernel, {}, 2).ToString(),
      "out-of-bounds: tile: row 8 of dimension 0 lies outside 0–7\n  at core 1, kernel (failure_test.cc:" + line + ")");
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(FailureTest, AFullMemoryIsACapacityFault) {
  std::atomic<int> alive{0};
  auto kernel = OneFails(alive, [](KernelContext& core, Ref) {
    core.RunScoped([](Ref) {}, Vmem({1 << 20, 128}, DType::kFloat32, "huge"));
  });
  EXPECT_THAT(Run(kernel, {}, 2),
              HasFault(FaultKind::kCapacity, AllOf(HasSubstr("VMEM of core 1 is full: 536,879,104 bytes are needed"),
                                                   HasSubstr("\n  tile: 4,096 bytes, (8, 128) float32\n"),
                                                   HasSubstr("\n  huge: 536,870,912 bytes, "))));
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(FailureTest, StopsCoresThatRunForEver) {
  auto kernel = [](KernelContext& core) {
    if (core.core_index() == 1) throw std::runtime_error("enough");
    core.RunScoped(
        [&](SemaphoreRef s) {
          for (;;) {
            if (core.core_index() == 0) core.Signal(s);
            if (core.core_index() == 2) core.ReadSemaphore(s);
            if (core.core_index() == 3) core.RunScoped([](Ref) {}, Smem({1}, DType::kInt32));
            if (core.core_index() == 4) core.Delay(1'000'000'000'000);
            if (core.core_index() > 0) core.Delay(1);
            if (core.core_index() == 0) core.Delay(1);
          }
        },
        RegularSemaphore());
  };
  EXPECT_EQ(Run(kernel, {}, 5).ToString(), "kernel-error: enough\n  at core 1, kernel");
}

TEST_P(FailureTest, WithCopiesInFlightEndsCleanly) {
  const Array x = Array::Full(DType::kFloat32, {1024, 512}, 3);
  Array y(DType::kFloat32, {1024, 512});
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef done) {
          core.MakeAsyncCopy(x, tile, done.At(0)).Start();
          core.MakeAsyncCopy(x, y, done.At(1)).Start();
          throw std::runtime_error("half-way");
        },
        Vmem({1024, 512}, DType::kFloat32), DmaSemaphore({2}));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), HasFault(FaultKind::kKernelError, HasSubstr("half-way")));
  EXPECT_EQ(x, y) << "a copy that was started completes";
}

// A kernel that catches everything, its own unwinding too, is given up.
TEST_P(FailureTest, AKernelThatCatchesEverythingDoesNotHang) {
  for (int way = 0; way < 4; ++way) {
    auto kernel = [way](KernelContext& core) {
      core.RunScoped(
          [&](Ref, SemaphoreRef never) {
            for (;;) {
              try {
                if (way == 0) core.Wait(never);
                if (way == 1) core.Delay(1);
                if (way == 2) core.RunScoped([](Ref) {}, Smem({1}, DType::kInt32));
                if (way == 3) core.RunScoped([&](SemaphoreRef own) { core.Wait(own); }, RegularSemaphore());
              } catch (...) {
              }
            }
          },
          Vmem({8, 128}, DType::kFloat32), RegularSemaphore({}, "never"));
    };
    auto with_failure = [kernel](KernelContext& core) {
      // (Core 0: under eager it has its turns before any that never parks.)
      if (core.core_index() == 0) throw std::runtime_error("the first");
      kernel(core);
    };
    EXPECT_THAT(Run(with_failure, {}, 2), HasFault(FaultKind::kKernelError, HasSubstr("the first"))) << way;
  }
}

// The other core has begun for certain when the first one fails.
TEST_P(FailureTest, AKernelInsideARequestThatCatchesEverythingDoesNotHang) {
  std::atomic<bool> begun{false};
  auto kernel = [&](KernelContext& core) {
    if (core.core_index() == 1) {
      while (!begun) core.Delay(1);
      throw std::runtime_error("the first");
    }
    begun = true;
    for (;;) {
      try {
        WaitForEver(core);
      } catch (...) {
      }
    }
  };
  EXPECT_THAT(Run(kernel, {}, 2), HasFault(FaultKind::kKernelError, HasSubstr("the first")));
}

TEST_P(FailureTest, AKernelThatCatchesItsUnwindingMayReturn) {
  auto kernel = [](KernelContext& core) {
    try {
      WaitForEver(core);
    } catch (...) {
    }
  };
  EXPECT_THAT(Run(kernel, {}, 2), HasFault(FaultKind::kDeadlock, HasSubstr("never")));
}

// Requests of destructors, while the kernel is unwound, neither block nor throw.
TEST_P(FailureTest, DestructorsMayStillAsk) {
  struct AsksWhenDestroyed {
    KernelContext& core;
    SemaphoreRef semaphore;
    ~AsksWhenDestroyed() {
      core.Signal(semaphore);
      core.Wait(semaphore, 2);
      core.RunScoped([&](SemaphoreRef own) { core.Wait(own); }, RegularSemaphore());
    }
  };
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef semaphore) {
          AsksWhenDestroyed local{core, semaphore};
          WaitForEver(core);
        },
        RegularSemaphore());
  };
  EXPECT_THAT(Run(kernel, {}, 2), HasFault(FaultKind::kDeadlock, HasSubstr("never")));
}

// The semaphore's scope is left by the exception while another core goes on to signal it.
TEST_P(FailureTest, SignalsOfAFailedCoresSemaphoreCorruptNothing) {
  for (int round = 0; round < Times(50, 20); ++round) {
    SemaphoreRef shared;
    std::atomic<bool> is_shared{false};
    auto kernel = [&](KernelContext& core) {
      if (core.core_index() == 1) {
        while (!is_shared.load()) core.Delay(1);
        for (int i = 0; i < 300; ++i) core.Signal(shared);
        return;
      }
      core.RunScoped(
          [&](SemaphoreRef mine) {
            shared = mine;
            is_shared = true;
            core.Wait(mine, 20);
            throw std::runtime_error("in the scope");
          },
          RegularSemaphore({}, "mine"));
    };
    ASSERT_THAT(Run(kernel, {}, 2), HasFault(FaultKind::kKernelError, HasSubstr("in the scope")));
  }
}

TEST_P(FailureTest, TenFailingRunsLeaveTheSimulatorUsable) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Simulator& simulator = MakeSimulator(2);
  for (int i = 0; i < 10; ++i) {
    auto kernel = [i](KernelContext& core) {
      core.RunScoped(
          [&](Ref tile) {
            if (core.core_index() == 0) WaitForEver(core);
            if (i % 3 == 0) throw std::runtime_error("error");
            if (i % 3 == 1) core.SyncCopy(tile, tile.At(0));
            WaitForEver(core);
          },
          Vmem({8, 128}, DType::kFloat32));
    };
    EXPECT_FALSE(simulator.Run(kernel, {}).ok());
    EXPECT_EQ(simulator.held(), 0);
  }
  Array y(DType::kFloat32, {8, 128});
  const RunReport report = simulator.Run(
      [](KernelContext& core, Ref x, Ref y) {
        if (core.core_index() == 0) CopyAcross(core, x, y);
      },
      {In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.counters.transfers, 2);
}

// One cause, though both cores fail; on one thread it is always the same.
TEST_P(FailureTest, TwoFailuresMakeOneFault) {
  auto kernel = [](KernelContext& core) { throw std::runtime_error("core " + std::to_string(core.core_index())); };
  EXPECT_THAT(Run(kernel, {}, 4), HasFault(FaultKind::kKernelError, HasSubstr("kernel-error: core ")));
}

TEST_P(FailureTest, InABodySaysWhichStep) {
  const BlockSpec block({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  auto body = [](KernelContext& core, Ref) { core.Check(core.ProgramId(0) != 2, "no step 2"); };
  auto pipeline = EmitPipeline(body, {.grid = {4}, .in_specs = {block}, .out_specs = {}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const Array x(DType::kFloat32, {32, 128});
  EXPECT_THAT(Run([&](KernelContext& core, Refs refs) { (*pipeline)(core, refs); }, {In("x", x)}),
              HasFault(FaultKind::kKernelError, HasSubstr("\n  at core 0, cycle 0, step (2,), body")));
}

}  // namespace
}  // namespace strandcore::testing
