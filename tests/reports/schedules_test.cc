// Right kernels stay right: many random schedules of the repaired twins of kernels/faulty, each without a fault,
// proved, and with the same result.
#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/faulty/faulty.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

// Each run under a seed of its own.
void ExpectNoFault(int64_t runs) {
  const Array x = Integers(kF32, FaultyKernelShape(), 3);
  const auto kernels = FaultyKernels();
  const auto each = static_cast<uint64_t>(runs) / kernels.size() + 1;
  for (const FaultyKernel& kernel : kernels) {
    const RefFunction twin = kernel.make(/*repaired=*/true);
    Array first(kF32, FaultyKernelShape());
    for (uint64_t seed = 0; seed < each; ++seed) {
      Array y(kF32, FaultyKernelShape());
      Simulator simulator({.cores = kernel.cores, .policy = Policy::Random(seed)});
      const RunReport report = simulator.Run(twin, {In("x", x), Out("y", seed == 0 ? first : y)});
      ASSERT_THAT(report, IsProved()) << kernel.name << " under random(" << seed << ")";
      if (seed == 0) continue;
      ASSERT_EQ(y, first) << kernel.name << " under random(" << seed << ")";
    }
  }
}

TEST(RightTwinsTest, AThousandSchedulesHaveNoFault) { ExpectNoFault(Times(1'000, 100)); }
TEST(LongRightTwinsTest, AMillionSchedulesHaveNoFault) { ExpectNoFault(Times(1'000'000, 10'000)); }

}  // namespace
}  // namespace strandcore::testing
