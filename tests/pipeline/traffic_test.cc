// How many copies a pipeline makes (seed_pipeline.md 1.17, one device), with the values it computes meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/matmul.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using TrafficTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(TrafficTest);

// "64 in, 16 out".
std::string Copies(const RunReport& report, const std::string& operand) {
  const OperandCounters counters = report.CountersOf(operand);
  return absl::StrCat(counters.copies_in, " in, ", counters.copies_out, " out");
}

// The same of one core, from what it did.
std::string Copies(const Recorder& recorder, int core, const std::string& operand) {
  int in = 0, out = 0;
  for (const Event& event : recorder.EventsOf({0, core})) {
    if (event.place.operand != operand) continue;
    in += event.kind == Event::Kind::kCopyIn;
    out += event.kind == Event::Kind::kCopyOut;
  }
  return absl::StrCat(in, " in, ", out, " out");
}

TEST_P(TrafficTest, OfAMatmul) {
  const MatmulBlocks blocks = {4, 4, 4};
  Array x = Numbers(DType::kFloat32, ShapeOfX(blocks)), y = Numbers(DType::kFloat32, ShapeOfY(blocks), 11);
  Array z(DType::kFloat32, ShapeOfZ(blocks));
  const RunReport report = Run(Once(Emit(MatmulBody, MatmulOptions(blocks))), {In("x", x), In("y", y), Out("z", z)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(z, Product(x, y));
  EXPECT_EQ(Copies(report, "x"), "64 in, 0 out");
  EXPECT_EQ(Copies(report, "y"), "64 in, 0 out");
  EXPECT_EQ(Copies(report, "z"), "0 in, 16 out");
  EXPECT_EQ(report.CountersOf("x").bytes_in, 64 * 8 * 16 * 4);
  EXPECT_EQ(report.CountersOf("y").bytes_in, 64 * 16 * 128 * 4);
  EXPECT_EQ(report.CountersOf("z").bytes_out, 16 * 8 * 128 * 4);
  EXPECT_EQ(report.counters.steps, 64);
  EXPECT_EQ(report.counters.transfers, 144);
  EXPECT_EQ(report.counters.waits, 144);
}

TEST_P(TrafficTest, OfAnAccumulatingMatmul) {
  const MatmulBlocks blocks = {4, 4, 4};
  Array x = Numbers(DType::kFloat32, ShapeOfX(blocks)), y = Numbers(DType::kFloat32, ShapeOfY(blocks), 11);
  Array z = Numbers(DType::kFloat32, ShapeOfZ(blocks));
  const Array expected = Product(x, y, 1, &z);
  PipelineOptions options = MatmulOptions(blocks);
  options.should_accumulate_out = true;
  const RunReport report = Run(Once(Emit(MatmulBody, options)), {In("x", x), In("y", y), InOut("z", z)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(z, expected);
  EXPECT_EQ(Copies(report, "x"), "64 in, 0 out");
  EXPECT_EQ(Copies(report, "z"), "16 in, 16 out");
}

TEST_P(TrafficTest, OfAMultiplicationOnTwoCores) {
  Array x = Numbers(DType::kFloat32, {32, 512});
  Array y(DType::kFloat32, {32, 512});
  Recorder recorder;
  SimulatorOptions options = {.cores = 2, .observer = &recorder};
  const Pipeline pipeline = Emit(Double, {.grid = {4, 4},
                                          .in_specs = {Tile()},
                                          .out_specs = {Tile()},
                                          .core_axis = 0,
                                          .dimension_semantics = {kArbitrary, kParallel}});
  ASSERT_THAT(MakeSimulator(options).Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  for (int core : {0, 1}) {
    EXPECT_EQ(Copies(recorder, core, "x"), "8 in, 0 out");
    EXPECT_EQ(Copies(recorder, core, "y"), "0 in, 8 out");
  }
}

TEST_P(TrafficTest, OfAnUnevenSplitBesideADynamicDimension) {
  Array x = Numbers(DType::kFloat32, {40, 640});
  Array y(DType::kFloat32, {40, 640});
  Recorder recorder;
  SimulatorOptions options = {.cores = 2, .observer = &recorder};
  const Pipeline pipeline = Emit(Double, {.grid = {Dynamic(5), 5},
                                          .in_specs = {Tile()},
                                          .out_specs = {Tile()},
                                          .core_axis = 0,
                                          .dimension_semantics = {kParallel, kParallel}});
  ASSERT_THAT(MakeSimulator(options).Run(Once(pipeline), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(Copies(recorder, 0, "x"), "15 in, 0 out");
  EXPECT_EQ(Copies(recorder, 0, "y"), "0 in, 15 out");
  EXPECT_EQ(Copies(recorder, 1, "x"), "10 in, 0 out");
  EXPECT_EQ(Copies(recorder, 1, "y"), "0 in, 10 out");
}

struct SplitMatmul {
  MatmulBlocks blocks;
  std::string x[2], y[2], z[2];  // of each core
};

TEST_P(TrafficTest, OfMatmulsOnTwoCores) {
  const SplitMatmul cases[] = {
      {{4, 4, 2}, {"16 in, 0 out", "16 in, 0 out"}, {"16 in, 0 out", "16 in, 0 out"}, {"0 in, 8 out", "0 in, 8 out"}},
      {{3, 4, 2}, {"12 in, 0 out", "12 in, 0 out"}, {"12 in, 0 out", "12 in, 0 out"}, {"0 in, 6 out", "0 in, 6 out"}},
      {{4, 3, 2}, {"12 in, 0 out", "12 in, 0 out"}, {"12 in, 0 out", "12 in, 0 out"}, {"0 in, 6 out", "0 in, 6 out"}},
      {{3, 3, 2}, {"12 in, 0 out", "6 in, 0 out"}, {"12 in, 0 out", "6 in, 0 out"}, {"0 in, 6 out", "0 in, 3 out"}}};
  for (const SplitMatmul& c : cases) {
    Array x = Numbers(DType::kFloat32, ShapeOfX(c.blocks)), y = Numbers(DType::kFloat32, ShapeOfY(c.blocks), 11);
    Array z(DType::kFloat32, ShapeOfZ(c.blocks));
    PipelineOptions options = MatmulOptions(c.blocks);
    options.core_axis = 0;
    Recorder recorder;
    SimulatorOptions machine = {.cores = 2, .observer = &recorder};
    ASSERT_THAT(MakeSimulator(machine).Run(Once(Emit(MatmulBody, options)), {In("x", x), In("y", y), Out("z", z)}),
                IsClean());
    EXPECT_EQ(z, Product(x, y));
    for (int core : {0, 1}) {
      EXPECT_EQ(Copies(recorder, core, "x"), c.x[core]);
      EXPECT_EQ(Copies(recorder, core, "y"), c.y[core]);
      EXPECT_EQ(Copies(recorder, core, "z"), c.z[core]);
    }
  }
}

TEST_P(TrafficTest, OfTwoCyclesOfACopy) {
  Array x = Numbers(DType::kInt32, {32, 512});
  Array y(DType::kInt32, {32, 512});
  const Pipeline pipeline = Emit(Copy<int32_t>, {.grid = {2, 4}, .in_specs = {Tile()}, .out_specs = {Tile()}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    auto half = [](const Ref& ref, int64_t i) { return ref.At(Ds(16 * i, 16)); };
    Allocations allocations = pipeline.MakeAllocations(core, {half(x, 0), half(y, 0)});
    for (int cycle : {0, 1}) {
      pipeline(core, {half(x, cycle), half(y, cycle)},
               {.allocations = &allocations,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 1,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], half(x, (cycle + 1) % 2)); }});
    }
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(Copies(report, "x"), "16 in, 0 out");
  EXPECT_EQ(Copies(report, "y"), "0 in, 16 out");
}

// Adds up the blocks of x in z's window.
void SumBody(KernelContext& core, const Ref& x, const Ref& z) {
  if (core.ProgramId(0) == 0) {
    z.Write<int32_t>() = x.Read<int32_t>();
  } else {
    z.ReadWrite<int32_t>() += x.Read<int32_t>();
  }
}

TEST_P(TrafficTest, OfTwoCyclesOfAnAccumulatorUnderFixed) {
  Array x = Numbers(DType::kInt32, {64, 128});
  Array z(DType::kInt32, {8, 128});
  const Pipeline pipeline = Emit(
      SumBody, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  auto kernel = [&](KernelContext& core, Ref x, Ref z) {
    auto half = [&](int64_t i) { return x.At(Ds(32 * i, 32)); };
    Allocations allocations = pipeline.MakeAllocations(core, {half(0), z});
    for (int cycle : {0, 1}) {
      pipeline(core, {half(cycle), z},
               {.allocations = &allocations,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 1,
                .init_accumulators = cycle == 0,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], half(1), Schedule::Fixed()); },
                .schedule = Schedule::Fixed()});
    }
  };
  const RunReport report = Run(kernel, {In("x", x), Out("z", z)});
  ASSERT_THAT(report, IsClean());
  for (int64_t c = 0; c < 128; ++c) {
    EXPECT_EQ(z.Matrix<int32_t>()(3, c), x.Matrix<int32_t>().col(c)(Eigen::seqN(3, 8, 8)).sum());
  }
  EXPECT_EQ(Copies(report, "x"), "8 in, 0 out");
  EXPECT_EQ(Copies(report, "z"), "0 in, 1 out");
}

}  // namespace
}  // namespace strandcore::testing
