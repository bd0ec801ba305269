// Several invocations over the same allocations: prefetch, postyeet, and what stays in VMEM between them
// (seed_pipeline.md 1.9, 1.10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

using CyclesTest = ScheduleTest;
STRANDCORE_ON_EVERY_BACKEND(CyclesTest);

// The 16 rows of cycle i.
Ref Part(const Ref& ref, int64_t cycle) { return ref.At(Ds(16 * cycle, 16)); }

// Copies x to y in three cycles of two blocks, over allocations that `make` makes.
RefFunction ThreeCopyCycles(const Pipeline& pipeline, std::function<Allocations(KernelContext&, Refs)> make) {
  return [=](KernelContext& core, Ref x, Ref y) {
    Allocations allocations = make(core, {Part(x, 0), Part(y, 0)});
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      auto prefetch = [&](BufferedRefs all, Scheduler& s) {
        if (cycle < 2) s.Prefetch(all[0], Part(x, cycle + 1));
      };
      pipeline(
          core, {Part(x, cycle), Part(y, cycle)},
          {.allocations = &allocations, .first_cycle = cycle == 0, .last_cycle = cycle == 2, .prefetch = prefetch});
    }
    core.Check(allocations.cycles == 3, "three cycles");
  };
}

const PipelineOptions kCopyOptions = {.grid = {2}, .in_specs = {RowTile()}, .out_specs = {RowTile()}};

