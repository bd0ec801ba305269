// RunScoped: memory and semaphores that live as long as a piece of a kernel.
#include "runtime/core/scope.h"
#include "runtime/exec/agent_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

int64_t ResidentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

using ScopeTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(ScopeTest);

TEST_P(ScopeTest, HandsItemsOverInTheirOrder) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](SemaphoreRef signals, Ref tile, SemaphoreRef bytes, Ref scalar) {
          core.Check(signals.kind() == SemaphoreKind::kRegular && signals.shape() == Dims({3}), "signals");
          core.Check(tile.space() == MemorySpace::kVmem && tile.shape() == Dims({8, 100}), "tile");
          core.Check(bytes.kind() == SemaphoreKind::kDma && bytes.rank() == 0, "bytes");
          core.Check(scalar.space() == MemorySpace::kSmem && scalar.dtype() == DType::kInt32, "scalar");
          core.Check(scalar.name() == "count", "name");
        },
        RegularSemaphore({3}), Vmem({8, 100}, DType::kFloat32), DmaSemaphore(), Smem({1}, DType::kInt32, "count"));
  };
  EXPECT_THAT(Run(kernel), IsClean());
}

TEST_P(ScopeTest, FreshMemoryIsPoisonAndFreshSemaphoresAreZero) {
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 3; ++i) {
      core.RunScoped(
          [&](Ref floats, Ref ints, SemaphoreRef semaphore) {
            core.Check(floats.Read<float>().isNaN().all(), "floats are NaN");
            core.Check(ints.Get<int32_t>({2}) == INT32_MAX, "integers are extreme");
            core.Check(core.ReadSemaphore(semaphore) == 0, "semaphores are zero");
            floats.Write<float>() = 1.0f;
            ints.Set<int32_t>(1, {2});
            core.Signal(semaphore, 5);
            core.Wait(semaphore, 5);
          },
          Vmem({8, 128}, DType::kFloat32), Smem({4}, DType::kInt32), RegularSemaphore());
    }
  };
  // And reading it is a fault, in each of the scopes.
  const RunReport report = Run(kernel);
  ASSERT_EQ(report.faults.size(), 2u) << report.ToString();
  for (const Fault& fault : report.faults) {
    EXPECT_EQ(fault.kind, FaultKind::kUninitialisedRead);
    EXPECT_EQ(fault.count, 3);
  }
}

TEST_P(ScopeTest, Nests) {
  std::vector<int> seen;
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](Ref outer) {
          outer.Set<int32_t>(1, {0});
          for (int i = 2; i <= 3; ++i) {
            core.RunScoped(
                [&](Ref inner) {
                  inner.Set<int32_t>(outer.Get<int32_t>({0}) * 10 + i, {0});
                  outer.Set<int32_t>(inner.Get<int32_t>({0}), {0});
                },
                Smem({1}, DType::kInt32));
          }
          seen.push_back(outer.Get<int32_t>({0}));
        },
        Smem({1}, DType::kInt32));
  };
  EXPECT_THAT(Run(kernel), IsClean());
  EXPECT_THAT(seen, ElementsAre(123));
}

TEST_P(ScopeTest, OfEveryCoreIsItsOwn) {
  Array y(DType::kInt32, {4, 1});
  auto kernel = [](KernelContext& core, Ref y) {
    core.RunScoped(
        [&](Ref own) {
          own.Set<int32_t>(core.core_index() + 1, {0});
          core.Delay(3);
          core.SyncCopy(own, y.At(core.core_index()));
        },
        Smem({1}, DType::kInt32));
  };
  EXPECT_THAT(Run(kernel, {Out("y", y)}, 4), IsClean());
  EXPECT_THAT(y.ToVector<int32_t>(), ElementsAre(1, 2, 3, 4));
}

