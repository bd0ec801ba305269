#include "kernels/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/matmul_accumulate.h"
#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

// The grid is (3, 2, 2) and every dimension ends with a partial block.
constexpr int64_t kM = 20, kK = 200, kN = 150;
MatmulShape PartialShape() { return {.m = kM, .k = kK, .n = kN, .block_m = 8, .block_k = 128, .block_n = 128}; }

class MatmulTest : public ScheduleTest {
 protected:
  RunReport RunOver(const RefFunction& kernel, int cores) {
    return Run(kernel, {In("x", x_), In("y", y_), InOut("z", z_)}, cores);
  }

  const Array x_ = SmallNumbers({kM, kK}, 3);
  const Array y_ = SmallNumbers({kK, kN}, 5);
  const Array zeros_ = Array(DType::kFloat32, {kM, kN});
  const Array old_ = SmallNumbers({kM, kN}, 2);
  Array z_ = old_;
};
STRANDCORE_ON_EVERY_BACKEND(MatmulTest);

TEST_P(MatmulTest, WithAScratchIsThePlainLoop) {
  for (int cores : {1, 2, 4}) {
    z_ = old_;
    const RunReport report = RunOver(*MatmulKernel(PartialShape()), cores);
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(z_, PlainMatmul(x_, y_, zeros_));
    EXPECT_EQ(report.CountersOf("x").copies_in, 12);
    EXPECT_EQ(report.CountersOf("y").copies_in, 12);
    EXPECT_EQ(report.CountersOf("z").copies_in, 0);
    EXPECT_EQ(report.CountersOf("z").copies_out, 6);
  }
}

TEST_P(MatmulTest, WithAnAccumulatorAddsToWhatWasThere) {
  for (int cores : {1, 2}) {
    z_ = old_;
    const RunReport report = RunOver(*MatmulAccumulateKernel(PartialShape(), /*init_accumulators=*/false), cores);
    EXPECT_THAT(report, IsClean());
    EXPECT_EQ(z_, PlainMatmul(x_, y_, old_));
    EXPECT_EQ(report.CountersOf("z").copies_in, 6);
    EXPECT_EQ(report.CountersOf("z").copies_out, 6);
  }
}

TEST_P(MatmulTest, WithAnInitialisedAccumulatorForgetsWhatWasThere) {
  const RunReport report = RunOver(*MatmulAccumulateKernel(PartialShape(), /*init_accumulators=*/true), 2);
  EXPECT_THAT(report, IsClean());
  EXPECT_EQ(z_, PlainMatmul(x_, y_, zeros_));
  EXPECT_EQ(report.CountersOf("z").copies_in, 0);
  EXPECT_EQ(report.CountersOf("z").copies_out, 6);
}

TEST_P(MatmulTest, OfOneStepOfKIsThePlainLoop) {
  MatmulShape shape = PartialShape();
  shape.block_k = 256;
  EXPECT_THAT(RunOver(*MatmulKernel(shape), 1), IsClean());
  EXPECT_EQ(z_, PlainMatmul(x_, y_, zeros_));
}

TEST(MatmulShapeTest, WithoutSizesIsRefused) {
  EXPECT_THAT(MatmulPipeline({}).status().message(), HasSubstr("expected a positive size and block"));
  EXPECT_FALSE(MatmulKernel({}).ok());
  EXPECT_FALSE(MatmulAccumulateKernel({}, true).ok());
}

TEST(MatmulShapeTest, OfOtherSizesThanTheOperandsIsAKernelError) {
  const Array x = SmallNumbers({8, 128}, 3), y = SmallNumbers({64, 128}, 5);
  Array z(DType::kFloat32, {8, 128});
  const MatmulShape shape = {.m = 8, .k = 128, .n = 128, .block_m = 8};
  for (const RefFunction& kernel : {*MatmulKernel(shape), *MatmulAccumulateKernel(shape, true)}) {
    EXPECT_THAT(RunOnce(kernel, {In("x", x), In("y", y), Out("z", z)}),
                HasFault(FaultKind::kKernelError, HasSubstr("operand y: expected (128, 128), given (64, 128)")));
  }
}

}  // namespace
}  // namespace strandcore::testing
