// Pipelines as the peer's tests have them (interpreter_cases.md S1, S2, S4, S13, S14, S17, S21, S35).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerPipelinesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerPipelinesReportTest);

TEST_P(PeerPipelinesReportTest, S01AnOutputThatComesBackToABlockIsNamedWithTheStep) {
  const Array x = Integers(kF32, {32, 512}, 1);
  for (bool comes_back : {true, false}) {
    Array y(kF32, {32, 512}), z(kF32, {16, 256});
    auto body = [](KernelContext&, Ref x, Ref y, Ref z) {
      y.Write<float>() = x.Read<float>();
      z.Write<float>() = x.Read<float>() + 1.0f;
    };
    const BlockSpec second({8, 128}, [=](const GridIndex& g) {
      return comes_back ? BlockIndex{g[1] / 2, g[0] % 2} : BlockIndex{g[0] / 2, g[0] % 2};
    });
    const RunReport report =
        Run(Once(Emit(body, {.grid = {4, 4}, .in_specs = {Tile()}, .out_specs = {Tile(), second}})),
            {In("x", x), Out("y", y), Out("z", z)});
    if (comes_back) {
      EXPECT_THAT(report,
                  HasAmong(FaultKind::kRevisitedOutput, AllOf(HasSubstr("block (0, 0) of z"), HasSubstr("(2, 0)"))));
    } else {
      EXPECT_THAT(report, IsProved());
      EXPECT_TRUE((z.Matrix<float>().block(8, 128, 8, 128) == x.Matrix<float>().block(24, 384, 8, 128) + 1).all());
    }
  }
}

TEST_P(PeerPipelinesReportTest, S02AMatmulOverATwoByTwoGridIsThatOfTheReference) {
  const Array x = Integers(kF32, {256, 256}, 1), y = Integers(kF32, {256, 256}, 2);
  Array z(kF32, {256, 256});
  auto body = [](KernelContext&, Ref x, Ref y, Ref z) {
    z.Write<float>().matrix().noalias() = x.Read<float>().matrix() * y.Read<float>().matrix();
  };
  const RefFunction kernel =
      Once(Emit(body, {.grid = {2, 2},
                       .in_specs = {BlockSpec({128, 256}, Picking({0, -1})), BlockSpec({256, 128}, Picking({-1, 1}))},
                       .out_specs = {BlockSpec({128, 128}, Picking({0, 1}))}}));
  EXPECT_THAT(Run(kernel, {In("x", x), In("y", y), Out("z", z)}), IsProved());
  EXPECT_EQ(AsDouble<float>(z), ProductInDouble<float>(x, y));
}

TEST_P(PeerPipelinesReportTest, S04BlocksThatDoNotDivideTheArrayReachEveryElementOnce) {
  const Array x = Integers(kF32, {7, 24, 320}, 1);
  Array y(kF32, {7, 24, 320});
  auto body = [](KernelContext& core, Ref x, Ref y) {
    const Ref from = core.Filled(x), to = core.Filled(y);
    for (int64_t i = 0; i < from.shape()[0]; ++i) to.At(i).Write<float>() = from.At(i).Read<float>() + 1.0f;
  };
  const BlockSpec block({2, 16, 128}, Picking({0, 1, 2}));
  EXPECT_THAT(
      Run(Once(Emit(body, {.grid = {4, 2, 3}, .in_specs = {block}, .out_specs = {block}})), {In("x", x), Out("y", y)}),
      IsProved());
  for (int64_t i = 0; i < 7; ++i) EXPECT_TRUE((y.Matrix<float>({i}) == x.Matrix<float>({i}) + 1).all()) << i;
}

// The size of the grid is only known in the kernel, from memory.
RefFunction AddsOneBySize(int core_axis) {
  return [core_axis](KernelContext& core, Ref size, Ref x, Ref y) {
    auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>() + 1.0f; };
    const BlockSpec spec = core_axis < 0 ? StayingTile() : RowTile();
    PipelineOptions options = {.grid = {size.Get<int32_t>({0})}, .in_specs = {spec}, .out_specs = {spec}};
    if (core_axis >= 0) {
      options.core_axis = core_axis;
      options.dimension_semantics = {kParallel};
    }
    Emit(body, std::move(options))(core, {x, y});
  };
}

TEST_P(PeerPipelinesReportTest, S13AGridOfASizeFromDataOverAnAliasedBlockAddsOneAndFetchesOnce) {
  for (const int32_t steps : {10, 13, 19}) {
    const Array size = Array::FromValues<int32_t>({1}, {steps});
    Array z = Integers(kF32, {8, 128}, 1);
    const Array before = z;
    const RunReport report = Run(AddsOneBySize(-1), {In("size", size, MemorySpace::kSmem), In("x", z), InOut("z", z)});
    EXPECT_THAT(report, IsProved());
    EXPECT_THAT(report, HasTransfers("x", 1));
    EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 1).all());
  }
}