// I05: scopes of 1 MiB, one after the other, each written to; some seconds for all of them, so once.
TEST_P(ScopeTest, TenThousandKeepMemoryFlat) {
  const int scopes = backend().policy == Policy::Eager() ? Times(10'000, 500) : 300;
  int64_t after_some = 0, after_all = 0;
  auto kernel = [&](KernelContext& core) {
    for (int i = 0; i < scopes; ++i) {
      core.RunScoped([&](Ref tile) { tile.Set<float>(1.0f, {i % 256, 7}); }, Vmem({256, 1024}, DType::kFloat32));
      if (i == scopes / 10) after_some = ResidentBytes();
    }
    after_all = ResidentBytes();
  };
  EXPECT_THAT(Run(kernel), IsClean());
  EXPECT_LT(after_all - after_some, Times(16, 64) * 1024 * 1024);
}

// Each SyncCopy has a semaphore of its own.
TEST_P(ScopeTest, CopiesKeepMemoryFlatOnTwoCoresToo) {
  const int copies = Times(40'000, 2'000);
  Array x(DType::kFloat32, {8, 128});
  std::atomic<int64_t> grown{0};
  auto kernel = [&](KernelContext& core, Ref x) {
    core.RunScoped(
        [&](Ref tile) {
          int64_t before = 0;
          for (int i = 0; i < copies; ++i) {
            core.SyncCopy(x, tile);
            if (i == copies / 10) before = ResidentBytes();
          }
          if (core.core_index() == 0) grown = ResidentBytes() - before;
        },
        Vmem({8, 128}, DType::kFloat32));
  };
  // (The checker keeps a log of the run, up to a bound.)
  SimulatorOptions options = OptionsFor(2);
  options.check = false;
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {In("x", x)}), IsClean());
  EXPECT_LT(grown.load(), Times(8, 32) * 1024 * 1024);
}

// What is kept so that a late use by another core is told does not grow with the run.
TEST_P(ScopeTest, ManyKeepMemoryFlatOnTwoCoresToo) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  const int scopes = 40'000;
  std::atomic<int64_t> grown{0};
  auto kernel = [&](KernelContext& core) {
    int64_t before = 0;
    for (int i = 0; i < scopes; ++i) {
      core.RunScoped([](Ref, SemaphoreRef) {}, Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"));
      if (i == scopes / 10) before = ResidentBytes();
    }
    if (core.core_index() == 0) grown = ResidentBytes() - before;
  };
  // (The checker keeps a log of the run, up to a bound.)
  SimulatorOptions options = OptionsFor(2);
  options.check = false;
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {}), IsClean());
  EXPECT_LT(grown.load(), 8 * 1024 * 1024);
}

// S16: the scope ends while its copy is on the way. What the copy touches is kept until it is complete; the next
// scopes, which would get the same memory, stay as they are.
TEST_P(ScopeTest, FreedUnderACopyInFlightCorruptsNothing) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "its copy is not waited for, which is a race";
#endif
  const int rounds = Times(200, 40);
  const Array x = Array::Full(DType::kInt32, {64, 256}, 7);
  Array y(DType::kInt32, {64, 256});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    for (int i = 0; i < rounds; ++i) {
      core.RunScoped([&](Ref tile, SemaphoreRef done) { core.MakeAsyncCopy(x, tile, done).Start(); },
                     Vmem({64, 256}, DType::kInt32), DmaSemaphore());
      core.RunScoped(
          [&](Ref tile, SemaphoreRef done) {
            tile.Write<int32_t>() = i;
            core.Delay(2);
            core.Check((tile.Read<int32_t>() == i).all(), "nobody else writes it");
            core.Check(core.ReadSemaphore(done) == 0, "nobody else pays it");
            core.SyncCopy(tile, y);
          },
          Vmem({64, 256}, DType::kInt32), DmaSemaphore());
    }
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  EXPECT_THAT(report.faults, ::testing::Contains(::testing::Field(&Fault::kind, FaultKind::kUseAfterScope)));
  EXPECT_TRUE((y.Matrix<int32_t>() == rounds - 1).all());
}

// What core 1 had, when its scope has ended.
struct Left {
  Ref tile;
  SemaphoreRef arrived;
  std::optional<AsyncCopy> copy;  // of them, made by core 0 before that
};

// Core 1 hands core 0 a tile and a semaphore and leaves their scope; then core 0 uses them.
template <typename Make, typename Use>
RefFunction UsesWhatIsLeft(std::atomic<int>& turn, Left& left, Make make, Use use) {
  return [&turn, &left, make, use](KernelContext& core) {
    auto wait_for = [&](int at) {
      while (turn.load(std::memory_order_acquire) < at) core.Delay(1);
    };
    if (core.core_index() == 1) {
      core.RunScoped(
          [&](Ref tile, SemaphoreRef arrived) {
            left = {tile, arrived, std::nullopt};
            turn.store(1, std::memory_order_release);
            wait_for(2);
          },
          Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "arrived"));
      turn.store(3, std::memory_order_release);
      return;
    }
    core.RunScoped(
        [&](Ref own, SemaphoreRef sent) {
          own.Write<float>().setZero();
          wait_for(1);
          make(core, own, sent);
          turn.store(2, std::memory_order_release);
          wait_for(3);
          use(core, own, sent);
        },
        Vmem({8, 128}, DType::kFloat32, "own"), DmaSemaphore({}, "sent"));
  };
}

