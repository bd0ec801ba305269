// What is said of the faulty kernels that stand for cases of the peer, and what their repaired twins compute
// (interpreter_cases.md W1 to W4, W6 to W9; tests/kernels/faulty_test.cc has all faulty kernels).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/faulty/faulty.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

struct Named {
  const char* id;
  const char* kernel;
  std::vector<const char*> words;
  // Of the repaired twin: block i of y is `factors[i]` times block `sources[i]` of x.
  int factors[2];
  int sources[2];
};

std::vector<Named> AllNamed() {
  return {
      {"W1",
       "two_copies_one_tile",
       {"a copy writes tiles while a copy is still filling it", "tiles, index 0", "has not waited first_done"},
       {1, 1},
       {0, 1}},
      {"W2",
       "slot_refilled_while_draining",
       {"a copy writes slot while a copy is still reading it", "has not waited drained"},
       {1, 1},
       {0, 1}},
      {"W3",
       "wrong_semaphore",
       {"the kernel reads tiles while a copy is still filling it", "tiles, index 0", "has not waited arrived[0]"},
       {2, 2},
       {0, 1}},
      {"W4",
       "one_wait_for_two_copies",
       {"the kernel reads tiles while a copy is still filling it", "the waits of core 0 on arrived",
        "may have been paid by the copy"},
       {2, 1},
       {0, 1}},
      {"W6", "never_waited", {"a copy to y may be in flight", "never_waited.cc:"}, {1, 1}, {0, 1}},
      {"W7",
       "scope_freed_under_a_copy",
       {"tile is freed while a copy may still be reading it", "has not waited sent"},
       {1, 1},
       {0, 1}},
      {"W8",
       "wait_for_more",
       {"nothing can run", "done holds 2 of 3 units", "core 0, kernel (wait_for_more.cc:"},
       {1, 1},
       {0, 1}},
      {"W9", "negative_index", {"operand x: a slice of dimension 0 has start -8; expected 0 or more"}, {1, 1}, {1, 0}},
  };
}

const FaultyKernel& KernelOf(const Named& named) {
  const auto kernels = FaultyKernels();
  return *std::find_if(kernels.begin(), kernels.end(),
                       [&](const FaultyKernel& kernel) { return std::string(kernel.name) == named.kernel; });
}

class PeerFaultyReportTest : public ReportTest {
 protected:
  const Array x = Array::Iota(kF32, FaultyKernelShape());
};
STRANDCORE_ON_EVERY_BACKEND(PeerFaultyReportTest);

TEST_P(PeerFaultyReportTest, W01ToW09AreSaidInTheWordsThatTheirAuthorsNeed) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (const Named& named : AllNamed()) {
    const FaultyKernel& kernel = KernelOf(named);
    for (DmaMode dma : {DmaMode::kOverlap, DmaMode::kSynchronous}) {
      SimulatorOptions options = OptionsFor(kernel.cores);
      if (dma == DmaMode::kSynchronous) options.dma = dma;
      Array y(kF32, FaultyKernelShape());
      const RunReport report = MakeSimulator(options).Run(kernel.make(/*repaired=*/false), {In("x", x), Out("y", y)});
      for (const char* words : named.words) EXPECT_THAT(report, HasOne(kernel.fault, HasSubstr(words))) << named.id;
    }
  }
}

TEST_P(PeerFaultyReportTest, W01ToW09AreRightToTheLastElementWhenRepaired) {
  for (const Named& named : AllNamed()) {
    Array y(kF32, FaultyKernelShape());
    EXPECT_THAT(Run(KernelOf(named).make(/*repaired=*/true), {In("x", x), Out("y", y)}, KernelOf(named).cores),
                IsProved());
    for (int block : {0, 1}) {
      const OwnedWindow<float> expected =
          static_cast<float>(named.factors[block]) * x.Matrix<float>().middleRows(8 * named.sources[block], 8);
      EXPECT_TRUE((y.Matrix<float>().middleRows(8 * block, 8) == expected).all()) << named.id << ", block " << block;
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
