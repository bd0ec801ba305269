// What no access shows of a pipeline: an output block that is come back to, an index map that changes its mind, and
// buffers that do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PipelineWatchTest : public ScheduleTest {
 protected:
  const Array x = Array::Iota(DType::kFloat32, {16, 128});
  Array y{DType::kFloat32, {16, 128}};

  static BlockSpec RowsBy(int axis) {
    return BlockSpec({8, 128}, [axis](GridIndex g) { return BlockIndex{g[axis], 0}; });
  }
  static void Copy(KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); }
};
STRANDCORE_ON_EVERY_BACKEND(PipelineWatchTest);

TEST_P(PipelineWatchTest, AnOutputBlockThatIsComeBackToIsReported) {
  for (int axis : {0, 1}) {
    const Pipeline pipeline =
        *EmitPipeline(Copy, {.grid = {2, 2}, .in_specs = {RowsBy(axis)}, .out_specs = {RowsBy(axis)}});
    const RunReport report = Run(pipeline, {In("x", x), Out("y", y)});
    if (axis == 0) {
      EXPECT_THAT(report, IsClean());
      EXPECT_TRUE(report.proved);
      continue;
    }
    EXPECT_THAT(report,
                HasFault(FaultKind::kRevisitedOutput,
                         AllOf(HasSubstr("the pipeline comes back to block (0, 0) of y after leaving it"),
                               HasSubstr("first visited at step (0, 0), left at step (0, 0), again at step "
                                         "(1, 0): what was written there is overwritten"),
                               HasSubstr("core 0, cycle 0, step (1, 0), copy_out of y (pipeline_watch_test.cc:"),
                               HasSubstr("2 times"))));
    EXPECT_FALSE(report.proved);
  }
}

// A new invocation begins anew; so does an inner pipeline at each step of the outer one.
TEST_P(PipelineWatchTest, EachInvocationIsByItself) {
  const Pipeline pipeline = *EmitPipeline(Copy, {.grid = {2}, .in_specs = {RowsBy(0)}, .out_specs = {RowsBy(0)}});
  auto twice = [&](KernelContext& core, Ref x, Ref y) {
    for (int i = 0; i < 2; ++i) pipeline(core, std::vector<Ref>{x, y});
  };
  EXPECT_THAT(Run(twice, {In("x", x), Out("y", y)}), IsClean());
  auto nested = [&](KernelContext& core, Ref x, Ref y) {
    const Pipeline steps = *EmitPipeline(
        [&](KernelContext& inner) {
          pipeline(inner, std::vector<Ref>{x, y});
        },
        {.grid = {2}});
    steps(core, {}, Invocation());
  };
  EXPECT_THAT(Run(nested, {In("x", x), Out("y", y)}), IsClean());
}

// What is copied in again when it is come back to loses nothing.
TEST_P(PipelineWatchTest, AccumulatorsMayComeBack) {
  auto add = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); };
  const Pipeline pipeline = *EmitPipeline(
      add, {.grid = {3, 2, 2}, .in_specs = {RowsBy(1)}, .out_specs = {RowsBy(1)}, .should_accumulate_out = true});
  y.Matrix<float>().setZero();
  auto kernel = [&](KernelContext& core, Ref x, Ref y) { pipeline(core, std::vector<Ref>{x, y}); };
  const RunReport report = Run(kernel, {In("x", x), InOut("y", y)});
  for (const Fault& fault : report.faults) EXPECT_NE(fault.kind, FaultKind::kRevisitedOutput);
}