TEST_P(CyclesTest, FuseOverAllocationsOfThePipeline) {
  Array x = Numbers(DType::kFloat32, {48, 128});
  Array y(DType::kFloat32, {48, 128});
  const Pipeline pipeline = Emit(Copy<float>, kCopyOptions);
  auto make = [&](KernelContext& core, Refs refs) { return pipeline.MakeAllocations(core, refs); };
  const RunReport report = Run(ThreeCopyCycles(pipeline, make), {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.counters.transfers, 12);
  EXPECT_EQ(report.counters.waits, 12);
}

TEST_P(CyclesTest, FuseOverAllocationsThatCameWithThePipeline) {
  Array x = Numbers(DType::kFloat32, {48, 128});
  Array y(DType::kFloat32, {48, 128});
  absl::StatusOr<PipelineWithAllocations> both = EmitPipelineWithAllocations(Copy<float>, kCopyOptions);
  ASSERT_TRUE(both.ok()) << both.status();
  ASSERT_THAT(Run(ThreeCopyCycles(both->pipeline, both->make_allocations), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(CyclesTest, APipelineWithoutSpecsTakesThoseOfItsAllocations) {
  Array x = Numbers(DType::kFloat32, {48, 128});
  Array y(DType::kFloat32, {48, 128});
  const Pipeline specs = Emit(Nothing, kCopyOptions);
  const Pipeline bare = Emit(Copy<float>, {.grid = {2}});
  auto make = [&](KernelContext& core, Refs refs) { return specs.MakeAllocations(core, refs); };
  ASSERT_THAT(Run(ThreeCopyCycles(bare, make), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(CyclesTest, MayHaveGridsOfTheirOwn) {
  Array x = Numbers(DType::kFloat32, {48, 128});
  Array y(DType::kFloat32, {48, 128});
  auto kernel = [&](KernelContext& core, Ref x, Ref y) {
    const Pipeline whole = Emit(Copy<float>, kCopyOptions);
    Allocations allocations = whole.MakeAllocations(core, {x, y});
    int64_t row = 0;
    for (int64_t blocks : {1, 3, 2}) {
      auto rows = [&](const Ref& ref, int64_t from, int64_t count) { return ref.At(Ds(8 * from, 8 * count)); };
      const Pipeline pipeline = Emit(Copy<float>, {.grid = {Dynamic(blocks)}});
      const int64_t next = row + blocks;
      pipeline(core, {rows(x, row, blocks), rows(y, row, blocks)},
               {.allocations = &allocations,
                .first_cycle = row == 0,
                .last_cycle = next == 6,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], rows(x, next % 6, 1)); }});
      row = next;
    }
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  EXPECT_EQ(x, y);
}

TEST_P(CyclesTest, CallTheirCallbacksOnceEach) {
  std::vector<std::string> calls;
  const Pipeline pipeline = Emit(Nothing, {.grid = {3}});
  auto kernel = [&](KernelContext& core) {
    Allocations allocations = pipeline.MakeAllocations(core, {});
    for (bool first : {true, false}) {
      auto say = [&](const char* what) {
        return [&calls, what](BufferedRefs all, Scheduler& s) {
          EXPECT_TRUE(all.empty());
          calls.push_back(absl::StrCat(what, " ", s.first_cycle() ? 0 : 1, " at ", s.step()));
        };
      };
      pipeline(core, {},
               {.allocations = &allocations,
                .first_cycle = first,
                .last_cycle = !first,
                .prefetch = say("prefetch"),
                .postyeet = say("postyeet")});
    }
  };
  ASSERT_THAT(Run(kernel), IsClean());
  EXPECT_THAT(calls, ElementsAre("postyeet 0 at 0", "prefetch 0 at 2", "postyeet 1 at 0", "prefetch 1 at 2"));
}

TEST_P(CyclesTest, PostyeetComesWhenThePreviousOutputHasArrived) {
  Array x = Numbers(DType::kFloat32, {32, 128});
  Array y(DType::kFloat32, {32, 128}), echo(DType::kFloat32, {16, 128});
  const Pipeline pipeline = Emit(Copy<float>, kCopyOptions);
  auto kernel = [&](KernelContext& core, Ref x, Ref y, Ref echo) {
    Allocations allocations = pipeline.MakeAllocations(core, {Part(x, 0), Part(y, 0)});
    for (int64_t cycle : {0, 1}) {
      auto postyeet = [&](BufferedRefs, Scheduler& s) {
        if (!s.first_cycle()) core.SyncCopy(Part(y, 0), echo);
      };
      pipeline(core, {Part(x, cycle), Part(y, cycle)},
               {.allocations = &allocations,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 1,
                .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], Part(x, 1)); },
                .postyeet = postyeet});
    }
  };
  ASSERT_THAT(Run(kernel, {In("x", x), Out("y", y), Out("echo", echo)}), IsClean());
  EXPECT_EQ(x, y);
  EXPECT_TRUE((echo.Matrix<float>() == x.Matrix<float>().topRows(16)).all());
}

// z[cycle] += x[cycle] in four cycles of one step; the accumulator is another buffer in each. Its prefetch in the
// normal place would hit a slot that is still being copied out (quirk Q1), so it is deferred to postyeet.
void DeferredPrefetch(KernelContext& core, const Ref& x, const Ref& z) {
  const Pipeline pipeline =
      Emit(Copy<float>,
           {.grid = {1}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  Allocations allocations = pipeline.MakeAllocations(core, {x.At(0), z.At(0)});
  for (int64_t cycle = 0; cycle < 4; ++cycle) {
    const int64_t next = (cycle + 1) % 4;
    pipeline(core, {x.At(cycle), z.At(cycle)},
             {.allocations = &allocations,
              .first_cycle = cycle == 0,
              .last_cycle = cycle == 3,
              .prefetch = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[0], x.At(next)); },
              .postyeet = [&](BufferedRefs all, Scheduler& s) { s.Prefetch(all[1], z.At(next)); }});
  }
}

TEST_P(CyclesTest, OfOneStepMayPrefetchFromPostyeet) {
  Array x = Numbers(DType::kFloat32, {4, 8, 128});
  Array z = Numbers(DType::kFloat32, {4, 8, 128}, 3);
  const Array before = z;
  const RunReport report = Run(DeferredPrefetch, {In("x", x), InOut("z", z)});
  ASSERT_THAT(report, IsClean());
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE((z.Matrix<float>({i}) == before.Matrix<float>({i}) + x.Matrix<float>({i})).all()) << "cycle " << i;
  }
  EXPECT_EQ(report.CountersOf("z").copies_in, 4);
  EXPECT_EQ(report.CountersOf("z").copies_out, 4);
  EXPECT_EQ(report.counters.waits, report.counters.transfers);
}

// Adds x to z in `cycles` cycles of `steps` steps over one block, everything under one schedule.
RefFunction Accumulating(int64_t cycles, int64_t steps, const Schedule& schedule, bool init) {
  auto body = [](KernelContext& core, Ref x, Ref z) {
    if (core.ProgramId(0) == 0) z.Write<float>().setZero();
    z.ReadWrite<float>() += x.Read<float>();
  };
  const Pipeline pipeline =
      Emit(body,
           {.grid = {steps}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  return [=](KernelContext& core, Refs refs) {
    Allocations allocations = pipeline.MakeAllocations(core, refs);
    for (int64_t cycle = 0; cycle < cycles; ++cycle) {
      auto prefetch = [&](BufferedRefs all, Scheduler& s) {
        for (size_t i = 0; i < all.size(); ++i) s.Prefetch(all[i], refs[i], schedule);
      };
      pipeline(core, refs,
               {.allocations = &allocations,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == cycles - 1,
                .init_accumulators = init && cycle == 0,
                .prefetch = prefetch,
                .schedule = schedule});
    }
  };
}

TEST_P(CyclesTest, UnderFixedABlockThatStaysTravelsOnceInAndOnceOut) {  // P30
  for (int64_t steps : {1, 2}) {
    Array x = Numbers(DType::kFloat32, {8, 128}), z = Numbers(DType::kFloat32, {8, 128}, 3);
    const Array before = z;
    const RunReport report =
        Run(Accumulating(3, steps, Schedule::Fixed(), /*init=*/false), {In("x", x), InOut("z", z)});
    ASSERT_THAT(report, IsClean());
    EXPECT_EQ(report.CountersOf("x").copies_in, 1);
    EXPECT_EQ(report.CountersOf("z").copies_in, 1);
    EXPECT_EQ(report.CountersOf("z").copies_out, 1);
    const float times = static_cast<float>(3 * steps);
    EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + times * x.Matrix<float>()).all());
  }
}

TEST_P(CyclesTest, InitialisingSkipsTheCopyInAndItsWaitTogether) {
  Array x = Numbers(DType::kFloat32, {8, 128}), z = Numbers(DType::kFloat32, {8, 128}, 3);
  const RunReport report = Run(Accumulating(3, 1, Schedule::Fixed(), /*init=*/true), {In("x", x), InOut("z", z)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(report.CountersOf("z").copies_in, 0);
  EXPECT_EQ(report.counters.waits, 2);
  EXPECT_TRUE((z.Matrix<float>() == 3.0f * x.Matrix<float>()).all());
}

TEST_P(CyclesTest, UnderFixedALaterInitForgetsAKeptSum) {  // quirk Q13
  Array z = Numbers(DType::kFloat32, {8, 128});
  auto body = [](KernelContext&, Ref z) { z.Write<float>().setConstant(5); };
  const Pipeline pipeline = Emit(body, {.grid = {1}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  auto kernel = [&](KernelContext& core, Refs refs) {
    Allocations allocations = pipeline.MakeAllocations(core, refs);
    for (bool first : {true, false}) {
      pipeline(core, refs,
               {.allocations = &allocations,
                .first_cycle = first,
                .last_cycle = !first,
                .init_accumulators = !first,
                .schedule = Schedule::Fixed()});
    }
  };
  ASSERT_THAT(Run(kernel, {InOut("z", z)}), IsClean());
  EXPECT_TRUE((z.Matrix<float>() == 5.0f).all());
}

TEST_P(CyclesTest, ASelfContainedInvocationMayBeRepeated) {
  Array x = Numbers(DType::kFloat32, {16, 128});
  Array y(DType::kFloat32, {16, 128});
  const Pipeline pipeline = Emit(Copy<float>, kCopyOptions);
  auto kernel = [&](KernelContext& core, Refs refs) {
    Allocations allocations = pipeline.MakeAllocations(core, refs);
    for (int i = 0; i < 3; ++i) pipeline(core, refs, {.allocations = &allocations});
  };
  const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
  ASSERT_THAT(report, IsClean());
  EXPECT_EQ(x, y);
  EXPECT_EQ(report.CountersOf("x").copies_in, 6);
}

}  // namespace
}  // namespace strandcore::testing
