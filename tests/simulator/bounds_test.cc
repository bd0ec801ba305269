// What launches let kernels do outside their arrays: cases S3 and S5 to S11 of interpreter_cases.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

using Floats = OwnedWindow<float>;

class LaunchBoundsTest : public ScheduleTest {
 protected:
  RunReport RunWithin(Bounds bounds, OutOfRangeReads reads, const RefFunction& kernel, const Operands& operands) {
    SimulatorOptions options;
    options.bounds = bounds;
    options.out_of_range_reads = reads;
    return MakeSimulator(options).Run(kernel, operands);
  }
};
STRANDCORE_ON_EVERY_BACKEND(LaunchBoundsTest);

constexpr OutOfRangeReads kBothReads[] = {OutOfRangeReads::kFault, OutOfRangeReads::kUninitialised};

// The host is handed what nothing was copied to.
auto HandsOver(const std::string& text) {
  return HasFault(FaultKind::kUninitialisedRead, HasSubstr("the host is handed y, of which " + text));
}

auto IsOutOfBounds(const std::string& text) { return HasFault(FaultKind::kOutOfBounds, HasSubstr(text)); }

// Each element of `array` is `inside(i, j)`'s value, or NaN if that is NaN.
template <typename Value>
void ExpectElements(const Array& array, Value&& value) {
  array.ForEach([&](int64_t flat, double given) {
    const int64_t columns = array.shape().back();
    const double expected = value(flat / columns, flat % columns);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(given)) << flat << ": " << given;
    } else {
      EXPECT_EQ(given, expected) << flat;
    }
  });
}

// Copies blocks of 4 rows through VMEM, shifted by a number of blocks.
RefFunction CopyShifted(int64_t read_shift, int64_t write_shift) {
  return [=](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tile) {
          for (int64_t i = 0; i < 4; ++i) {
            core.SyncCopy(x.At(Ds(4 * (i + read_shift), 4)), tile);
            core.SyncCopy(tile, y.At(Ds(4 * (i + write_shift), 4)));
          }
        },
        Vmem({4, 128}, DType::kFloat32, "tile"));
  };
}

TEST_P(LaunchBoundsTest, S3BlocksOutsideReadAsPoisonOrStop) {
  const Array x = Array::Iota(DType::kFloat32, {16, 128});
  Array y = Array::Full(DType::kFloat32, {16, 128}, 5);
  const Operands operands = {In("x", x), InOut("y", y)};
  EXPECT_THAT(RunWithin(Bounds::kLogical, OutOfRangeReads::kUninitialised, CopyShifted(1, 0), operands),
              HandsOver("rows 12–15 hold what lies beyond the end of x"));
  ExpectElements(y, [](int64_t i, int64_t j) { return i < 12 ? static_cast<double>(128 * (i + 4) + j) : NAN; });
  EXPECT_THAT(RunWithin(Bounds::kLogical, OutOfRangeReads::kFault, CopyShifted(1, 0), operands),
              IsOutOfBounds("operand x: rows 16–19 of dimension 0 lie outside 0–15"));
  for (OutOfRangeReads reads : kBothReads) {
    EXPECT_THAT(RunWithin(Bounds::kLogical, reads, CopyShifted(0, 2), operands),
                IsOutOfBounds("operand y: rows 16–19 of dimension 0 lie outside 0–15"));
  }
}

