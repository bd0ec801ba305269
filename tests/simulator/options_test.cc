// What Simulator and Run refuse before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"
#include "tests/simulator/support.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string RefusalOf(const SimulatorOptions& options) {
  Simulator simulator(options);
  EXPECT_EQ(simulator.status().code(), absl::StatusCode::kInvalidArgument);
  // A run says the same, and runs nothing.
  bool ran = false;
  const RunReport report = simulator.Run([&](KernelContext&) { ran = true; }, {});
  EXPECT_EQ(report.status, simulator.status());
  EXPECT_FALSE(ran);
  EXPECT_EQ(simulator.held(), 0);
  return std::string(simulator.status().message());
}

TEST(SimulatorOptionsTest, OutsideTheirRangesAreRefused) {
  EXPECT_EQ(RefusalOf({.cores = 0}), "option cores: expected 1 to 16384, given 0");
  EXPECT_EQ(RefusalOf({.cores = 16385}), "option cores: expected 1 to 16384, given 16385");
  EXPECT_EQ(RefusalOf({.engines = -1}), "option engines: expected 0 to 1024, given -1");
  EXPECT_EQ(RefusalOf({.threads = -1}), "option threads: expected 0 to 256, given -1");
  EXPECT_EQ(RefusalOf({.threads = 257}), "option threads: expected 0 to 256, given 257");
  EXPECT_EQ(RefusalOf({.stack_bytes = 4096}), "option stack_bytes: expected 16384 to 1073741824, given 4096");
  EXPECT_EQ(RefusalOf({.vmem_bytes = -1}), "option vmem_bytes: expected 0 or more, given -1");
  EXPECT_EQ(RefusalOf({.smem_bytes = -2}), "option smem_bytes: expected 0 or more, given -2");
  EXPECT_EQ(RefusalOf({.hbm_bytes = -3}), "option hbm_bytes: expected 0 or more, given -3");
  EXPECT_EQ(RefusalOf({.step_limit = -4}), "option step_limit: expected 0 or more, given -4");
}

TEST(SimulatorOptionsTest, ThreadsAndAPolicyContradictEachOther) {
  EXPECT_EQ(RefusalOf({.threads = 2, .policy = Policy::Random(7)}),
            "options threads and policy contradict each other: a policy (random(7)) picks on one thread, given threads "
            "= 2");
}

TEST(SimulatorOptionsTest, HelpAndAPolicyContradictEachOther) {
  EXPECT_EQ(
      RefusalOf({.policy = Policy::OnWait(), .dma = DmaMode::kHelp}),
      "options dma and policy contradict each other: the policy (on_wait) picks when a copy goes on, so no core can "
      "help; expected threads > 0 with dma = kHelp, given 0");
  EXPECT_TRUE(Simulator({.threads = 1, .dma = DmaMode::kHelp}).status().ok());
}

TEST(SimulatorOptionsTest, EngineCountsAreAllRight) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  for (int engines : {0, 1, 2, 3, 64}) {
    for (int threads : {0, 2}) {
      Array y(DType::kFloat32, {8, 128});
      Simulator simulator({.cores = 3, .engines = engines, .threads = threads});
      auto kernel = [](KernelContext& core, Ref x, Ref y) {
        for (int i = 0; i < 20; ++i) {
          if (core.core_index() == 0) CopyAcross(core, x, y);
        }
      };
      EXPECT_THAT(simulator.Run(kernel, {In("x", x), Out("y", y)}), IsClean()) << engines << " engines";
      EXPECT_EQ(x, y);
    }
  }
}

TEST(RunRefusalTest, OfKernelsThatDoNotFitTheOperands) {
  const Array x(DType::kFloat32, {8, 128});
  EXPECT_THAT(RunOnce([](KernelContext&, Ref, Ref) {}, {In("x", x)}), IsRefused("kernel: it takes 2 refs, given 1"));
  EXPECT_THAT(RunOnce([](KernelContext&) {}, {In("x", x)}), IsRefused("kernel: it takes 0 refs, given 1"));
  EXPECT_THAT(RunOnce(RefFunction(), {}), IsRefused("kernel: expected a function, given none"));
  EXPECT_THAT(RunOnce([](KernelContext& core, Refs refs) { core.Check(refs.size() == 3, "three"); },
                      {In("a", x), In("b", x), In("c", x)}),
              IsClean());
}