TEST_P(PeerPipelinesReportTest, S21AParallelAxisOfASizeFromDataIsSharedByTheCores) {
  const Array size = Array::FromValues<int32_t>({1}, {5});
  const Array x = Integers(kF32, {40, 128}, 1);
  Array y(kF32, {40, 128});
  EXPECT_THAT(Run(AddsOneBySize(0), {In("size", size, MemorySpace::kSmem), In("x", x), Out("y", y)}, 2), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>() + 1).all());
}

// Step n reads block (i, j) of z and writes n more to block (j, i) of it.
TEST_P(PeerPipelinesReportTest, S14AnAliasedTransposeWithAStepCounterGivesTheTableOfItsOrder) {
  Array z(kF32, {32, 512});
  const auto within = [](int64_t row, int64_t column) {
    return 100.0 * static_cast<double>(8 * (column % 128) + row % 8);
  };
  z.Generate([&](int64_t flat) { return within(flat / 512, flat % 512); });
  auto kernel = [](KernelContext& core, Ref x, Ref z) {
    core.RunScoped(
        [&](Ref counter) {
          counter.Set<int32_t>(0, {0});
          auto body = [&](KernelContext&, Ref x, Ref z) {
            const int32_t step = counter.Get<int32_t>({0});
            z.Write<float>() = x.Read<float>() + static_cast<float>(step);
            counter.Set<int32_t>(step + 1, {0});
          };
          Emit(body, {.grid = {4, 4}, .in_specs = {Tile()}, .out_specs = {BlockSpec({8, 128}, Picking({1, 0}))}})(
              core, {x, z});
        },
        Smem({1}, DType::kInt32, "counter"));
  };
  EXPECT_THAT(Run(kernel, {In("x", z), InOut("z", z)}), IsProved());
  const int table[4][4] = {{0, 5, 10, 15}, {1, 5, 15, 20}, {2, 6, 10, 25}, {3, 7, 11, 15}};
  z.ForEach([&](int64_t flat, double value) {
    const int64_t row = flat / 512, column = flat % 512;
    ASSERT_EQ(value, table[row / 8][column / 128] + within(row, column)) << row << ", " << column;
  });
}

// Where fresh memory is poison a body that reads it is told of, and finds the poison of its type; zeros are as unset.
TEST_P(PeerPipelinesReportTest, S17FreshScratchAndUntouchedOutputsHoldPoisonOrZeros) {
  for (Fill fresh : {Fill::kPoison, Fill::kZero}) {
    SimulatorOptions options = OptionsFor(1);
    options.fresh = fresh;
    Array y(kF32, {8, 128});
    bool floats = false, integers = false;
    auto kernel = [&](KernelContext& core, Ref) {
      core.RunScoped(
          [&](Ref a, Ref b) {
            const bool zero = fresh == Fill::kZero;
            const OwnedWindow<float> held = a.Load<Eigen::bfloat16>().cast<float>();
            floats = zero ? (held == 0).all() : held.isNaN().all();
            integers = (b.Load<int16_t>() == (zero ? 0 : 32767)).all();
          },
          Vmem({16, 128}, DType::kBfloat16, "a"), Vmem({16, 128}, DType::kInt16, "b"));
    };
    const RunReport report = MakeSimulator(options).Run(kernel, {Out("y", y)});
    for (const char* what : {"reads a", "reads b", "handed y"}) {
      EXPECT_THAT(report, HasAmong(FaultKind::kUninitialisedRead, HasSubstr(what)));
    }
    EXPECT_TRUE(floats && integers);
    y.ForEach([&](int64_t, double value) { EXPECT_TRUE(fresh == Fill::kZero ? value == 0 : std::isnan(value)); });
  }
}

// Of a dimension of ten: a part that touches nothing is within, one with a stride is judged by what it touches last.
TEST_P(PeerPipelinesReportTest, S35WhatLiesWithinIsJudgedByWhatIsTouched) {
  const struct {
    const char* what;
    Index index;
    bool within;
  } table[] = {
      {"the last", 9, true},
      {"one behind it", 10, false},
      {"one before the first", -1, false},
      {"all", Ds(0, 10), true},
      {"one more", Ds(0, 11), false},
      {"all, shifted", Ds(1, 10), false},
      {"a stride that ends at the last", Ds(1, 5, 2), true},
      {"a stride that ends behind it", Ds(2, 5, 2), false},
      {"none, behind the end", Ds(12, 0), true},
      {"a stride longer than what is left", Ds(9, 1, 20), true},
  };
  for (const auto& row : table) {
    const RunReport report = Run([&](KernelContext& core) {
      core.RunScoped([&](Ref tile) { tile.At(row.index).Declare(AccessMode::kWrite, Site::Here()); },
                     Vmem({10, 128}, kF32, "tile"));
    });
    if (row.within) {
      EXPECT_THAT(report, IsProved()) << row.what;
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kOutOfBounds, HasSubstr("tile"))) << row.what;
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
