// What goes wrong while a pipeline runs: deadlocks, blocks that are not there, bodies that throw. Reports name what
// the author of the kernel needs to see; afterwards nothing is held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PipelineFaultsTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(PipelineFaultsTest);

// P29: two cycles, between which nothing is prefetched.
RefFunction WithoutPrefetch() {
  const Pipeline pipeline = Emit(Copy<float>, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  return [pipeline](KernelContext& core, Ref x, Ref y) {
    auto half = [](const Ref& ref, int64_t i) { return ref.At(Ds(32 * i, 32)); };
    Allocations allocations = pipeline.MakeAllocations(core, {half(x, 0), half(y, 0)});
    for (int cycle : {0, 1}) {
      pipeline(core, {half(x, cycle), half(y, cycle)},
               {.allocations = &allocations, .first_cycle = cycle == 0, .last_cycle = cycle == 1});
    }
  };
}

TEST_P(PipelineFaultsTest, AMissingPrefetchIsADeadlockThatIsExplained) {
  Array x = Numbers(DType::kFloat32, {64, 128});
  Array y(DType::kFloat32, {64, 128});
  const RunReport report = Run(WithoutPrefetch(), {In("x", x), Out("y", y)});
  EXPECT_THAT(report, HasFault(FaultKind::kDeadlock, AllOf(HasSubstr("core 0, cycle 1, step (0,), wait_in of x"),
                                                           HasSubstr("x.recv holds 0 of 4,096 bytes"),
                                                           HasSubstr("no copy on it is in flight"),
                                                           HasSubstr("its prefetch callback did not prefetch x"))));
  ASSERT_EQ(report.faults[0].places.size(), 1u);
  EXPECT_EQ(report.faults[0].places[0].operand, "x");
  EXPECT_EQ(report.faults[0].places[0].phase, Phase::kWaitIn);
}

TEST_P(PipelineFaultsTest, EveryCoreThatWaitsIsNamed) {
  Array x = Numbers(DType::kFloat32, {64, 128});
  auto kernel = [](KernelContext& core, Ref x) {
    const Pipeline pipeline = Emit(Nothing, {.grid = {2}, .in_specs = {RowTile()}});
    pipeline(core, {x}, {.first_cycle = core.core_index() == 1});
  };
  EXPECT_THAT(Run(kernel, {In("x", x)}, 3),
              HasFault(FaultKind::kDeadlock, AllOf(HasSubstr("cores 0, 2, cycle 0, step (0,), wait_in of x"),
                                                   HasSubstr("all 2 cores that have not ended wait"))));
}

BlockSpec Mapped(IndexMap map) { return BlockSpec({8, 128}, std::move(map)); }

TEST_P(PipelineFaultsTest, ABlockPastTheEndIsOutOfBounds) {  // P03: elements instead of blocks
  Array x = Numbers(DType::kBfloat16, {8, 512});
  const Pipeline pipeline = Emit(Nothing, {.grid = {4}, .in_specs = {Mapped([](GridIndex g) {
                                                          return BlockIndex{0, 128 * g[0]};
                                                        })}});
  EXPECT_THAT(Run(Once(pipeline), {In("x", x)}),
              HasFault(FaultKind::kOutOfBounds,
                       AllOf(HasSubstr("operand x, grid point (1,)"), HasSubstr("block (0, 128)"),
                             HasSubstr("dimension 1 has blocks 0–3 of 128"), HasSubstr("the array is (8, 512)"),
                             HasSubstr("core 0, cycle 0, step (0,), copy_in of x"))));
}

TEST_P(PipelineFaultsTest, OfAnInputAndOfAnOutput) {  // P04
  Array x = Numbers(DType::kFloat32, {32, 128});
  Array y(DType::kFloat32, {32, 128});
  const BlockSpec late = Mapped([](GridIndex g) { return BlockIndex{g[0] == 3 ? 4 : g[0], 0}; });
  const Pipeline in = Emit(Copy<float>, {.grid = {4}, .in_specs = {late}, .out_specs = {RowTile()}});
  EXPECT_THAT(Run(Once(in), {In("x", x), Out("y", y)}),
              HasFault(FaultKind::kOutOfBounds, AllOf(HasSubstr("operand x, grid point (3,): block (4, 0)"),
                                                      HasSubstr("step (2,), copy_in of x"))));
  const Pipeline out = Emit(Copy<float>, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {late}});
  EXPECT_THAT(Run(Once(out), {In("x", x), Out("y", y)}),
              HasFault(FaultKind::kOutOfBounds,
                       AllOf(HasSubstr("operand y, grid point (3,): block (4, 0)"), HasSubstr("the array is (32, 128)"),
                             HasSubstr("step (3,), copy_out of y"))));
}