TEST(RunRefusalTest, OfOperandsByName) {
  const Array x(DType::kFloat32, {8, 128}), bad(DType::kFloat32, {8, -1});
  Array y(DType::kFloat32, {8, 128});
  auto kernel = [](KernelContext&, Refs) {};
  EXPECT_THAT(RunOnce(kernel, {In("x", x), In("", x)}), IsRefused("operand 1: expected a name, given none"));
  EXPECT_THAT(RunOnce(kernel, {In("x", x), Out("y", y), Scratch("x", DType::kInt32, {2})}),
              IsRefused("operand 2: expected a name of its own, given x, which operand 0 has"));
  EXPECT_THAT(RunOnce(kernel, {In("x", bad)}), IsRefused("operand x: "));
  EXPECT_THAT(RunOnce(kernel, {In("x", x, MemorySpace::kVmem)}, 2),
              IsRefused("operand x: VMEM belongs to one core; expected HBM with 2 cores"));
  EXPECT_THAT(RunOnce(kernel, {Out("y", y, MemorySpace::kSmem)}, 2),
              IsRefused("operand y: SMEM belongs to one core; expected HBM with 2 cores"));
  EXPECT_THAT(RunOnce(kernel, {In("x", x, MemorySpace::kCmem)}),
              IsRefused("operand x: expected HBM, VMEM or SMEM, given CMEM"));
}

TEST(RunRefusalTest, OfOperandsThatDoNotFit) {
  const Array x(DType::kFloat32, {64, 128}), another = x;
  Simulator hbm({.hbm_bytes = 40'000});
  auto kernel = [](KernelContext&, Refs) {};
  EXPECT_THAT(
      hbm.Run(kernel, {In("a", x), In("b", another)}),
      HasFault(FaultKind::kCapacity, "capacity: HBM is full: operand b needs 32,768 bytes, 7,232 of 40,000 are free"));
  EXPECT_THAT(hbm.Run(kernel, {In("a", x)}), IsClean());
  EXPECT_THAT(hbm.Run(kernel, {In("a", x), In("b", x), In("c", x)}), IsClean()) << "one array is there once";
  Simulator vmem({.vmem_bytes = 40'000});
  const Operands both = {In("a", x, MemorySpace::kVmem), In("b", x, MemorySpace::kVmem)};
  EXPECT_THAT(vmem.Run(kernel, both),
              HasFault(FaultKind::kCapacity,
                       HasSubstr("operand b: 32,768 bytes, (64, 128) float32: does not fit, 7,232 are free")));
  EXPECT_THAT(vmem.Run(kernel, {both[1]}), IsClean()) << "what was laid out before is given back";
}

TEST(RunRefusalTest, LeavesTheCountersAtZero) {
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y(DType::kFloat32, {8, 128});
  Simulator simulator;
  EXPECT_THAT(simulator.Run(CopyAcross, {In("x", x), Out("y", y)}), IsClean());
  const RunReport report = simulator.Run(CopyAcross, {In("x", x)});
  EXPECT_THAT(report, IsRefused("it takes 2 refs, given 1"));
  EXPECT_EQ(report.counters, Counters()) << "those of the run before";
}

// (A sanitizer takes more address space than a limit could leave.)
#ifndef STRANDCORE_SANITIZED
TEST(RunRefusalTest, OfMoreStacksThanThereIsAddressSpace) {
  Simulator simulator({.cores = 20, .stack_bytes = int64_t{1} << 30});
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit low = {rlim_t{20} << 30, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  bool ran = false;
  Array y = Array::Full(DType::kFloat32, {8, 128}, 5);
  const RunReport report = simulator.Run([&](KernelContext&, Ref) { ran = true; }, {Out("y", y)});
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(report.ToString(), "capacity: no address space for 16 kernel stacks of 1073741824 bytes");
  EXPECT_FALSE(ran) << "no kernel begins where not all can";
  EXPECT_EQ(y.Get({7, 127}), 5) << "a launch that is refused leaves the arrays";
  EXPECT_EQ(simulator.held(), 0);
  EXPECT_THAT(simulator.Run([&](KernelContext&) { ran = true; }, {}), IsClean());
}
#endif

TEST(RunTest, AThousandCoresEachRunOnce) {
  for (int threads : {0, 2}) {
    Simulator simulator({.cores = 1000, .threads = threads});
    std::atomic<int> runs{0};
    EXPECT_THAT(simulator.Run([&](KernelContext&) { ++runs; }, {}), IsClean());
    EXPECT_EQ(runs.load(), 1000);
    EXPECT_EQ(simulator.held(), 0);
  }
}

}  // namespace
}  // namespace strandcore::testing
