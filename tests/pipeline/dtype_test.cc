// Every element type through a copy pipeline and through an accumulator (quirks Q9, Q10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using DTypeTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(DTypeTest);

constexpr DType kCopied[] = {DType::kFloat32, DType::kBfloat16, DType::kFloat16, DType::kInt32, DType::kUint32,
                             DType::kInt16,   DType::kUint16,   DType::kInt8,    DType::kUint8};

// Of the blocks of arrays of (20, 200), partial in both dimensions.
void CopyAny(KernelContext& core, const Ref& x, const Ref& y) {
  const Ref from = FilledPart(core, x, {20, 200});
  const Ref to = FilledPart(core, y, {20, 200});
  VisitDType(x.dtype(), [&]<typename T>(std::type_identity<T>) { to.Write<T>() = from.Read<T>(); });
}

TEST_P(DTypeTest, ACopyIsExact) {
  for (DType dtype : kCopied) {
    Array x = Numbers(dtype, {20, 200});
    Array y(dtype, {20, 200});
    const Pipeline pipeline = Emit(CopyAny, {.grid = {3, 2}, .in_specs = {Tile()}, .out_specs = {Tile()}});
    const RunReport report = Run(Once(pipeline), {In("x", x), Out("y", y)});
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(x, y) << DTypeName(dtype);
    EXPECT_EQ(report.CountersOf("x").bytes_in, 24 * 256 * DTypeSize(dtype));
  }
}

TEST_P(DTypeTest, AnAccumulatorAddsUp) {
  for (DType dtype : kCopied) {
    Array x = Numbers(dtype, {20, 200}), z = Numbers(dtype, {20, 200}, 3);
    const Array before = z;
    const Pipeline pipeline =
        Emit(CopyAny, {.grid = {3, 2, 2}, .in_specs = {Tile()}, .out_specs = {Tile()}, .should_accumulate_out = true});
    ASSERT_THAT(Run(Once(pipeline), {In("x", x), InOut("z", z)}), IsClean());
    Array expected = before;
    for (int64_t i = 0; i < 20; ++i) {
      for (int64_t j = 0; j < 200; ++j) expected.Set({i, j}, before.Get({i, j}) + x.Get({i, j}));
    }
    EXPECT_EQ(z, expected) << DTypeName(dtype);
  }
}

// What an accumulator that holds `start` holds after `cycles` fused cycles in which the body writes `addend`.
class AccumulatedTest : public DTypeTest {
 protected:
  template <typename T>
  double After(double start, double addend, int cycles = 1) {
    auto body = [=](KernelContext&, Ref z) { z.Write<T>().setConstant(static_cast<T>(addend)); };
    const Pipeline pipeline = Emit(body, {.grid = {1}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
    auto kernel = [&](KernelContext& core, Refs refs) {
      Allocations allocations = pipeline.MakeAllocations(core, refs);
      for (int cycle = 0; cycle < cycles; ++cycle) {
        pipeline(core, refs,
                 {.allocations = &allocations,
                  .first_cycle = cycle == 0,
                  .last_cycle = cycle == cycles - 1,
                  .schedule = Schedule::Fixed()});
      }
    };
    Array z = Array::Full(DTypeOf<T>(), {8, 128}, start);
    EXPECT_THAT(Run(kernel, {InOut("z", z)}), IsClean());
    return z.Get({7, 127});
  }
};
STRANDCORE_ON_EVERY_BACKEND(AccumulatedTest);

TEST_P(AccumulatedTest, ABfloat16IsRoundedInEveryCycle) {
  // 257 lies half-way between 256 and 258 and goes to the even one, each time.
  EXPECT_EQ(After<Eigen::bfloat16>(256, 1, 4), 256);
  EXPECT_EQ(After<float>(256, 1, 4), 260);
}

TEST_P(AccumulatedTest, AFloat16Overflows) { EXPECT_TRUE(std::isinf(After<Eigen::half>(60000, 60000))); }

TEST_P(AccumulatedTest, AnInt32Wraps) {
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  constexpr double kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(After<int32_t>(kMost, 1), kLeast);
  EXPECT_EQ(After<int32_t>(kLeast, -1), kMost);
  EXPECT_EQ(After<int32_t>(16777217, 2), 16777219);
}

TEST_P(AccumulatedTest, OtherIntegersSaturate) {
  EXPECT_EQ(After<int8_t>(100, 100), 127);
  EXPECT_EQ(After<int8_t>(-100, -100), -128);
  EXPECT_EQ(After<uint8_t>(200, 100), 255);
  EXPECT_EQ(After<int16_t>(30000, 30000), 32767);
  EXPECT_EQ(After<uint16_t>(60000, 60000), 65535);
  EXPECT_EQ(After<uint32_t>(4e9, 4e9), 4294967295);
}

TEST_P(AccumulatedTest, AUint32IsSummedInFloat32) {
  // 2^24 + 1 has no float32.
  EXPECT_EQ(After<uint32_t>(16777217, 0), 16777216);
}

TEST_P(DTypeTest, EightByteElementsAreRefused) {
  for (DType dtype : {DType::kFloat64, DType::kInt64}) {
    Array x(dtype, {8, 128});
    EXPECT_THAT(Run(Once(Emit(Nothing, {.grid = {1}, .in_specs = {StayingTile()}})), {In("x", x)}),
                IsRefused(absl::StrCat("operand x: ", DTypeName(dtype), " cannot be tiled")));
  }
}

TEST_P(DTypeTest, EightByteAndBoolElementsMayBeAliased) {
  for (DType dtype : {DType::kFloat64, DType::kInt64, DType::kBool}) {
    Array x = Numbers(dtype, {16, 128});
    Array y(dtype, {16, 128});
    const BlockSpec alias({8, 128}, Picking({0, -1}), MemorySpace::kVmem);
    const Pipeline pipeline = Emit(CopyAny, {.grid = {2}, .in_specs = {alias}, .out_specs = {alias}});
    ASSERT_THAT(Run(Once(pipeline), {In("x", x, MemorySpace::kVmem), Out("y", y, MemorySpace::kVmem)}), IsClean());
    EXPECT_EQ(x, y) << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace strandcore::testing