TEST_P(PipelineFaultsTest, ANegativeBlockIsOutOfBounds) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  const Pipeline pipeline = Emit(Nothing, {.grid = {2}, .in_specs = {Mapped([](GridIndex g) {
                                                          return BlockIndex{g[0] - 1, 0};
                                                        })}});
  EXPECT_THAT(Run(Once(pipeline), {In("x", x)}),
              HasFault(FaultKind::kOutOfBounds, AllOf(HasSubstr("operand x, grid point (0,): block (-1, 0)"),
                                                      HasSubstr("given -1"), HasSubstr("initialize of x"))));
}

TEST_P(PipelineFaultsTest, ABodyThatThrowsIsNamed) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  auto body = [](KernelContext& core, Ref) {
    if (core.ProgramId(0) == 2) throw std::runtime_error("spilt");
  };
  const RunReport report = Run(Once(Emit(body, {.grid = {4}, .in_specs = {RowTile()}})), {In("x", x)});
  EXPECT_THAT(report, HasFault(FaultKind::kKernelError,
                               AllOf(HasSubstr("spilt"), HasSubstr("core 0, cycle 0, step (2,), body"))));
}

TEST_P(PipelineFaultsTest, ABodyWhoseCheckFailsIsNamed) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  auto body = [](KernelContext& core, Ref) { core.Check(core.ProgramId(0) < 2, "only two steps"); };
  const RunReport report = Run(Once(Emit(body, {.grid = {4}, .in_specs = {RowTile()}})), {In("x", x)});
  EXPECT_THAT(report,
              HasFault(FaultKind::kKernelError, AllOf(HasSubstr("only two steps"), HasSubstr("step (2,), body"))));
}

TEST_P(PipelineFaultsTest, ACallbackThatThrowsIsNamed) {
  const Pipeline pipeline = Emit(Nothing, {.grid = {3}});
  auto throws = [](BufferedRefs, Scheduler&) { throw std::runtime_error("spilt"); };
  EXPECT_THAT(Run(Once(pipeline, {.prefetch = throws})),
              HasFault(FaultKind::kKernelError, HasSubstr("core 0, cycle 0, step (2,), prefetch")));
  EXPECT_THAT(Run(Once(pipeline, {.postyeet = throws})),
              HasFault(FaultKind::kKernelError, HasSubstr("core 0, cycle 0, step (0,), postyeet")));
}

TEST_P(PipelineFaultsTest, AFailureOnOneCoreStopsTheOthers) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  auto body = [](KernelContext& core, Ref) {
    if (core.core_index() == 1) throw std::runtime_error("spilt");
    core.RunScoped([&](SemaphoreRef never) { core.Wait(never); }, RegularSemaphore());
  };
  const Pipeline pipeline = Emit(body, {.grid = {4}, .in_specs = {RowTile()}});
  auto kernel = [&](KernelContext& core, Ref x) { pipeline(core, {x}); };
  EXPECT_THAT(Run(kernel, {In("x", x)}, 2), HasFault(FaultKind::kKernelError, HasSubstr("core 1")));
}

TEST_P(PipelineFaultsTest, BuffersThatDoNotFitAreNamed) {
  Array x = Numbers(DType::kFloat32, {64, 128});
  SimulatorOptions options = {.vmem_bytes = 12 * 1024};
  const Pipeline pipeline = Emit(Nothing, {.grid = {4}, .in_specs = {BlockSpec({16, 128}, Picking({0, -1}))}});
  EXPECT_THAT(
      MakeSimulator(options).Run(Once(pipeline), {In("x", x)}),
      HasFault(FaultKind::kCapacity, AllOf(HasSubstr("VMEM of core 0 is full"),
                                           HasSubstr("operand x: 2 buffers × 8,192 bytes, (16, 128) float32"))));
}

TEST_P(PipelineFaultsTest, ACaughtExceptionLeavesThePipelineUsable) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  Array y(DType::kFloat32, {32, 128});
  auto body = [](KernelContext& core, Ref) {
    if (core.ProgramId(0) == 1) throw std::runtime_error("spilt");
  };
  const Pipeline throws = Emit(body, {.grid = {4}, .in_specs = {RowTile()}});
  const Pipeline copies = Emit(Copy<float>, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    try {
      throws(core, {x});
    } catch (const std::runtime_error&) {
      core.Check(core.NumPrograms(0) == 1, "the grid is the launch's again");
    }
    copies(core, {x, y});
  };
  // (The checker would say that the copies of the pipeline that was left midway were not waited for.)
  SimulatorOptions options = OptionsFor(1);
  options.check = false;
  ASSERT_THAT(MakeSimulator(options).Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace strandcore::testing
