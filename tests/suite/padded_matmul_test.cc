// The property test of the padded matmul (upstream_tests.md 3.1 #10, 3.3 #35): sizes and blocks are drawn, the same
// ones in every run; each example is compared with a product in float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/padded_matmul.h"
#include "runtime/testing/schedule_test.h"
#include "tests/suite/support.h"

namespace strandcore::testing {
namespace {

// Draws numbers for one example.
class Draw {
 public:
  explicit Draw(uint64_t seed) : seed_(seed) {}
  uint64_t Below(uint64_t bound) { return RandomBits(seed_, drawn_++) % bound; }
  int64_t OneOf(const std::vector<int64_t>& values) { return values[Below(values.size())]; }
  // From `least` to `most`; small ones more often, as their edges are no fewer and their products cheaper.
  int64_t Size(int64_t least, int64_t most) {
    const double u = static_cast<double>(Below(1 << 20)) / (1 << 20);
    return least + static_cast<int64_t>(u * u * u * static_cast<double>(most - least + 1));
  }

 private:
  const uint64_t seed_;
  uint64_t drawn_ = 0;
};

// No block is larger than its dimension. Under a sanitizer only the small ones of the peer's sizes.
MatmulShape DrawShape(DType dtype, uint64_t seed) {
  constexpr int64_t kMost = Times(1024, 300);
  const int64_t least_m = dtype == DType::kInt8 ? 32 : dtype == DType::kBfloat16 ? 16 : 8;
  std::vector<int64_t> block_m, wide = {128};
  for (int64_t block : {8, 16, 32, 128, 256, 512}) {
    if (block >= least_m && block <= kMost / 2) block_m.push_back(block);
  }
  if (!kSanitized) wide = {128, 256, 512};
  Draw draw(seed);
  MatmulShape shape;
  shape.block_m = draw.OneOf(block_m);
  shape.block_k = draw.OneOf(wide);
  shape.block_n = draw.OneOf(wide);
  shape.m = draw.Size(shape.block_m, kMost);
  shape.k = draw.Size(shape.block_k, kMost);
  shape.n = draw.Size(shape.block_n, kMost);
  return shape;
}

Array Input(DType dtype, const Dims& shape, uint64_t seed) {
  if (dtype == DType::kInt8) return Integers(dtype, shape, seed, 127);
  return dtype == DType::kFloat32 ? Integers(dtype, shape, seed) : Reals(dtype, shape, seed);
}

class PaddedMatmulSuiteTest : public ScheduleTest {
 protected:
  // How many examples a type: all where they run on two threads, some elsewhere.
  uint64_t examples() const {
    return !kSanitized && backend().threads == 2 && backend().dma == DmaMode::kOverlap ? 200 : 20;
  }

  // The largest difference, in units of `absolute and relative tolerance`; 0 asks for equality.
  template <typename T, typename Z>
  void ExpectProducts(double tolerance) {
    Simulator& simulator = MakeSimulator(2);
    const DType dtype = DTypeOf<T>();
    for (uint64_t i = 0; i < examples() && !HasFailure(); ++i) {
      const MatmulShape shape = DrawShape(dtype, 1000 * static_cast<uint64_t>(dtype) + i);
      const Array x = Input(dtype, {shape.m, shape.k}, 2 * i), y = Input(dtype, {shape.k, shape.n}, 2 * i + 1);
      Array z(DTypeOf<Z>(), {shape.m, shape.n});
      ASSERT_THAT(simulator.Run(*PaddedMatmulKernel(shape, dtype), {In("x", x), In("y", y), Out("z", z)}), IsClean());
      const DoubleMatrix expected = ProductInDouble<T>(x, y);
      const auto error = (AsDouble<Z>(z) - expected).array().abs().eval();
      EXPECT_TRUE((error <= tolerance * (1 + expected.array().abs())).all())
          << "example " << i << ": m, k, n " << shape.m << ", " << shape.k << ", " << shape.n << ", blocks "
          << shape.block_m << ", " << shape.block_k << ", " << shape.block_n;
    }
  }
};
STRANDCORE_ON_EVERY_BACKEND(PaddedMatmulSuiteTest);

TEST_P(PaddedMatmulSuiteTest, OfFloat32IsExactForWholeNumbers) { ExpectProducts<float, float>(0); }

TEST_P(PaddedMatmulSuiteTest, OfBfloat16IsWithinAHundredth) { ExpectProducts<Eigen::bfloat16, Eigen::bfloat16>(1e-2); }

TEST_P(PaddedMatmulSuiteTest, OfInt8IsExact) { ExpectProducts<int8_t, int32_t>(0); }

}  // namespace
}  // namespace strandcore::testing