TEST_P(ScopeTest, OfAnotherCoreThatHasEndedIsNamedWhenItIsUsed) {
  Left left;
  auto run = [&](auto make, auto use) {
    std::atomic<int> turn{0};
    left = Left();
    return Run(UsesWhatIsLeft(turn, left, make, use), {}, 2);
  };
  auto would = [](const std::string& what) {
    return HasFault(FaultKind::kUseAfterScope, AllOf(HasSubstr(what + " of core 1, whose scope has ended"),
                                                     HasSubstr("core 0, kernel (scope_test.cc:")));
  };
  auto nothing = [](KernelContext&, const Ref&, SemaphoreRef) {};
  auto fills = [&](KernelContext& core, const Ref& own, SemaphoreRef sent) {
    core.MakeAsyncCopy(own, left.tile, sent).Start();
  };
  EXPECT_THAT(run(nothing, fills), would("a copy of core 0 would fill tile"));
  auto pays = [&](KernelContext& core, const Ref& own, SemaphoreRef sent) {
    core.MakeAsyncRemoteCopy(own, own, sent, left.arrived).Start();
  };
  EXPECT_THAT(run(nothing, pays), would("a copy of core 0 would pay arrived"));
}

// What has been used before is kept: its copy may start late, corrupts nothing and wakes nobody who is gone.
TEST_P(ScopeTest, OfAnotherCoreThatHasEndedIsKeptOnceACopyNamesIt) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "nothing orders the copy before the end of its source";
#endif
  Left left;
  std::atomic<int> turn{0};
  auto makes = [&](KernelContext& core, const Ref& own, SemaphoreRef sent) {
    left.copy = core.MakeAsyncRemoteCopy(left.tile, own, sent, left.arrived);
  };
  auto starts = [&](KernelContext&, const Ref&, SemaphoreRef) {
    left.copy->Start();
    left.copy->Wait();
  };
  SimulatorOptions options = OptionsFor(2);
  options.check = false;
  EXPECT_THAT(MakeSimulator(options).Run(UsesWhatIsLeft(turn, left, makes, starts), {}), IsClean());
}

TEST_P(ScopeTest, LeftByAnExceptionIsFreed) {
  SimulatorOptions options = OptionsFor(1);
  options.vmem_bytes = 64 * 1024;  // room for one
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 10; ++i) {
      try {
        core.RunScoped([&](Ref) { throw i; }, Vmem({64, 128}, DType::kFloat32));
      } catch (int caught) {
        core.Check(caught == i, "the exception passes through");
      }
    }
  };
  EXPECT_THAT(MakeSimulator(options).Run(kernel, {}), IsClean());
}

// 64 KiB of VMEM, of which operands and scopes take their padded sizes.
RunReport RunInSmallVmem(const RefFunction& kernel, const Operands& operands = {}) {
  SimulatorOptions options;
  options.vmem_bytes = 64 * 1024;
  Simulator simulator(options);
  RunReport report = simulator.Run(kernel, operands);
  EXPECT_EQ(simulator.held(), 0);
  return report;
}

TEST(ScopeCapacityTest, AFullVmemListsWhatFillsIt) {
  int line = 0;
  auto kernel = [&](KernelContext& core) {
    core.RunScoped(
        [&](Ref, Ref, Ref) {
          line = __LINE__ + 1;
          core.RunScoped([](Ref) {}, Vmem({80, 128}, DType::kFloat32, "one too many"));
        },
        Vmem({30, 100}, DType::kFloat32, "rows"), Vmem({64, 128}, DType::kBfloat16, "columns"),
        Smem({64}, DType::kInt32, "elsewhere"));
  };
  const std::string text = RunInSmallVmem(kernel).ToString();
  EXPECT_EQ(text,
            "capacity: VMEM of core 0 is full: 73,728 bytes are needed, the limit is 65,536\n"
            "  rows: 16,384 bytes, (30, 100) float32\n"
            "  columns: 16,384 bytes, (64, 128) bfloat16\n"
            "  one too many: 40,960 bytes, (80, 128) float32: does not fit, 32,768 are free\n"
            "  at core 0, kernel (scope_test.cc:" +
                std::to_string(line) + ")");
}

