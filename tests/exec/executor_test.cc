// Both executors: who steps when, and that a run ends exactly when nothing is posted.
#include "runtime/exec/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/exec/deterministic_executor.h"
#include "runtime/exec/threads_executor.h"
#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

class Worker final : public Agent {
 public:
  explicit Worker(std::function<void()> step) : Agent(Kind::kCore, 0), step_(std::move(step)) {}
  void Step() override { step_(); }

 private:
  const std::function<void()> step_;
};

std::unique_ptr<Executor> MakeExecutor(int threads) {
  if (threads > 0) return MakeThreadsExecutor(threads);
  return std::make_unique<DeterministicExecutor>(MakePickPolicy(Policy::Random(1)));
}

// By number of threads; 0: deterministic.
class ExecutorTest : public ::testing::TestWithParam<int> {
 protected:
  const std::unique_ptr<Executor> executor_ = MakeExecutor(GetParam());
};

INSTANTIATE_TEST_SUITE_P(On, ExecutorTest, ::testing::Values(0, 1, 2, 4), [](const auto& info) {
  return info.param == 0 ? std::string("deterministic") : "threads_" + std::to_string(info.param);
});

TEST_P(ExecutorTest, WithNothingPostedIsQuiet) {
  executor_->RunUntilQuiet();
  auto strand = executor_->MakeStrand();
  executor_->RunUntilQuiet();
}

TEST_P(ExecutorTest, StepsOnceForEachPost) {
  auto strand = executor_->MakeStrand();
  int steps = 0;
  Worker worker([&] {
    if (++steps < 1000) strand->Post(worker);
  });
  strand->Post(worker);
  executor_->RunUntilQuiet();
  EXPECT_EQ(steps, 1000);
}

// Agents of one strand share plain variables, as a core shares its memory with nobody else.
struct Exclusive {
  std::unique_ptr<Strand> strand;
  int64_t steps = 0;
  bool inside = false;
  bool overlapped = false;
  void Enter() {
    overlapped = overlapped || inside;
    inside = true;
    ++steps;
    inside = false;
  }
};

TEST_P(ExecutorTest, StepsOfOneStrandNeverOverlap) {
  constexpr int kStrands = 3, kAgents = 8;
  const int kSteps = Times(5000, 500);
  std::vector<Exclusive> strands(kStrands);
  std::vector<std::unique_ptr<Worker>> workers;
  for (Exclusive& own : strands) own.strand = executor_->MakeStrand();
  for (int i = 0; i < kStrands * kAgents; ++i) {
    Exclusive& own = strands[i % kStrands];
    auto self = std::make_shared<Worker*>();
    workers.push_back(std::make_unique<Worker>([&own, self, left = std::make_shared<int>(kSteps)] {
      own.Enter();
      if (--*left > 0) own.strand->Post(**self);
    }));
    *self = workers.back().get();
  }
  for (size_t i = 0; i < workers.size(); ++i) strands[i % kStrands].strand->Post(*workers[i]);
  executor_->RunUntilQuiet();
  for (const Exclusive& own : strands) {
    EXPECT_EQ(own.steps, int64_t{kAgents} * kSteps);
    EXPECT_FALSE(own.overlapped);
  }
}

// One hop after another over the strands, so that all but one of the threads have nothing to do, again and again.
TEST_P(ExecutorTest, IsQuietExactlyWhenTheLastStepHasEnded) {
  constexpr int kStrands = 4;
  std::vector<std::unique_ptr<Strand>> strands;
  std::vector<std::unique_ptr<Worker>> workers;
  int hops_left = 0;  // handed from step to step: no other order than the posts'
  for (int i = 0; i < kStrands; ++i) {
    strands.push_back(executor_->MakeStrand());
    workers.push_back(std::make_unique<Worker>([&, next = (i + 1) % kStrands] {
      if (--hops_left > 0) strands[next]->Post(*workers[next]);
    }));
  }
  for (int round = 0; round < Times(20000, 1000); ++round) {
    hops_left = 1 + round % 7;
    strands[round % kStrands]->Post(*workers[round % kStrands]);
    executor_->RunUntilQuiet();
    ASSERT_EQ(hops_left, 0) << "round " << round;
  }
}

TEST_P(ExecutorTest, ManyPostersAreAllServed) {
  auto target_strand = executor_->MakeStrand();
  int64_t served = 0;
  std::vector<std::unique_ptr<Worker>> targets, posters;
  std::vector<std::unique_ptr<Strand>> strands;
  for (int i = 0; i < 200; ++i) {
    targets.push_back(std::make_unique<Worker>([&] { ++served; }));
    strands.push_back(executor_->MakeStrand());
    posters.push_back(std::make_unique<Worker>([&, i] { target_strand->Post(*targets[i]); }));
  }
  for (int round = 1; round <= Times(100, 10); ++round) {
    for (int i = 0; i < 200; ++i) strands[i]->Post(*posters[i]);
    executor_->RunUntilQuiet();
    ASSERT_EQ(served, round * 200);
  }
}

TEST(ThreadsExecutorTest, RunsStepsAtTheSameTime) {
  auto executor = MakeThreadsExecutor(2);
  auto one = executor->MakeStrand(), two = executor->MakeStrand();
  // Each step ends only when the other has begun.
  std::atomic<int> begun{0};
  auto meet = [&] {
    begun.fetch_add(1);
    while (begun.load() < 2) {
    }
  };
  Worker a(meet), b(meet);
  one->Post(a);
  two->Post(b);
  executor->RunUntilQuiet();
  EXPECT_EQ(begun.load(), 2);
}

TEST(ExecutorTest, SaysWhoPicksTransfers) {
  EXPECT_FALSE(MakeThreadsExecutor(1)->PicksTransfers());
  DeterministicExecutor deterministic(MakePickPolicy(Policy::Eager()));
  EXPECT_TRUE(deterministic.PicksTransfers());
  EXPECT_EQ(deterministic.StepsPerTurn(), 1) << "every request is a choice point";
}

TEST(DeterministicExecutorTest, RestartForgetsTheSeedsProgress) {
  DeterministicExecutor executor(MakePickPolicy(Policy::Random(5)));
  auto strand = executor.MakeStrand();
  auto run = [&] {
    std::string order;
    executor.Restart();
    std::vector<std::unique_ptr<Worker>> workers;
    for (char c = 'a'; c <= 'z'; ++c) workers.push_back(std::make_unique<Worker>([&order, c] { order += c; }));
    for (auto& worker : workers) strand->Post(*worker);
    executor.RunUntilQuiet();
    return order;
  };
  const std::string first = run();
  EXPECT_EQ(first.size(), 26u);
  EXPECT_EQ(run(), first);
}

}  // namespace
}  // namespace strandcore::testing
