// Modes of the DMA, memory that cores share, memory without a space (interpreter_cases.md S15, S22, S25, S27, S32).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

using PeerModesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerModesReportTest);

constexpr DmaMode kDmaModes[] = {DmaMode::kOverlap, DmaMode::kSynchronous};
constexpr MemorySpace kHbmSpaces[] = {MemorySpace::kHbm, MemorySpace::kAny};

// y = x + 1 by a copy to VMEM, which is waited for before the body reads it, or after.
RefFunction AddsOne(bool waits_first) {
  return [waits_first](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](Ref tile, SemaphoreRef arrived) {
      tile.Write<float>().setZero();
      const AsyncCopy copy = core.MakeAsyncCopy(x, tile, arrived);
      copy.Start();
      if (waits_first) copy.Wait();
      y.Write<float>() = tile.Read<float>() + 1.0f;
      if (!waits_first) copy.Wait();
    };
    core.RunScoped(kernel, VmemTile("tile"), DmaSemaphore({}, "arrived"));
  };
}

class PeerCopyReportTest : public ReportTest {
 protected:
  // In both modes of the DMA and from both spaces.
  template <typename Expect>
  void RunAll(bool waits_first, Expect&& expect) {
    for (DmaMode dma : kDmaModes) {
      for (MemorySpace space : kHbmSpaces) {
        SimulatorOptions options = OptionsFor(1);
        if (dma == DmaMode::kSynchronous) options.dma = dma;
        Array y(kF32, {8, 128});
        const RunReport report =
            MakeSimulator(options).Run(AddsOne(waits_first), {In("x", x, space), Out("y", y, MemorySpace::kVmem)});
        expect(report, y);
      }
    }
  }
  const Array x = Array::Iota(kF32, {8, 128});
};
STRANDCORE_ON_EVERY_BACKEND(PeerCopyReportTest);

TEST_P(PeerCopyReportTest, S15AReadAfterTheWaitIsRight) {
  RunAll(/*waits_first=*/true, [&](const RunReport& report, const Array& y) {
    EXPECT_THAT(report, IsProved());
    EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>() + 1.0f).all());
  });
}

TEST_P(PeerCopyReportTest, S15AReadBeforeTheWaitIsARaceInWhateverModeTheCopyRan) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  RunAll(/*waits_first=*/false, [&](const RunReport& report, const Array&) {
    EXPECT_THAT(report, HasOne(FaultKind::kRace, AllOf(HasSubstr("the kernel reads tile while a copy is still fill"),
                                                       HasSubstr("peer_modes_test.cc:"), HasSubstr("arrived"))));
  });
}

// Each core signals all and waits for as many signals, then adds its number and one to its rows. Core 0 may leave out
// the last core.
RefFunction MeetAndAdd(std::vector<Exchange>& barriers, bool leaves_one_out) {
  return [&barriers, leaves_one_out](KernelContext& core, Ref x, Ref y) {
    const int cores = core.num_cores(), me = core.core_index();
    const int64_t rows = x.shape()[0] / cores;
    auto kernel = [&](Ref from, Ref to, SemaphoreRef done, SemaphoreRef barrier) {
      barriers[static_cast<size_t>(me)].Publish(barrier);
      for (int other = 0; other < cores; ++other) {
        if (leaves_one_out && me == 0 && other == cores - 1) continue;
        core.Signal(barriers[static_cast<size_t>(other)].Get(core));
      }
      core.Wait(barrier, cores);
      const Index mine = Ds(rows * me, rows);
      const AsyncCopy in = core.MakeAsyncCopy(x.At(mine), from, done);
      in.Start();
      in.Wait();
      to.Write<int32_t>() = from.Read<int32_t>() + (me + 1);
      const AsyncCopy out = core.MakeAsyncCopy(to, y.At(mine), done);
      out.Start();
      out.Wait();
    };
    const ScopedMemory tile = Vmem({rows, 128}, DType::kInt32, "tile");
    core.RunScoped(kernel, tile, tile, DmaSemaphore({}, "done"), RegularSemaphore({}, "barrier"));
  };
}

TEST_P(PeerModesReportTest, S22CoresThatMeetRunAtOnceAndAddTheirNumber) {
  const Array x = Array::Iota(DType::kInt32, {16, 128});
  for (int cores : {1, 2, 4}) {
    std::vector<Exchange> barriers(static_cast<size_t>(cores));
    Array y(DType::kInt32, {16, 128});
    EXPECT_THAT(Run(MeetAndAdd(barriers, /*leaves_one_out=*/false), {In("x", x), Out("y", y)}, cores), IsProved());
    y.ForEach([&](int64_t flat, double value) {
      const int64_t core = flat / 128 / (16 / cores);
      ASSERT_EQ(value, static_cast<double>(flat + core + 1)) << cores << " cores";
    });
  }
}

TEST_P(PeerModesReportTest, S22ACoreThatOneDoesNotSignalWaitsForEver) {
  const Array x = Array::Iota(DType::kInt32, {16, 128});
  for (int cores : {2, 4}) {
    std::vector<Exchange> barriers(static_cast<size_t>(cores));
    Array y = x;
    EXPECT_THAT(Run(MeetAndAdd(barriers, /*leaves_one_out=*/true), {In("x", x), InOut("y", y)}, cores),
                HasOnly(FaultKind::kDeadlock, HasSubstr(absl::StrCat("barrier holds ", cores - 1, " of ", cores))));
  }
}