TEST(ScopeCapacityTest, AFullVmemListsOperandsToo) {
  Array x(DType::kFloat32, {64, 128});
  auto kernel = [](KernelContext& core, Ref) { core.RunScoped([](Ref) {}, Vmem({72, 128}, DType::kFloat32)); };
  const RunReport report = RunInSmallVmem(kernel, {In("x", x, MemorySpace::kVmem)});
  EXPECT_THAT(report, HasFault(FaultKind::kCapacity,
                               HasSubstr("scratch 0: 36,864 bytes, (72, 128) float32: does not fit, 32,768 are free")));
  EXPECT_THAT(report, HasFault(FaultKind::kCapacity, HasSubstr("operand x: 32,768 bytes, (64, 128) float32")));
}

TEST(ScopeCapacityTest, ExactlyFullFits) {
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 3; ++i) core.RunScoped([](Ref) {}, Vmem({128, 128}, DType::kFloat32));
  };
  EXPECT_THAT(RunInSmallVmem(kernel), IsClean());
}

TEST(ScopeCapacityTest, SizesThatHardlyCanBeCountedAreStillTooLarge) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped(
        [&](Ref) {
          core.RunScoped([](Ref) {}, Vmem({8, (int64_t{1} << 57) - 128}, DType::kFloat64));
        },
        Vmem({16, 128}, DType::kFloat32));
  };
  EXPECT_THAT(RunInSmallVmem(kernel),
              HasFault(FaultKind::kCapacity, HasSubstr("scratch 0: 9,223,372,036,854,767,616 bytes")));
}

TEST(ScopeCapacityTest, OneScopeGetsAllOfItsItemsOrNone) {
  auto kernel = [](KernelContext& core) {
    for (int i = 0; i < 5; ++i) {
      try {
        core.RunScoped([](Ref, SemaphoreRef, Ref) {}, Vmem({64, 128}, DType::kFloat32), DmaSemaphore({4}),
                       Vmem({128, 128}, DType::kFloat32));
      } catch (const Stop& stop) {
        core.Check(stop.status.code() == absl::StatusCode::kResourceExhausted, "it is full");
      }
    }
    core.RunScoped([](Ref) {}, Vmem({128, 128}, DType::kFloat32));
  };
  EXPECT_THAT(RunInSmallVmem(kernel), IsClean());
}

TEST(ScopeCapacityTest, SmemHasItsOwnLimit) {
  SimulatorOptions options;
  options.smem_bytes = 1024;
  Simulator simulator(options);
  auto kernel = [](KernelContext& core) { core.RunScoped([](Ref) {}, Smem({257}, DType::kInt32, "table")); };
  EXPECT_THAT(
      simulator.Run(kernel, {}),
      HasFault(FaultKind::kCapacity,
               HasSubstr("SMEM of core 0 is full: 1,028 bytes are needed, the limit is 1,024\n  table: 1,028 bytes")));
}

TEST(ScopeRefusalTest, NamesTheItem) {
  auto ask = [](ScopedMemory memory) {
    return RunOnce([memory](KernelContext& core) { core.RunScoped([](Ref) {}, memory); });
  };
  EXPECT_THAT(ask({MemorySpace::kHbm, {8, 128}, DType::kFloat32, "big"}),
              IsRefused("scoped memory big: expected VMEM or SMEM, given HBM"));
  EXPECT_THAT(ask(Vmem({8, -1}, DType::kFloat32, "tile")), IsRefused("tile"));
  EXPECT_THAT(ask(Vmem(Dims::Filled(9, 1), DType::kFloat32, "tile")), IsRefused("tile"));
}

TEST(ScopeRefusalTest, ItemsWithoutNamesAreNumbered) {
  auto kernel = [](KernelContext& core) {
    core.RunScoped([&](Ref a, SemaphoreRef b, Ref c,
                       SemaphoreRef d) { core.Print(a.name() + ", " + b.Name() + ", " + c.name() + ", " + d.Name()); },
                   Smem({1}, DType::kInt32), DmaSemaphore(), Smem({1}, DType::kInt32), RegularSemaphore());
  };
  EXPECT_THAT(RunOnce(kernel).printed, ElementsAre(HasSubstr("scratch 0, semaphore 0, scratch 1, semaphore 1")));
}

}  // namespace
}  // namespace strandcore::testing
