// Grids split over cores (upstream_tests.md 3.1 and 3.3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using CoresSuiteTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CoresSuiteTest);

const Semantics kBothParallel = {kParallel, kParallel};

Pipeline Doubling(const Grid& grid, const Semantics& semantics) {
  const BlockSpec block({128, 128}, Picking({0, 1}));
  return Emit(
      Double,
      {.grid = grid, .in_specs = {block}, .out_specs = {block}, .core_axis = 0, .dimension_semantics = semantics});
}

// 3.1 #7, 3.3 #30.
TEST_P(CoresSuiteTest, AGridThatTwoDoesNotDivideIsSplitBesideADynamicDimension) {
  const Array x = Integers(DType::kFloat32, {640, 640}, 1);
  Array y(DType::kFloat32, {640, 640});
  const RunReport report = Run(Once(Doubling({Dynamic(5), 5}, kBothParallel)), {In("x", x), Out("y", y)}, 2);
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.CountersOf("x").copies_in, 15 + 10);
  EXPECT_EQ(report.CountersOf("y").copies_out, 15 + 10);
}

// 3.1 #8, 3.3 #32.
TEST_P(CoresSuiteTest, AGridThatTwoDividesIsSplitEvenly) {
  const Array x = Integers(DType::kFloat32, {512, 512}, 1);
  Array y(DType::kFloat32, {512, 512});
  const RunReport report = Run(Once(Doubling({4, 4}, {kArbitrary, kParallel})), {In("x", x), Out("y", y)}, 2);
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.CountersOf("x").copies_in, 8 + 8);
  EXPECT_EQ(report.CountersOf("y").copies_out, 8 + 8);
}

void CountUp(KernelContext&, const Ref& counter) { counter.ReadWrite<int32_t>() += 1; }

// Each core counts its steps in VMEM and copies the counter to its row of the operand.
RefFunction StepCounts(const Grid& grid, const Semantics& semantics) {
  const Pipeline pipeline = Emit(CountUp, {.grid = grid, .core_axis = 0, .dimension_semantics = semantics});
  return [pipeline](KernelContext& core, Ref counts) {
    core.RunScoped(
        [&](Ref counter) {
          counter.Write<int32_t>().setZero();
          pipeline(core, {}, {.scratches = {counter}});
          core.SyncCopy(counter, counts.At(core.core_index()));
        },
        Vmem({8, 128}, DType::kInt32));
  };
}

struct Split {
  Grid grid;
  Semantics semantics;
  int64_t split, rest;  // the size of the split dimension, and the product of the others
};

// 3.3 #31: those whose parallel dimension is static.
TEST_P(CoresSuiteTest, EachCoreTakesItsShareOfTheSplitDimension) {
  const Split splits[] = {{{8}, {kParallel}, 8, 1},
                          {{5}, {kParallel}, 5, 1},
                          {{8, 3}, {kParallel, kArbitrary}, 8, 3},
                          {{5, 3}, {kParallel, kArbitrary}, 5, 3},
                          {{8, 8}, kBothParallel, 8, 8},
                          {{5, 7}, kBothParallel, 7, 5},
                          {{1, 1}, kBothParallel, 1, 1}};
  for (const Split& c : splits) {
    for (int cores : {1, 2, 3}) {
      // Three cores divide none of these sizes, and two divide 8 alone.
      Array counts(DType::kInt32, {cores, 8, 128});
      ASSERT_THAT(Run(StepCounts(c.grid, c.semantics), {Out("counts", counts)}, cores), IsClean());
      for (int core = 0; core < cores; ++core) {
        const int64_t share = c.split / cores + (core < c.split % cores ? 1 : 0);
        EXPECT_EQ(counts.Get({core, 0, 0}), share * c.rest) << "core " << core << " of " << cores;
      }
    }
  }
}

// 3.3 #31: those whose only parallel dimension is dynamic, which the seed cannot split.
TEST_P(CoresSuiteTest, ADynamicDimensionAloneIsNotSplit) {
  const Split splits[] = {{{Dynamic(8)}, {kParallel}, 8, 1},
                          {{Dynamic(5)}, {kParallel}, 5, 1},
                          {{Dynamic(8), 3}, {kParallel, kArbitrary}, 8, 3},
                          {{Dynamic(5), 3}, {kParallel, kArbitrary}, 5, 3},
                          {{2, Dynamic(7)}, {kArbitrary, kParallel}, 7, 2}};
  for (const Split& c : splits) {
    Array counts(DType::kInt32, {2, 8, 128});
    EXPECT_THAT(Run(StepCounts(c.grid, c.semantics), {Out("counts", counts)}, 2),
                IsRefused("a static parallel dimension is expected"));
    ASSERT_THAT(Run(StepCounts(c.grid, c.semantics), {InOut("counts", counts)}, 1), IsClean());
    EXPECT_EQ(counts.Get({0, 0, 0}), c.split * c.rest);
  }
}

}  // namespace
}  // namespace strandcore::testing
