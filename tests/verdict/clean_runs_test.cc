// The shipped kernels are right: no run of them has a fault, and whether the checker watches changes nothing.
#include <gtest/gtest.h>

#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/verdict/shipped_kernels.h"

namespace strandcore::testing {
namespace {

class ShippedKernelsTest : public ScheduleTest {};
STRANDCORE_ON_EVERY_BACKEND(ShippedKernelsTest);

TEST_P(ShippedKernelsTest, AreCleanAndProved) {
  for (const ShippedKernel& kernel : ShippedKernels()) {
    const ShippedRun run = RunShipped(MakeSimulator(kernel.cores), kernel);
    EXPECT_THAT(run.report, IsClean()) << kernel.name;
    EXPECT_TRUE(run.report.proved) << kernel.name;
    EXPECT_TRUE(run.report.notes.empty()) << kernel.name << ": " << run.report.notes[0].ToString();
  }
}

TEST_P(ShippedKernelsTest, ComputeTheSameWithoutTheChecker) {
  for (const ShippedKernel& kernel : ShippedKernels()) {
    const ShippedRun with = RunShipped(MakeSimulator(kernel.cores), kernel);
    SimulatorOptions options = OptionsFor(kernel.cores);
    options.check = false;
    const ShippedRun without = RunShipped(MakeSimulator(options), kernel);
    EXPECT_THAT(without.report, IsClean()) << kernel.name;
    EXPECT_EQ(with.results, without.results) << kernel.name;
  }
}

// Each run under a seed of its own, on one simulator for each few hundred; `runs` in all.
void ExpectCleanRuns(int runs) {
  const std::vector<ShippedKernel> kernels = ShippedKernels();
  const int each = runs / static_cast<int>(kernels.size()) + 1;
  uint64_t seed = 1;
  for (const ShippedKernel& kernel : kernels) {
    std::vector<Array> first;
    for (int i = 0; i < each; ++i, ++seed) {
      Simulator simulator({.cores = kernel.cores, .policy = Policy::Random(seed)});
      const ShippedRun run = RunShipped(simulator, kernel);
      ASSERT_TRUE(run.report.ok() && run.report.proved && run.report.notes.empty())
          << kernel.name << " under random(" << seed << "): " << run.report;
      if (i == 0) first = run.results;
      ASSERT_EQ(run.results, first) << kernel.name << " under random(" << seed << ")";
    }
  }
}

TEST(CleanRunsTest, AThousandRandomRunsAreClean) { ExpectCleanRuns(Times(1'000, 100)); }
TEST(LongCleanRunsTest, AHundredThousandRandomRunsAreClean) { ExpectCleanRuns(Times(100'000, 2'000)); }

}  // namespace
}  // namespace strandcore::testing