TEST_P(LaunchBoundsTest, S5AScalarReadOutsideGivesTheLargestInteger) {
  const Array range = Array::FromValues<int32_t>({2}, {0, 1});
  auto sum = [](KernelContext&, Ref s, Ref x, Ref y) {
    uint32_t total = 0;  // wraps around
    const int32_t stop = x.Get<int32_t>({s.Get<int32_t>({1})});
    for (int32_t i = x.Get<int32_t>({s.Get<int32_t>({0})}); i < stop; ++i) {
      total += static_cast<uint32_t>(x.Get<int32_t>({i}));
    }
    y.Set<int32_t>(static_cast<int32_t>(total), {0});
  };
  auto run = [&](OutOfRangeReads reads, int32_t stop, Array& y) {
    const Array x = Array::FromValues<int32_t>({5}, {2, stop, 9, 15, 17});
    return RunWithin(
        Bounds::kLogical, reads, sum,
        {In("s", range, MemorySpace::kSmem), In("x", x, MemorySpace::kSmem), Out("y", y, MemorySpace::kSmem)});
  };
  for (OutOfRangeReads reads : kBothReads) {
    Array y(DType::kInt32, {1});
    EXPECT_THAT(run(reads, 5, y), IsClean());
    EXPECT_EQ(y.Get({0}), 41);
  }
  Array y(DType::kInt32, {1});
  EXPECT_THAT(run(OutOfRangeReads::kFault, 6, y),
              IsOutOfBounds("operand x: element 5 of dimension 0 lies outside 0–4"));
  EXPECT_THAT(run(OutOfRangeReads::kUninitialised, 6, y), IsClean());
  EXPECT_EQ(y.Get({0}), 41.0 + INT32_MAX - 4294967296.0);
}

TEST_P(LaunchBoundsTest, S6ACopyFromOutsideBringsPoison) {
  const Array x = Array::Iota(DType::kFloat32, {8, 4, 128});
  Array y = Array::Full(DType::kFloat32, {8, 128}, 5);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          AsyncCopy copy = core.MakeAsyncCopy(x.At(Ds(4, 8), 1), y, done);
          copy.Start();
          copy.Wait();
          core.Check(core.ReadSemaphore(done) == 0, "the bytes of the whole shape were signalled, and waited for");
        },
        DmaSemaphore());
  };
  for (MemorySpace space : {MemorySpace::kHbm, MemorySpace::kAny}) {
    for (Bounds bounds : {Bounds::kLogical, Bounds::kPadded}) {
      const Operands operands = {In("x", x, space), Out("y", y, MemorySpace::kVmem)};
      EXPECT_THAT(RunWithin(bounds, OutOfRangeReads::kFault, kernel, operands),
                  IsOutOfBounds("operand x: indices 4–11 of dimension 0 lie outside 0–7"))
          << "leading dimensions have no padding";
      EXPECT_THAT(RunWithin(bounds, OutOfRangeReads::kUninitialised, kernel, operands),
                  HandsOver("rows 4–7 hold what lies beyond the end of x"));
      ExpectElements(
          y, [](int64_t i, int64_t j) { return i < 4 ? static_cast<double>(128 * (4 * (4 + i) + 1) + j) : NAN; });
    }
  }
}

// Copies x to the rows of a scratch of ten rows that `rows` names, and all of the scratch to y.
RefFunction WriteScratch(const Index& rows, MemorySpace space = MemorySpace::kVmem) {
  return [=](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref scratch) {
          core.SyncCopy(x, scratch.At(rows));
          core.SyncCopy(scratch, y);
        },
        ScopedMemory{space, {10, 128}, DType::kFloat32, "scratch"});
  };
}

TEST_P(LaunchBoundsTest, S7ACopyToARowInThePaddingIsDropped) {
  const Array x(DType::kFloat32, {128});
  Array y(DType::kFloat32, {10, 128});
  const Operands operands = {In("x", x), Out("y", y)};
  for (OutOfRangeReads reads : kBothReads) {
    EXPECT_THAT(RunWithin(Bounds::kLogical, reads, WriteScratch(10), operands),
                IsOutOfBounds("scratch: row 10 of dimension 0 lies outside 0–9"));
    EXPECT_THAT(RunWithin(Bounds::kPadded, reads, WriteScratch(10), operands),
                HandsOver("rows 0–9, columns 0–127 were never written"));
    ExpectElements(y, [](int64_t, int64_t) { return NAN; });
    EXPECT_THAT(RunWithin(Bounds::kPadded, reads, WriteScratch(16), operands),
                IsOutOfBounds("scratch: row 16 of dimension 0 lies outside 0–"))
        << "no padding is left";
  }
}