TEST_P(PipelineWatchTest, CoresThatShareAGridVisitBlocksOfTheirOwn) {
  const Array wide = Array::Iota(DType::kFloat32, {32, 128});
  Array out(DType::kFloat32, {32, 128});
  for (int block_axis : {0, 1}) {
    const Pipeline pipeline = *EmitPipeline(Copy, {.grid = {block_axis == 0 ? 4 : 2, block_axis == 0 ? 2 : 4},
                                                   .in_specs = {RowsBy(block_axis)},
                                                   .out_specs = {RowsBy(block_axis)},
                                                   .core_axis = 0,
                                                   .dimension_semantics = {block_axis == 0 ? kParallel : kArbitrary,
                                                                           block_axis == 0 ? kArbitrary : kParallel}});
    const RunReport report = Run(pipeline, {In("x", wide), Out("y", out)}, /*cores=*/2);
    if (block_axis == 0) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report,
                  HasFault(FaultKind::kRevisitedOutput, AllOf(HasSubstr("block (0, 0) of y"), HasSubstr("4 times"))));
    }
  }
}

// The body rewrites the table that the next block's copy was started by.
TEST_P(PipelineWatchTest, AnIndexMapThatChangesItsMindUnderACopyIsNoted) {
  const Array ids = Array::Iota(DType::kInt32, {2}), three = Array::Iota(DType::kFloat32, {24, 128});
  for (bool rewrites : {true, false}) {
    auto kernel = [&](KernelContext& core, Ref ids, Ref x, Ref y) {
      core.RunScoped(
          [&](Ref table) {
            for (int64_t i = 0; i < 2; ++i) table.Set(ids.Get<int32_t>({i}), {i});
            auto body = [&](KernelContext& body_core, Ref from, Ref to) {
              to.Write<float>() = from.Read<float>();
              if (rewrites && body_core.ProgramId(0) == 0) table.Set<int32_t>(2, {1});
            };
            const BlockSpec by_table({8, 128}, [table](GridIndex g) {
              return BlockIndex{table.Get<int32_t>({g[0]}), 0};
            });
            (*EmitPipeline(body, {.grid = {2}, .in_specs = {by_table}, .out_specs = {RowsBy(0)}}))(
                core, std::vector<Ref>{x, y});
          },
          Smem({2}, DType::kInt32, "table"));
    };
    const RunReport report = Run(kernel, {In("ids", ids, MemorySpace::kSmem), In("x", three), Out("y", y)});
    std::vector<Note> unstable;
    for (const Note& note : report.notes) {
      if (note.kind == NoteKind::kUnstableIndex) unstable.push_back(note);
    }
    if (!rewrites) {
      EXPECT_THAT(report, IsClean());
      EXPECT_THAT(unstable, IsEmpty());
      continue;
    }
    ASSERT_THAT(unstable, SizeIs(1)) << report;
    EXPECT_THAT(unstable[0].ToString(),
                AllOf(HasSubstr("the index map of x said block (1, 0) when its copy was started at step (0,) and says "
                                "(2, 0) at its wait"),
                      HasSubstr("step (1,), wait_in of x")));
  }
}

// Both operands are told, also the one that fits.
TEST_P(PipelineWatchTest, BuffersThatDoNotFitAreListedByOperand) {
  const Pipeline pipeline = *EmitPipeline(Copy, {.grid = {2}, .in_specs = {RowsBy(0)}, .out_specs = {RowsBy(0)}});
  const std::string line = std::to_string(__LINE__ - 1);
  for (int64_t vmem_bytes : {12 * 1024, 16 * 1024}) {
    SimulatorOptions options = OptionsFor(1);
    options.vmem_bytes = vmem_bytes;
    const RunReport report = MakeSimulator(options).Run(pipeline, {In("x", x), Out("y", y)});
    if (vmem_bytes == 16 * 1024) {
      EXPECT_THAT(report, IsClean());
      continue;
    }
    EXPECT_EQ(report.ToString(),
              "capacity: VMEM of core 0 is full: 16,384 bytes are needed, the limit is 12,288\n"
              "  operand x: 2 buffers × 4,096 bytes, (8, 128) float32\n"
              "  operand y: 2 buffers × 4,096 bytes, (8, 128) float32: does not fit, 4,096 are free\n"
              "  at core 0, kernel (pipeline_watch_test.cc:" +
                  line + ")");
  }
}

}  // namespace
}  // namespace strandcore::testing
