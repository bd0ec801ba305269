// The main job's kernels (demo 03), scaled down: the same result under every seed and on any number of threads, and
// transfers that overlap bodies where there are threads for both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "demos/03_two_cores/jobs.h"
#include "runtime/testing/sanitizer.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

// Arrays of 32 x 32: 16 steps of the multiply, 64 of the matmul.
constexpr int64_t kSmallBlock = 8;

const Schedule& ScheduleOf(int run) { return run % 2 == 0 ? Schedule::Default() : Schedule::Fixed(); }

// Each seed runs both jobs, on a simulator of its own.
void ExpectSameUnderSeeds(int seeds) {
  const Job jobs[] = {MultiplyJob(kSmallBlock), MatmulJob(kSmallBlock)};
  for (int seed = 0; seed < seeds; ++seed) {
    Simulator simulator({.cores = 2, .policy = Policy::Random(static_cast<uint64_t>(seed))});
    for (const Job& job : jobs) {
      const JobRun run = RunJob(simulator, job, ScheduleOf(seed / 2));
      ASSERT_TRUE(run.right) << job.name << " under random(" << seed << "): " << run.report;
      ASSERT_EQ(run.report.counters.overlapped_transfers, 0);
    }
    ASSERT_EQ(simulator.held(), 0);
  }
}

// Runs both jobs `runs` times on each number of threads.
void ExpectSameOnThreads(int runs) {
  const Job jobs[] = {MultiplyJob(kSmallBlock), MatmulJob(kSmallBlock)};
  for (int threads : {1, 2, 4}) {
    Simulator simulator({.cores = 2, .threads = threads});
    for (int i = 0; i < runs; ++i) {
      for (const Job& job : jobs) {
        const JobRun run = RunJob(simulator, job, ScheduleOf(i));
        ASSERT_TRUE(run.right) << job.name << " on " << threads << " threads, run " << i << ": " << run.report;
      }
    }
    ASSERT_EQ(simulator.held(), 0);
  }
}

TEST(TwoCoresTest, GiveTheSameUnderFiftySeeds) { ExpectSameUnderSeeds(Times(50, 10)); }
TEST(TwoCoresTest, GiveTheSameInTwentyThreadedRuns) { ExpectSameOnThreads(Times(20, 4)); }

TEST(LongTwoCoresTest, GiveTheSameUnderTenThousandSeeds) { ExpectSameUnderSeeds(Times(10'000, 200)); }
TEST(LongTwoCoresTest, GiveTheSameInAThousandThreadedRuns) { ExpectSameOnThreads(Times(1'000, 50)); }

class TwoCoresOverlapTest : public ScheduleTest {
 protected:
  // Whether a transfer of the job overlapped a body in one of `runs` runs. A busy host may give the threads no CPU at
  // the same time for the length of a run or more, hence several.
  bool Overlaps(const Job& job, int runs) {
    Simulator& simulator = MakeSimulator(/*cores=*/2);
    for (int i = 0; i < runs; ++i) {
      const JobRun run = RunJob(simulator, job, ScheduleOf(i));
      EXPECT_TRUE(run.right) << job.name << ": " << run.report;
      if (run.report.counters.overlapped_transfers > 0) return true;
    }
    return false;
  }
};
STRANDCORE_ON_EVERY_BACKEND(TwoCoresOverlapTest);

TEST_P(TwoCoresOverlapTest, BodiesAndTransfersOverlapWhereThereAreThreadsForBoth) {
  if (backend().dma == DmaMode::kHelp) GTEST_SKIP() << "a core that copies its own transfers runs no body meanwhile";
  if (backend().one_thread()) {
    EXPECT_FALSE(Overlaps(MultiplyJob(kSmallBlock), 2));
    EXPECT_FALSE(Overlaps(MatmulJob(kSmallBlock), 2));
  } else {
    EXPECT_TRUE(Overlaps(MultiplyJob(Times(256, 128)), Times(500, 100)));
    EXPECT_TRUE(Overlaps(MatmulJob(Times(64, 32)), Times(500, 100)));
  }
}

}  // namespace
}  // namespace strandcore::testing
