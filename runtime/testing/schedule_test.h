// ScheduleTest: a fixture for tests that run kernels. Each test runs on every backend (backend.h); afterwards every
// simulator it has made must hold nothing: memory, semaphores and fibers are gone, however the runs ended.
//
//   using CopyTest = strandcore::testing::ScheduleTest;
//   STRANDCORE_ON_EVERY_BACKEND(CopyTest);
//
//   TEST_P(CopyTest, MovesItsBytes) {
//     Array x = Array::Iota(DType::kFloat32, {8, 128}), y(DType::kFloat32, {8, 128});
//     EXPECT_THAT(Run([](KernelContext& core, Ref x, Ref y) { core.SyncCopy(x, y); }, {In("x", x), Out("y", y)}),
//                 IsClean());
//     EXPECT_EQ(x, y);
//   }
//
// EXPECT and ASSERT may stand inside kernels and bodies; what fails there is followed by a line that names core, grid
// point and phase. A test that fails says which policy, threads and seed it ran on. One core's kernels and bodies run
// one after another, but those of different cores at once, so what they share must allow that.
#ifndef STRANDCORE_RUNTIME_TESTING_SCHEDULE_TEST_H_
#define STRANDCORE_RUNTIME_TESTING_SCHEDULE_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/core/ref_function.h"
#include "runtime/simulator/operand.h"
#include "runtime/simulator/run_report.h"
#include "runtime/simulator/simulator.h"
#include "runtime/testing/backend.h"
#include "runtime/testing/matchers.h"

namespace strandcore::testing {

class ScheduleTest : public ::testing::TestWithParam<Backend> {
 protected:
  ScheduleTest();

  const Backend& backend() const { return GetParam(); }
  SimulatorOptions OptionsFor(int cores) const;

  // A simulator on the test's backend, which lives as long as the test and is checked at its end.
  Simulator& MakeSimulator(const SimulatorOptions& options);
  Simulator& MakeSimulator(int cores = 1) { return MakeSimulator(OptionsFor(cores)); }

  // One run on a simulator of its own.
  RunReport Run(const RefFunction& kernel, const Operands& operands = {}, int cores = 1) {
    return MakeSimulator(cores).Run(kernel, operands);
  }

  void TearDown() override;

 private:
  std::vector<std::unique_ptr<Simulator>> simulators_;
};

// One run on a simulator of its own with the policy eager: for tests that say the same on every backend, such as the
// text of a refusal.
RunReport RunOnce(const RefFunction& kernel, const Operands& operands = {}, int cores = 1);

// What fails inside a kernel is followed by where it failed. ScheduleTest asks for it; other tests may.
void NameKernelsInFailures();

}  // namespace strandcore::testing

#define STRANDCORE_ON_BACKENDS(suite, backends)                      \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(backends), \
                           [](const auto& info) { return ::strandcore::testing::BackendName(info.param); })
#define STRANDCORE_ON_EVERY_BACKEND(suite) STRANDCORE_ON_BACKENDS(suite, ::strandcore::testing::AllBackends())
#define STRANDCORE_ON_EVERY_POLICY(suite) STRANDCORE_ON_BACKENDS(suite, ::strandcore::testing::PolicyBackends())

#endif  // STRANDCORE_RUNTIME_TESTING_SCHEDULE_TEST_H_
