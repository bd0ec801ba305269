#include "runtime/simulator/operand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cmath>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Floats = OwnedWindow<float>;

using OperandTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(OperandTest);

TEST_P(OperandTest, OutIsPoisonAtTheStart) {
  Array y = Array::Full(DType::kFloat32, {8, 128}, 5), z = Array::Full(DType::kInt32, {4}, 5);
  auto kernel = [](KernelContext& core, Ref y, Ref z) {
    core.RunScoped(
        [&](Ref tile) {
          core.SyncCopy(y, tile);
          core.Check(tile.Read<float>().isNaN().all(), "NaN");
        },
        Vmem({8, 128}, DType::kFloat32));
    core.Check(z.Get<int32_t>({0}) == INT32_MAX, "the extreme integer");
    z.Set<int32_t>(1, {2});
  };
  const RunReport report = Run(kernel, {Out("y", y), Out("z", z, MemorySpace::kSmem)});
  ASSERT_EQ(report.faults.size(), 4u) << report.ToString();
  const char* const said[] = {"the kernel reads scratch 0, of which rows 0–7, columns 0–127 were never written",
                              "the kernel reads z, of which element 0 was never written",
                              "the host is handed y, of which rows 0–7, columns 0–127 were never written",
                              "the host is handed z, of which elements 0–1; element 3 were never written"};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report.faults[i].kind, FaultKind::kUninitialisedRead);
    EXPECT_EQ(report.faults[i].headline, said[i]);
  }
  // What nobody wrote is poison afterwards too (P10).
  EXPECT_TRUE(std::isnan(y.Get({3, 3})));
  EXPECT_THAT(z.ToVector<int32_t>(), ElementsAre(INT32_MAX, INT32_MAX, 1, INT32_MAX));
}

TEST_P(OperandTest, OutKeepsWhatTheRunAlsoReads) {
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  const Array before = x;
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile) {
          core.SyncCopy(x, tile);
          tile.ReadWrite<float>() += 1.0f;
          core.SyncCopy(tile, y);
        },
        Vmem({8, 128}, DType::kFloat32));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", x)}), IsClean());
  EXPECT_TRUE((x.Matrix<float>() == before.Matrix<float>() + 1.0f).all());
}

TEST_P(OperandTest, OutOnTheChipKeepsWhatTheRunAlsoReads) {
  Array x = Array::Full(DType::kInt32, {8, 128}, 5);
  auto kernel = [](KernelContext&, Ref, Ref y) { y.Set<int32_t>(7, {0, 0}); };
  EXPECT_THAT(Run(kernel, {In("x", x, MemorySpace::kVmem), Out("y", x, MemorySpace::kVmem)}), IsClean());
  EXPECT_EQ(x.Get({0, 0}), 7);
  EXPECT_EQ(x.Get({3, 3}), 5);
}

TEST_P(OperandTest, ARefusedLaunchLeavesTheArrays) {
  Array y = Array::Full(DType::kFloat32, {8, 128}, 5);
  auto kernel = [](KernelContext&, Ref, Ref) {};
  EXPECT_THAT(Run(kernel, {Out("y", y), In("", y)}), IsRefused("expected a name"));
  EXPECT_EQ(y.Get({0, 0}), 5);
}

TEST_P(OperandTest, InOutKeepsWhatIsNotWritten) {
  Array y = Array::Full(DType::kInt32, {4, 2}, 5);
  const Array x = Array::Full(DType::kInt32, {2}, 9);
  auto kernel = [](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y.At(2)); };
  EXPECT_THAT(Run(kernel, {In("x", x), InOut("y", y)}), IsClean());
  EXPECT_THAT(y.ToVector<int32_t>(), ElementsAre(5, 5, 5, 5, 9, 9, 5, 5));
}

// P11.
TEST_P(OperandTest, InOutOfABodyThatDoesNothingIsUnchanged) {
  Array a = Array::Iota(DType::kFloat32, {2}), b = Array::Full(DType::kFloat32, {2}, 3);
  for (MemorySpace space : {MemorySpace::kHbm, MemorySpace::kVmem, MemorySpace::kSmem}) {
    EXPECT_THAT(Run([](KernelContext&, Ref, Ref) {}, {InOut("a", a, space), InOut("b", b, space)}), IsClean());
    EXPECT_THAT(a.ToVector<float>(), ElementsAre(0, 1));
    EXPECT_THAT(b.ToVector<float>(), ElementsAre(3, 3));
  }
}

