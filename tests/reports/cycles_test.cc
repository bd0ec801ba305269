// Invocations that share buffers, and which schedule they need (field_reports.md P30). P29 is in tests/pipeline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// z += x in three cycles of one step over one block each; what the next cycle waits for is prefetched, as far as the
// schedule wants it.
RefFunction ThreeCycles(const Schedule& schedule, bool init) {
  auto body = [](KernelContext&, Ref x, Ref z) { z.Write<float>() = x.Read<float>(); };
  const Pipeline pipeline = Emit(
      body,
      {.grid = {1, 1, 1}, .in_specs = {StayingTile()}, .out_specs = {StayingTile()}, .should_accumulate_out = true});
  return [=](KernelContext& core, Refs refs) {
    Allocations buffers = pipeline.MakeAllocations(core, refs);
    for (int cycle = 0; cycle < 3; ++cycle) {
      auto prefetch = [&](BufferedRefs all, Scheduler& scheduler) {
        for (size_t i = 0; i < all.size(); ++i) scheduler.Prefetch(all[i], refs[i], schedule);
      };
      pipeline(core, refs,
               {.allocations = &buffers,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == 2,
                .init_accumulators = init && cycle == 0,
                .prefetch = prefetch,
                .schedule = schedule});
    }
  };
}

class ThreeCyclesReportTest : public ReportTest {
 protected:
  RunReport RunCycles(const Schedule& schedule, bool init) {
    return Run(ThreeCycles(schedule, init), {In("x", x), InOut("z", z)});
  }
  Array x = Integers(kF32, {8, 128}, 1);
  Array z = Integers(kF32, {8, 128}, 2);
};
STRANDCORE_ON_EVERY_BACKEND(ThreeCyclesReportTest);

TEST_P(ThreeCyclesReportTest, P30UnderDefaultThePrefetchOfTheNextCycleRacesWithTheCopyOutInHbm) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const RunReport report = RunCycles(Schedule::Default(), /*init=*/false);
  EXPECT_THAT(report,
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy-out writes z while a copy-in is still reading it"),
                                              HasSubstr("cycle 0, step (0, 0, 0), prefetch"), HasSubstr("copy_out"))));
}

TEST_P(ThreeCyclesReportTest, P30UnderFixedTheSumStaysAndTravelsOnceInAndOnceOut) {
  const Array before = z;
  const RunReport report = RunCycles(Schedule::Fixed(), /*init=*/false);
  EXPECT_THAT(report, IsProved());
  EXPECT_TRUE((z.Matrix<float>() == before.Matrix<float>() + 3.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.CountersOf("z").copies_in, 1);
  EXPECT_EQ(report.CountersOf("z").copies_out, 1);
}

TEST_P(ThreeCyclesReportTest, P30TheInitFlagSkipsTheCopyInAndItsWaitTogether) {
  const RunReport report = RunCycles(Schedule::Fixed(), /*init=*/true);
  EXPECT_THAT(report, IsProved());
  EXPECT_TRUE((z.Matrix<float>() == 3.0f * x.Matrix<float>()).all());
  EXPECT_EQ(report.CountersOf("z").copies_in, 0);
  EXPECT_EQ(report.counters.waits, 2);
}

}  // namespace
}  // namespace strandcore::testing
