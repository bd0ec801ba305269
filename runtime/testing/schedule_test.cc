#include "runtime/testing/schedule_test.h"

#include <cstdio>
#include <mutex>

#include "runtime/core/kernel_context.h"

namespace strandcore::testing {
namespace {

// Called on the thread on which the assertion failed, that is on the kernel's.
class KernelNamer final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    const KernelContext* kernel = CurrentKernel();
    if (kernel == nullptr || !result.failed()) return;
    std::printf("  in %s\n", kernel->Where(Site{}).ToString().c_str());
    std::fflush(stdout);
  }
};

}  // namespace

void NameKernelsInFailures() {
  static std::once_flag once;
  std::call_once(once, [] { ::testing::UnitTest::GetInstance()->listeners().Append(new KernelNamer); });
}

ScheduleTest::ScheduleTest() { NameKernelsInFailures(); }

SimulatorOptions ScheduleTest::OptionsFor(int cores) const {
  SimulatorOptions options;
  options.cores = cores;
  return backend().Apply(options);
}

Simulator& ScheduleTest::MakeSimulator(const SimulatorOptions& options) {
  simulators_.push_back(std::make_unique<Simulator>(backend().Apply(options)));
  EXPECT_TRUE(simulators_.back()->status().ok()) << simulators_.back()->status();
  return *simulators_.back();
}

void ScheduleTest::TearDown() {
  for (const auto& simulator : simulators_) EXPECT_EQ(simulator->held(), 0) << "memory, semaphores or fibers are left";
  if (HasFailure()) std::printf("  ran on: %s\n", backend().Describe().c_str());
}

RunReport RunOnce(const RefFunction& kernel, const Operands& operands, int cores) {
  NameKernelsInFailures();
  SimulatorOptions options;
  options.cores = cores;
  Simulator simulator(options);
  RunReport report = simulator.Run(kernel, operands);
  EXPECT_EQ(simulator.held(), 0);
  return report;
}

}  // namespace strandcore::testing
