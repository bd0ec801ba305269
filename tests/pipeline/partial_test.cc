// Blocks that do not divide their array (seed_pipeline.md 1.3, quirk Q14).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/matmul.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using PartialTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(PartialTest);

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

BlockSpec Square() { return BlockSpec({128, 128}, Picking({0, 1})); }

TEST_P(PartialTest, EveryElementOfTheArrayIsReached) {  // P05
  for (const Dims& shape : {Dims{300, 200}, Dims{20, 128}, Dims{601, 130}, Dims{128, 128}, Dims{1, 1}}) {
    Array x = Numbers(DType::kFloat32, shape);
    x.FillPadding(kNan);
    Array y(DType::kFloat32, shape);
    auto body = [&](KernelContext& core, Ref x, Ref y) {
      Double(core, FilledPart(core, x, shape), FilledPart(core, y, shape));
    };
    const Pipeline pipeline = Emit(
        body,
        {.grid = {(shape[0] + 127) / 128, (shape[1] + 127) / 128}, .in_specs = {Square()}, .out_specs = {Square()}});
    ASSERT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
    EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all()) << shape.ToString();
  }
}

TEST_P(PartialTest, BytesAreThoseOfTheRoundedBlocks) {
  Array x = Numbers(DType::kFloat32, {300, 200});
  const Pipeline pipeline = Emit(Nothing, {.grid = {3, 2}, .in_specs = {Square()}});
  const RunReport report = Run(Once(pipeline), {In("x", x)});
  ASSERT_THAT(report, IsClean());
  // Rows 128 + 128 + 48 (44 rounded up), columns 128 + 128 (72 rounded up).
  EXPECT_EQ(report.CountersOf("x").bytes_in, 304 * 256 * 4);
}

// The elements of a memory that an array borrows, beside the array itself, must not change.
TEST_P(PartialTest, NothingBeyondAnAdoptedArrayIsTouched) {
  constexpr int64_t kRows = 20, kColumns = 100, kGuard = 4096;
  std::vector<float> host(kGuard + kRows * kColumns + kGuard, -1.0f);
  Array y = Array::Adopt(DType::kFloat32, {kRows, kColumns}, host.data() + kGuard);
  Array x = Numbers(DType::kFloat32, {kRows, kColumns});
  const BlockSpec spec({8, 128}, Picking({0, -1}));
  auto body = [&](KernelContext& core, Ref x, Ref y) {
    Copy<float>(core, FilledPart(core, x, {kRows, kColumns}), FilledPart(core, y, {kRows, kColumns}));
  };
  const Pipeline pipeline = Emit(body, {.grid = {3}, .in_specs = {spec}, .out_specs = {spec}});
  ASSERT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
  const auto is_guard = [](float value) { return value == -1.0f; };
  EXPECT_TRUE(std::all_of(host.begin(), host.begin() + kGuard, is_guard));
  EXPECT_TRUE(std::all_of(host.end() - kGuard, host.end(), is_guard));
}

TEST_P(PartialTest, TheTailOfTheSlotKeepsOldData) {
  Array x = Numbers(DType::kFloat32, {5, 8, 128});
  Array y(DType::kFloat32, {8, 128});
  // Blocks of two: the third has one element of the first dimension, and lies in the slot of the first.
  const BlockSpec from({2, 8, 128}, Picking({0, -1, -1}));
  auto body = [](KernelContext& core, Ref x, Ref y) {
    if (core.ProgramId(0) == 2) y.Write<float>() = x.At(1).Read<float>();
  };
  const Pipeline pipeline = Emit(body, {.grid = {3}, .in_specs = {from}, .out_specs = {StayingTile()}});
  EXPECT_THAT(Run(Once(pipeline), {In("x", x), Out("y", y)}),
              HasFault(FaultKind::kUninitialisedRead,
                       HasSubstr("the body reads x's window, of which index 1 lies beyond the end of the array")));
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>({1})).all());
}

constexpr int64_t kDepth = 300;  // of which the last block has 44

// A matmul over 300 of k in blocks of 128, whose body takes all of its windows, or only what is filled.
RunReport DeepMatmul(const std::function<RunReport(const RefFunction&, const Operands&)>& run, bool masked, Array& z) {
  Array x = Numbers(DType::kFloat32, {8, kDepth}), y = Numbers(DType::kFloat32, {kDepth, 128}, 11);
  x.FillPadding(kNan);
  y.FillPadding(kNan);
  auto body = [masked](KernelContext& core, Ref x, Ref y, Ref z) {
    const int64_t k = core.ProgramId(0);
    const Index part = Ds(0, masked ? std::min<int64_t>(128, kDepth - 128 * k) : 128);
    if (k == 0) z.Write<float>().setZero();
    z.ReadWrite<float>().matrix() +=
        x.At(All(), part).Read<float>().matrix() * y.At(part, All()).Read<float>().matrix();
  };
  const Pipeline pipeline =
      Emit(body, {.grid = {3},
                  .in_specs = {BlockSpec({8, 128}, Picking({-1, 0})), BlockSpec({128, 128}, Picking({0, -1}))},
                  .out_specs = {StayingTile()}});
  RunReport report = run(Once(pipeline), {In("x", x), In("y", y), Out("z", z)});
  if (masked) {
    EXPECT_EQ(z, Product(x, y));
  }
  return report;
}

TEST_P(PartialTest, AMaskedTailOfTheReductionIsRight) {
  Array z(DType::kFloat32, {8, 128});
  auto run = [this](const RefFunction& kernel, const Operands& operands) { return Run(kernel, operands); };
  EXPECT_THAT(DeepMatmul(run, /*masked=*/true, z), IsClean());
}

TEST_P(PartialTest, AnUnmaskedTailShows) {
  Array z(DType::kFloat32, {8, 128});
  auto run = [this](const RefFunction& kernel, const Operands& operands) { return Run(kernel, operands); };
  const RunReport report = DeepMatmul(run, /*masked=*/false, z);
  ASSERT_EQ(report.faults.size(), 2u) << report.ToString();
  EXPECT_THAT(report.faults[0].ToString(), HasSubstr("reads x's window, of which columns 44–127 lie beyond the end"));
  EXPECT_THAT(report.faults[1].ToString(), HasSubstr("reads y's window, of which rows 44–127 lie beyond the end"));
  EXPECT_TRUE(std::isnan(z.Get({0, 0})));
}

TEST_P(PartialTest, AnAccumulatorMayBePartial) {
  Array z = Numbers(DType::kFloat32, {20, 200});
  const Array before = z;
  auto body = [](KernelContext& core, Ref z) {
    if (core.ProgramId(2) == 0) z.Write<float>().setZero();
    z.ReadWrite<float>() += 1.0f;
  };
  const Pipeline pipeline = Emit(body, {.grid = {3, 2, 2}, .out_specs = {Tile()}, .should_accumulate_out = true});
  ASSERT_THAT(Run(Once(pipeline), {InOut("z", z)}), IsClean());
  EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 2.0f).all());
}

TEST_P(PartialTest, AViewIsCutByItsOwnShape) {
  Array x = Numbers(DType::kFloat32, {40, 256});
  Array y(DType::kFloat32, {20, 128});
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {3}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) { pipeline(core, {x.At(Ds(8, 20), Ds(128, 128)), y}); };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>().block(8, 128, 20, 128)).all());
}

}  // namespace
}  // namespace strandcore::testing