TEST_P(OperandTest, OnChipOperandsAreCopiedInAndOut) {
  for (MemorySpace space : {MemorySpace::kVmem, MemorySpace::kSmem}) {
    const Array x = Array::Iota(DType::kInt32, {3, 130});
    Array y(DType::kInt32, {3, 130}), z = Array::Full(DType::kInt32, {3, 130}, 7);
    auto kernel = [](KernelContext&, Ref x, Ref y, Ref z) {
      y.Store(x.Load<int32_t>() + z.Load<int32_t>());
      z.Set<int32_t>(-1, {2, 129});
    };
    EXPECT_THAT(Run(kernel, {In("x", x, space), Out("y", y, space), InOut("z", z, space)}), IsClean());
    EXPECT_EQ(y.Get({2, 129}), 389 + 7) << MemorySpaceName(space);
    EXPECT_EQ(y.Get({1, 0}), 130 + 7);
    EXPECT_EQ(z.Get({2, 129}), -1);
    EXPECT_EQ(z.Get({2, 128}), 7);
  }
}

TEST_P(OperandTest, WritingAnInputOnTheChipLeavesTheArray) {
  const Array x = Array::Full(DType::kInt32, {4}, 5);
  auto kernel = [](KernelContext&, Ref x) { x.Set<int32_t>(1, {0}); };
  EXPECT_THAT(Run(kernel, {In("x", x, MemorySpace::kSmem)}), IsClean());
  EXPECT_THAT(x.ToVector<int32_t>(), Each(5));
}

TEST_P(OperandTest, AnSmemInputIsEveryCoresOwn) {
  const Array table = Array::Iota(DType::kInt32, {4});
  auto kernel = [](KernelContext& core, Ref table) {
    core.Check(table.Get<int32_t>({3}) == 3, "the table's own value");
    table.Set<int32_t>(100 + core.core_index(), {3});
    core.Delay(5);
    core.Check(table.Get<int32_t>({3}) == 100 + core.core_index(), "nobody else has written it");
  };
  EXPECT_THAT(Run(kernel, {In("table", table, MemorySpace::kSmem)}, 3), IsClean());
}

TEST_P(OperandTest, SeveralMayBeOneArray) {
  Array x = Array::Iota(DType::kInt32, {16, 128});
  auto kernel = [](KernelContext& core, Ref read, Ref write) { core.SyncCopy(read.At(Ds(0, 8)), write.At(Ds(8, 8))); };
  const RunReport report = Run(kernel, {In("read", x), InOut("write", x)});
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(x.Get({15, 127}), 7 * 128 + 127);
  EXPECT_EQ(report.CountersOf("read").copies_in, 1);
  EXPECT_EQ(report.CountersOf("write").copies_out, 1);
}

