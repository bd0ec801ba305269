// The seed's matrix products (upstream_tests.md 3.1 and 3.3): inputs are whole numbers, results must be equal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/matmul.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

using MatmulSuiteTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(MatmulSuiteTest);

// Blocks a dimension: the peer's four, and two where a sanitizer makes products slow.
constexpr int64_t kBlocks = Times(4, 2);
constexpr int64_t kSize = 128 * kBlocks;
MatmulShape Square() { return {.m = kSize, .k = kSize, .n = kSize}; }

void ZeroThenAdd(KernelContext& core, const Ref& x, const Ref& y, const Ref& z) {
  if (core.ProgramId(2) == 0) z.Write<float>().setZero();
  z.ReadWrite<float>().matrix().noalias() += x.Read<float>().matrix() * y.Read<float>().matrix();
}

// x y for whole numbers of this shape, and what it must be.
struct Product {
  explicit Product(const MatmulShape& shape)
      : x(Integers(DType::kFloat32, {shape.m, shape.k}, 1)),
        y(Integers(DType::kFloat32, {shape.k, shape.n}, 2)),
        z(DType::kFloat32, {shape.m, shape.n}),
        expected(ProductInDouble<float>(x, y)) {}

  Operands operands(MemorySpace space = MemorySpace::kHbm) {
    return {In("x", x, space), In("y", y, space), Out("z", z, space)};
  }
  bool IsRight(double factor = 1) const { return AsDouble<float>(z) == factor * expected; }

  const Array x, y;
  Array z;
  const DoubleMatrix expected;
};

void ExpectCopies(const RunReport& report, int64_t x_in, int64_t y_in, int64_t z_in, int64_t z_out) {
  EXPECT_EQ(report.CountersOf("x").copies_in, x_in);
  EXPECT_EQ(report.CountersOf("y").copies_in, y_in);
  EXPECT_EQ(report.CountersOf("z").copies_in, z_in);
  EXPECT_EQ(report.CountersOf("z").copies_out, z_out);
}

// 3.1 #1 with its source in HBM, 3.3 #18, 3.3 #24 with two buffers.
TEST_P(MatmulSuiteTest, OfBlocksInHbmIsTheProductTwiceInARow) {
  Product product(Square());
  const Pipeline pipeline = Emit(ZeroThenAdd, *MatmulOptions(Square(), /*accumulate=*/false));
  Simulator& simulator = MakeSimulator();
  for (int time : {1, 2}) {
    const RunReport report = simulator.Run(Once(pipeline), product.operands());
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE(product.IsRight()) << "time " << time;
    ExpectCopies(report, kBlocks * kBlocks * kBlocks, kBlocks * kBlocks * kBlocks, 0, kBlocks * kBlocks);
    product.z.FillPoison();
  }
}

// 3.1 #1 with its source in VMEM: a spec without a memory space copies it all the same.
TEST_P(MatmulSuiteTest, OfBlocksInVmemIsTheProductTwiceInARow) {
  Product product(Square());
  const Pipeline pipeline = Emit(ZeroThenAdd, *MatmulOptions(Square(), /*accumulate=*/false));
  Simulator& simulator = MakeSimulator();
  for (int time : {1, 2}) {
    const RunReport report = simulator.Run(Once(pipeline), product.operands(MemorySpace::kVmem));
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE(product.IsRight()) << "time " << time;
    EXPECT_EQ(report.counters.transfers, 2 * kBlocks * kBlocks * kBlocks + kBlocks * kBlocks);
    product.z.FillPoison();
  }
}

// 3.1 #2.
TEST_P(MatmulSuiteTest, FollowedByAnAccumulatingOneOverTheSameResultIsTwiceTheProduct) {
  const Pipeline plain = Emit(ZeroThenAdd, *MatmulOptions(Square(), /*accumulate=*/false));
  const Pipeline accumulating = Emit(ZeroThenAdd, *MatmulOptions(Square(), /*accumulate=*/true));
  const RefFunction kernel = [&](KernelContext& core, Refs refs) {
    plain(core, refs);
    accumulating(core, refs);
  };
  for (MemorySpace space : {MemorySpace::kHbm, MemorySpace::kVmem}) {
    Product product(Square());
    const RunReport report = Run(kernel, product.operands(space));
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE(product.IsRight(2));
    if (space != MemorySpace::kHbm) continue;
    const int64_t steps = 2 * kBlocks * kBlocks * kBlocks;
    ExpectCopies(report, steps, steps, kBlocks * kBlocks, 2 * kBlocks * kBlocks);
  }
}

// 3.3 #25 with two buffers.
TEST_P(MatmulSuiteTest, SplitOverTwoCoresIsTheProduct) {
  Product product(Square());
  const RunReport report =
      Run(Once(Emit(ZeroThenAdd, *MatmulOptions(Square(), /*accumulate=*/false))), product.operands(), 2);
  ASSERT_THAT(report, IsClean());
  EXPECT_TRUE(product.IsRight());
  EXPECT_EQ(report.counters.steps, kBlocks * kBlocks * kBlocks);
}

// 3.1 #9, 3.3 #33: the peer's four shapes at a half of its size, at an eighth under a sanitizer. Copies of both cores.
TEST_P(MatmulSuiteTest, OfRectanglesSplitOverTwoCoresIsTheProduct) {
  struct Case {
    int64_t m, k, n;
    int64_t x_in, y_in, z_out;
  };
  const Case cases[] = {{1024, 1024, 1024, 32, 32, 16},
                        {768, 1024, 1024, 24, 24, 12},
                        {1024, 1024, 768, 24, 24, 12},
                        {768, 1024, 768, 18, 18, 9}};
  constexpr int64_t kScale = Times(2, 8);
  for (const Case& c : cases) {
    const MatmulShape shape = {.m = c.m / kScale,
                               .k = c.k / kScale,
                               .n = c.n / kScale,
                               .block_m = 256 / kScale,
                               .block_k = 512 / kScale,
                               .block_n = 256 / kScale};
    Product product(shape);
    const RunReport report =
        Run(Once(Emit(ZeroThenAdd, *MatmulOptions(shape, /*accumulate=*/false))), product.operands(), 2);
    ASSERT_THAT(report, IsClean());
    EXPECT_TRUE(product.IsRight()) << c.m << ", " << c.k << ", " << c.n;
    ExpectCopies(report, c.x_in, c.y_in, 0, c.z_out);
  }
}

}  // namespace
}  // namespace strandcore::testing
