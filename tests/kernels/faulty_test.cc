// Each faulty kernel is reported, and only for its own fault; its repaired twin is proved.
#include "kernels/faulty/faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/exec/agent_identity.h"
#include "runtime/testing/schedule_test.h"
#include "tests/kernels/support.h"

namespace strandcore::testing {
namespace {

class FaultyKernelsTest : public ScheduleTest {
 protected:
  RunReport RunOne(const FaultyKernel& kernel, bool repaired) {
    const Array x = SmallNumbers(FaultyKernelShape(), 3);
    Array y(DType::kFloat32, FaultyKernelShape());
    return Run(kernel.make(repaired), {In("x", x), Out("y", y)}, kernel.cores);
  }
};
STRANDCORE_ON_EVERY_BACKEND(FaultyKernelsTest);

// ThreadSanitizer sees these too, and ends the test.
bool IsARaceOfTheHost([[maybe_unused]] FaultKind fault) {
#ifdef STRANDCORE_TSAN
  return fault == FaultKind::kRace || fault == FaultKind::kUseAfterScope || fault == FaultKind::kTransferInFlightAtExit;
#else
  return false;
#endif
}

TEST_P(FaultyKernelsTest, AreReportedForTheirOwnFaultAlone) {
  for (const FaultyKernel& kernel : FaultyKernels()) {
    if (IsARaceOfTheHost(kernel.fault)) continue;
    EXPECT_THAT(RunOne(kernel, /*repaired=*/false), HasFault(kernel.fault)) << kernel.name;
  }
}

TEST_P(FaultyKernelsTest, AreProvedWhenRepaired) {
  for (const FaultyKernel& kernel : FaultyKernels()) {
    const RunReport report = RunOne(kernel, /*repaired=*/true);
    EXPECT_THAT(report, IsClean()) << kernel.name;
    EXPECT_TRUE(report.proved) << kernel.name;
    EXPECT_THAT(report.notes, ::testing::IsEmpty()) << kernel.name;
  }
}

}  // namespace
}  // namespace strandcore::testing