// Each core copies its page of x into the one shared scratch and from there to y; one goes first, and signals the
// other.
RefFunction CopiesInTurn(Exchange& exchange, int first) {
  return [&exchange, first](KernelContext& core, Ref x, Ref y, Ref shared) {
    const int me = core.core_index();
    auto copies = [&] {
      core.SyncCopy(x.At(me), shared);
      core.SyncCopy(shared, y.At(me));
    };
    auto second = [&](SemaphoreRef turn) {
      exchange.Publish(turn);
      core.Wait(turn);
      copies();
    };
    if (me != first) return core.RunScoped(second, RegularSemaphore({}, "turn"));
    copies();
    core.Signal(exchange.Get(core));
  };
}

TEST_P(PeerModesReportTest, S25CoresThatTakeTurnsShareAScratchOfTheDevice) {
  const Array x = Array::Iota(DType::kInt32, {2, 16, 128});
  for (int first : {0, 1}) {
    for (DmaMode dma : kDmaModes) {
      for (MemorySpace space : kHbmSpaces) {
        SimulatorOptions options = OptionsFor(2);
        if (dma == DmaMode::kSynchronous) options.dma = dma;
        Exchange exchange;
        Array y(DType::kInt32, x.shape());
        const Operands operands = {In("x", x, space), Out("y", y, space), Scratch("shared", x.dtype(), {16, 128})};
        EXPECT_THAT(MakeSimulator(options).Run(CopiesInTurn(exchange, first), operands), IsProved());
        EXPECT_EQ(y, x) << "core " << first << " first";
      }
    }
  }
}

// The slow core first computes a product; nothing keeps the two off the shared scratch.
RefFunction CopiesAtOnce(int slow) {
  return [slow](KernelContext& core, Ref x, Ref y, Ref z, Ref product, Ref shared) {
    auto multiplies = [&](Ref from, Ref to) {
      core.SyncCopy(y, from);
      const auto matrix = from.Read<int32_t>().matrix();
      to.Write<int32_t>() = (matrix * matrix.transpose()).array();
      core.SyncCopy(to, product);
    };
    const ScopedMemory square = Vmem(y.shape(), DType::kInt32, "square");
    if (core.core_index() == slow) core.RunScoped(multiplies, square, square);
    core.SyncCopy(x, shared);
    core.SyncCopy(shared, z);
  };
}

TEST_P(PeerModesReportTest, S27ASlowCoreDoesNotHideTheRaceOfTheSharedScratch) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Array::Iota(DType::kInt32, {16, 128}), y = Integers(DType::kInt32, {64, 64}, 1, 100);
  const DoubleMatrix expected = AsDouble<int32_t>(y) * AsDouble<int32_t>(y).transpose();
  for (int slow : {0, 1}) {
    for (DmaMode dma : kDmaModes) {
      SimulatorOptions options = OptionsFor(2);
      if (dma == DmaMode::kSynchronous) options.dma = dma;
      Array z(DType::kInt32, x.shape()), product(DType::kInt32, y.shape());
      const Operands operands = {In("x", x), In("y", y), Out("z", z), Out("product", product),
                                 Scratch("shared", x.dtype(), x.shape())};
      EXPECT_THAT(
          MakeSimulator(options).Run(CopiesAtOnce(slow), operands),
          HasOnly(FaultKind::kRace, AllOf(HasSubstr("shared, rows 0–15"), HasSubstr("core 0"), HasSubstr("core 1"))))
          << "core " << slow << " slow";
      EXPECT_EQ(AsDouble<int32_t>(product), expected);
    }
  }
}

// Of a scope and of a pipeline's window, neither with a space given.
RefFunction CopiesOutUnspecified(bool writes) {
  auto body = [](KernelContext&, Ref from, Ref to) {
    EXPECT_EQ(from.space(), MemorySpace::kVmem);
    EXPECT_EQ(to.space(), MemorySpace::kVmem);
    to.Write<float>() = 2.0f * from.Read<float>();
  };
  const Pipeline pipeline = Emit(body, {.grid = {1}, .in_specs = {Tile()}, .out_specs = {Tile()}});
  return [pipeline, writes](KernelContext& core, Ref x, Ref y, Ref z) {
    ScopedMemory unspecified;
    unspecified.shape = {8, 128};
    auto kernel = [&](Ref scratch) {
      EXPECT_EQ(scratch.space(), MemorySpace::kVmem);
      if (writes) scratch.Write<float>().setZero();
      core.SyncCopy(scratch, z);
      pipeline(core, std::vector<Ref>{x, y});
    };
    core.RunScoped(kernel, unspecified);
  };
}

TEST_P(PeerModesReportTest, S32MemoryWithoutASpaceIsVmem) {
  const Array x = Array::Iota(kF32, {8, 256});
  for (bool writes : {true, false}) {
    SimulatorOptions options = OptionsFor(1);
    options.fresh = strandcore::Fill::kZero;
    Array y = Array::Full(kF32, {8, 256}, 5), z = Array::Full(kF32, {8, 128}, 5);
    auto first = [&](KernelContext& core, Ref x, Ref y, Ref z) {
      const Index columns = Ds(0, 128);
      CopiesOutUnspecified(writes)(core, std::vector<Ref>{x.At(All(), columns), y.At(All(), columns), z});
    };
    const RunReport report = MakeSimulator(options).Run(first, {In("x", x), InOut("y", y), Out("z", z)});
    if (writes) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report, HasOnly(FaultKind::kUninitialisedRead, HasSubstr("the host is handed z")));
    }
    EXPECT_THAT(z.ToVector<float>(), Each(0.0f));
    EXPECT_TRUE((y.Matrix<float>().leftCols(128) == 2.0f * x.Matrix<float>().leftCols(128)).all());
    EXPECT_TRUE((y.Matrix<float>().rightCols(128) == 5.0f).all());
  }
}

}  // namespace
}  // namespace strandcore::testing