TEST_P(LaunchBoundsTest, S8ACopyAcrossTheEdgeIsCut) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {10, 128});
  const Operands operands = {In("x", x), Out("y", y)};
  for (OutOfRangeReads reads : kBothReads) {
    EXPECT_THAT(RunWithin(Bounds::kLogical, reads, WriteScratch(Ds(4, 8)), operands),
                IsOutOfBounds("scratch: rows 4–11 of dimension 0 lie outside 0–9"));
    EXPECT_THAT(RunWithin(Bounds::kPadded, reads, WriteScratch(Ds(4, 8)), operands),
                HandsOver("rows 0–3 were never written"));
    ExpectElements(y, [](int64_t i, int64_t j) { return i < 4 ? NAN : static_cast<double>(128 * (i - 4) + j); });
  }
}

TEST_P(LaunchBoundsTest, S9SmemIsNeverPadded) {
  const Array x(DType::kFloat32, {128});
  Array y(DType::kFloat32, {10, 128});
  const Operands operands = {In("x", x), Out("y", y)};
  for (Bounds bounds : {Bounds::kLogical, Bounds::kPadded}) {
    EXPECT_THAT(RunWithin(bounds, OutOfRangeReads::kFault, WriteScratch(10, MemorySpace::kSmem), operands),
                IsOutOfBounds("scratch: row 10 of dimension 0 lies outside 0–9"));
    EXPECT_THAT(RunWithin(bounds, OutOfRangeReads::kUninitialised, WriteScratch(10, MemorySpace::kSmem), operands),
                IsOutOfBounds("scratch: row 10 of dimension 0 lies outside 0–9"));
  }
}

// 1000 i + j + 1 at (i, j).
Floats Numbered(int64_t rows, int64_t columns) {
  return Floats::NullaryExpr(rows, columns, [](int64_t i, int64_t j) { return static_cast<float>(1000 * i + j + 1); });
}

// Stores numbers where the mask is true, at (8, 128) of a scratch of (10, 150).
RefFunction StoreMasked(const OwnedWindow<bool>& mask) {
  return [=](KernelContext& core, Ref y) {
    core.RunScoped(
        [&](Ref scratch) {
          scratch.At(Ds(8, mask.rows()), Ds(128, mask.cols())).Store(Numbered(mask.rows(), mask.cols()), mask);
          core.SyncCopy(scratch, y);
        },
        Vmem({10, 150}, DType::kFloat32, "scratch"));
  };
}

TEST_P(LaunchBoundsTest, S10AMaskedStoreOutsideStops) {
  Array y(DType::kFloat32, {10, 150});
  OwnedWindow<bool> inside = OwnedWindow<bool>::Constant(2, 22, false);
  inside(1, 3) = true;
  OwnedWindow<bool> across = OwnedWindow<bool>::Constant(8, 128, false);
  across(1, 3) = true;
  const OwnedWindow<bool> full = OwnedWindow<bool>::Constant(8, 128, true);
  auto one = [](int64_t i, int64_t j) { return i == 9 && j == 131 ? 1004 : NAN; };
  for (OutOfRangeReads reads : kBothReads) {
    EXPECT_THAT(RunWithin(Bounds::kLogical, reads, StoreMasked(inside), {Out("y", y)}),
                HandsOver("rows 0–8, columns 0–149; row 9, columns 0–130; row 9, columns 132–149 were never written"));
    ExpectElements(y, one);
    EXPECT_THAT(RunWithin(Bounds::kLogical, reads, StoreMasked(full), {Out("y", y)}),
                IsOutOfBounds("scratch: rows 8–15 of dimension 0 lie outside 0–9"));
  }
  EXPECT_THAT(RunWithin(Bounds::kLogical, OutOfRangeReads::kFault, StoreMasked(across), {Out("y", y)}),
              IsOutOfBounds("scratch: rows 8–15 of dimension 0 lie outside 0–9"))
      << "by default, slices end in the array";
  EXPECT_THAT(RunWithin(Bounds::kLogical, OutOfRangeReads::kUninitialised, StoreMasked(across), {Out("y", y)}),
              HandsOver("rows 0–8, columns 0–149; row 9, columns 0–130; row 9, columns 132–149 were never written"));
  ExpectElements(y, one);
}