// The host's own memory is the emulated HBM: written in place, not one byte besides.
TEST_P(OperandTest, AdoptedMemoryIsUsedWithoutACopy) {
  std::vector<float> in(6 * 100), out(6 * 100 + 2, -1.0f);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const Array x = Array::Adopt(DType::kFloat32, {6, 100}, in.data());
  Array y = Array::Adopt(DType::kFloat32, {6, 100}, out.data() + 1);
  EXPECT_THAT(Run(CopyAcross, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(std::vector<float>(out.begin() + 1, out.end() - 1), in);
  EXPECT_EQ(out.front(), -1.0f);
  EXPECT_EQ(out.back(), -1.0f);
}

TEST_P(OperandTest, OfNoElementsIsAllRight) {
  const Array x(DType::kFloat32, {0, 128});
  Array y(DType::kFloat32, {0, 128});
  for (MemorySpace space : {MemorySpace::kHbm, MemorySpace::kVmem}) {
    auto kernel = [](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y); };
    EXPECT_THAT(Run(kernel, {In("x", x, space), Out("y", y, space)}), IsClean());
  }
}

TEST_P(OperandTest, OutKeepsWhatTheRunReadsThroughAnotherArrayOverTheSameMemory) {
  std::vector<float> memory(8 * 128, 3);
  const Array x = Array::Adopt(DType::kFloat32, {8, 128}, memory.data());
  Array y = Array::Adopt(DType::kFloat32, {8, 128}, memory.data());
  EXPECT_THAT(Run([](KernelContext&, Ref, Ref) {}, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_THAT(memory, Each(3));
}

// An input is the host's own memory, which it need not even own: kernels may load it, but not store.
TEST_P(OperandTest, AnInputInHbmIsNeverStoredInto) {
  SimulatorOptions options = OptionsFor(1);
  options.allow_hbm_access = true;
  Simulator& simulator = MakeSimulator(options);
  const Array x = Array::Full(DType::kFloat32, {8, 128}, 5), cube = Array::Full(DType::kFloat32, {2, 2, 2}, 5);
  const Array before = x, cube_before = cube;
  auto refused = [&](const Array& array, const RefFunction& kernel) {
    EXPECT_THAT(simulator.Run(kernel, {In("x", array)}),
                IsRefused("store into operand x: expected an operand given with Out or InOut, it was given with In"));
  };
  const Floats ones = Floats::Ones(8, 128);
  const OwnedWindow<bool> some = OwnedWindow<bool>::Constant(8, 128, true);
  refused(x, [](KernelContext&, Ref x) { x.Write<float>().setZero(); });
  refused(x, [](KernelContext&, Ref x) { x.ReadWrite<float>() += 1.0f; });
  refused(x, [&](KernelContext&, Ref x) { x.Store(ones); });
  refused(x, [&](KernelContext&, Ref x) { x.Store(ones, some); });
  refused(x, [](KernelContext&, Ref x) { x.Set<float>(1, {0, 0}); });
  refused(x, [](KernelContext&, Ref x) { x.At(Ds(0, 4), Ds(0, 64, 2)).Store(Floats::Ones(4, 64)); });
  refused(cube, [](KernelContext&, Ref x) { x.At(0).Write<float>().setZero(); });
  EXPECT_THAT(simulator.Run(
                  [](KernelContext&, Ref x) {
                    EXPECT_EQ(x.Get<float>({1, 1}), x.Read<float>()(2, 2));
                  },
                  {In("x", x)}),
              IsClean());
  EXPECT_EQ(x, before);
  EXPECT_EQ(cube, cube_before);
}

TEST_P(OperandTest, FreshOutputsAreFreshInTheirPaddingToo) {
  for (Fill fresh : {Fill::kZero, Fill::kPoison}) {
    SimulatorOptions options = OptionsFor(1);
    options.fresh = fresh;
    Array y = Array::Full(DType::kInt32, {3, 5}, 7);
    y.FillPadding(777);
    EXPECT_THAT(MakeSimulator(options).Run([](KernelContext&, Ref) {}, {Out("y", y)}),
                HasFault(FaultKind::kUninitialisedRead, HasSubstr("the host is handed y")));
    const int32_t* const memory = reinterpret_cast<const int32_t*>(y.data());
    EXPECT_THAT(std::vector<int32_t>(memory, memory + y.physical_shape().Product()),
                Each(fresh == Fill::kZero ? 0 : INT32_MAX));
  }
}

int64_t MostResidentKilobytes() {
  rusage usage;
  EXPECT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss;
}

TEST_P(OperandTest, AFreshOutputOfGigabytesCostsNothingUntilItIsTouched) {
  Array y(DType::kFloat32, {int64_t{1} << 20, 1024});  // 4 GiB
  ASSERT_TRUE(y.status().ok());
  const int64_t before = MostResidentKilobytes();
  for (Fill fresh : {Fill::kZero, Fill::kPoison, Fill::kZero}) {
    y.Set({1 << 19, 5}, 7);
    SimulatorOptions options = OptionsFor(1);
    options.fresh = fresh;
    EXPECT_THAT(MakeSimulator(options).Run([](KernelContext&, Ref) {}, {Out("y", y)}),
                HasFault(FaultKind::kUninitialisedRead, HasSubstr("the host is handed y")));
    EXPECT_EQ(std::isnan(y.Get({1 << 19, 5})), fresh == Fill::kPoison);
    if (fresh == Fill::kZero) {
      EXPECT_EQ(y.Get({1 << 19, 5}), 0);
    }
  }
  // (A sanitizer's shadow is memory of the process too.)
  EXPECT_LT(MostResidentKilobytes() - before, kSanitized ? 1'000'000 : 100'000);
}

TEST_P(OperandTest, OfGigabytesCostsNothingUntilItIsTouched) {
  Array y(DType::kFloat32, {int64_t{1} << 20, 1024});  // 4 GiB
  ASSERT_TRUE(y.status().ok());
  const Array x = Array::Full(DType::kFloat32, {1024}, 2);
  auto kernel = [](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y.At((1 << 20) - 1)); };
  EXPECT_THAT(Run(kernel, {In("x", x), InOut("y", y)}), IsClean());
  EXPECT_EQ(y.Get({(1 << 20) - 1, 1023}), 2);
  EXPECT_EQ(y.Get({(1 << 20) - 2, 1023}), 0);
}

}  // namespace
}  // namespace strandcore::testing