TEST_P(LaunchBoundsTest, S11AMaskedStoreIntoThePaddingIsCut) {
  Array y(DType::kFloat32, {10, 150});
  for (OutOfRangeReads reads : kBothReads) {
    EXPECT_THAT(
        RunWithin(Bounds::kPadded, reads, StoreMasked(OwnedWindow<bool>::Constant(8, 128, true)), {Out("y", y)}),
        HandsOver("rows 0–7, columns 0–149; rows 8–9, columns 0–127 were never written"));
    ExpectElements(y, [](int64_t i, int64_t j) {
      return i >= 8 && j >= 128 ? static_cast<double>(1000 * (i - 8) + j - 127) : NAN;
    });
  }
}

// A copy whose both sides reach out: what neither or only the target has.
TEST_P(LaunchBoundsTest, BothSidesOfACopyAreCut) {
  const Array x = Array::Full(DType::kFloat32, {10, 140}, 3);
  Array y = Array::Full(DType::kFloat32, {12, 150}, 5);
  y.FillPadding(9);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.SyncCopy(x.At(Ds(8, 8), Ds(128, 128)), y.At(Ds(8, 8), Ds(128, 128)));
    core.SyncCopy(x.At(10, 3), y.At(0, 3));
    core.SyncCopy(x.At(0, 3), y.At(12, 3));
  };
  EXPECT_THAT(RunWithin(Bounds::kPadded, OutOfRangeReads::kFault, kernel, {In("x", x), InOut("y", y)}),
              HandsOver("row 0, column 3; rows 8–9, columns 140–149; rows 10–11, columns 128–149 hold what lies beyond "
                        "the end of x"));
  ExpectElements(y, [](int64_t i, int64_t j) {
    if (i == 0 && j == 3) return double{NAN};
    if (i < 8 || j < 128) return 5.0;
    return i < 10 && j < 140 ? 3.0 : double{NAN};
  });
  const float* const bytes = reinterpret_cast<const float*>(y.data());
  EXPECT_EQ(bytes[12 * 256 + 3], 9) << "the padding is as it was";
  EXPECT_EQ(bytes[8 * 256 + 150], 9);
}

TEST_P(LaunchBoundsTest, APipelineIsGivenViewsWithinTheirArrays) {
  const Array x(DType::kFloat32, {16, 128});
  Array y(DType::kFloat32, {16, 128});
  const BlockSpec rows({8, 128}, [](const GridIndex& i) { return BlockIndex{i[0], 0}; });
  const auto pipeline = EmitPipeline([](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); },
                                     {.grid = {2}, .in_specs = {rows}, .out_specs = {rows}});
  ASSERT_TRUE(pipeline.ok());
  auto kernel = [&](KernelContext& core, Ref x, Ref y) { (*pipeline)(core, {x.At(Ds(8, 16)), y}); };
  EXPECT_THAT(RunWithin(Bounds::kLogical, OutOfRangeReads::kUninitialised, kernel, {In("x", x), Out("y", y)}),
              IsOutOfBounds("operand x: rows 8–23 of dimension 0 lie outside 0–15; a pipeline is given views within"));
}

TEST_P(LaunchBoundsTest, OneLaunchesOptionsAreNotTheNexts) {
  const Array x(DType::kFloat32, {16, 128});
  Array y(DType::kFloat32, {16, 128});
  const Operands operands = {In("x", x), InOut("y", y)};
  EXPECT_THAT(RunWithin(Bounds::kPadded, OutOfRangeReads::kUninitialised, CopyShifted(1, 0), operands),
              HandsOver("rows 12–15 hold what lies beyond the end of x"));
  EXPECT_THAT(Run(CopyShifted(1, 0), operands), IsOutOfBounds("operand x: rows 16–19"));
}

}  // namespace
}  // namespace strandcore::testing
