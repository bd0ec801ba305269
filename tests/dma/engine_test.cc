#include "runtime/dma/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/dma/transfer.h"
#include "runtime/exec/deterministic_executor.h"
#include "runtime/exec/threads_executor.h"
#include "runtime/memory/window.h"
#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

using ::testing::ElementsAre;

// The numbers of the transfers in the order of their completion.
class Completions final : public Observer {
 public:
  void OnEvent(const Event& event) override {
    std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(event.kind, Event::Kind::kTransferDone);
    order.push_back(event.transfer);
  }
  std::vector<uint64_t> order;

 private:
  std::mutex mutex_;
};

class Worker final : public Agent {
 public:
  explicit Worker(std::function<void()> step) : Agent(Kind::kCore, 0), step_(std::move(step)) {}
  void Step() override { step_(); }

 private:
  const std::function<void()> step_;
};

std::unique_ptr<Allocation> Make(int64_t rows, Fill fill) {
  AllocationOptions options;
  options.name = "memory";
  options.shape = {rows, 128};
  options.dtype = DType::kInt32;
  options.fill = fill;
  return *Allocation::Make(options);
}

// Transfers of `rows` x 128 int32 each, number i to its own target; what a core would keep for them.
class Bench {
 public:
  Bench(std::unique_ptr<Executor> executor, int count, int64_t rows) : executor_(std::move(executor)), rows_(rows) {
    for (int i = 0; i < count; ++i) {
      sources_.push_back(Make(rows, Fill::kPoison));
      targets_.push_back(Make(rows, Fill::kZero));
      Ref(sources_.back().get()).Write<int32_t>() = i + 1;
      transfers_.push_back(std::make_unique<Transfer>());
    }
  }
  // Prepares and submits number i; what Submit says.
  bool Submit(int i, DmaEngine& engine) {
    transfers_[i]->request() = {Ref(sources_[i].get()), Ref(targets_[i].get()), SemaphoreRef(done).one()};
    transfers_[i]->Prepare(home_, i + 1, i + 1);
    SC_RELEASE(&transfers_[i]->start_token());
    return engine.Submit(*transfers_[i]);
  }
  void SubmitAndWake(int i, DmaEngine& engine) {
    if (Submit(i, engine)) engine.Wake();
  }
  int TakeReturned() {
    int count = 0;
    for (Transfer* list : {returns.TakeOwn(), returns.TakeAll()}) {
      for (; list != nullptr; list = list->next) ++count;
    }
    return count;
  }
  // All have completed: their bytes are where they belong, their semaphore is paid, they are back.
  void ExpectAllDone() {
    const int count = static_cast<int>(transfers_.size());
    EXPECT_EQ(TakeReturned(), count);
    EXPECT_EQ(done.at(0).value(), count * rows_ * 512);
    EXPECT_EQ(completions.order.size(), transfers_.size());
    for (int i = 0; i < count; ++i) {
      SC_ACQUIRE(&transfers_[i]->end_token());
      ASSERT_TRUE((Ref(targets_[i].get()).Read<int32_t>() == i + 1).all()) << "transfer " << i + 1;
    }
  }
  Executor& executor() { return *executor_; }
  Transfer& transfer(int i) { return *transfers_[i]; }

  ReturnStack returns;
  BodyEpoch body_epoch{0};
  Completions completions;
  SemaphoreArray done{"done", SemaphoreKind::kDma, CoreId{}, Dims{}, Waiter()};

 private:
  const std::unique_ptr<Executor> executor_;
  const int64_t rows_;
  const Transfer::Home home_ = {&returns, &body_epoch, &completions, CoreId{}};
  std::vector<std::unique_ptr<Allocation>> sources_, targets_;
  std::vector<std::unique_ptr<Transfer>> transfers_;
};

std::unique_ptr<Executor> MakeDeterministic(const Policy& policy) {
  return std::make_unique<DeterministicExecutor>(MakePickPolicy(policy));
}

// By number of threads; 0: deterministic.
class EngineTest : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Executor> MakeExecutor() const {
    return GetParam() > 0 ? MakeThreadsExecutor(GetParam()) : MakeDeterministic(Policy::Random(3));
  }
};

INSTANTIATE_TEST_SUITE_P(On, EngineTest, ::testing::Values(0, 1, 2, 4), [](const auto& info) {
  return info.param == 0 ? std::string("deterministic") : "threads_" + std::to_string(info.param);
});

TEST_P(EngineTest, StartsAndEndsWithoutWork) {
  auto executor = MakeExecutor();
  for (int i = 0; i < 50; ++i) DmaEngine engine(*executor, i);
}

TEST_P(EngineTest, CompletesManyTransfers) {
  Bench bench(MakeExecutor(), Times(1000, 200), 8);
  DmaEngine engine(bench.executor(), 0);
  for (int i = 0; i < Times(1000, 200); ++i) bench.SubmitAndWake(i, engine);
  bench.executor().RunUntilQuiet();
  bench.ExpectAllDone();
}

// One at a time: the engine sleeps and is woken again for each.
TEST_P(EngineTest, IsWokenForEachTransfer) {
  Bench bench(MakeExecutor(), 200, 1);
  DmaEngine engine(bench.executor(), 0);
  for (int i = 0; i < 200; ++i) {
    bench.SubmitAndWake(i, engine);
    bench.executor().RunUntilQuiet();
    ASSERT_EQ(bench.completions.order.size(), static_cast<size_t>(i + 1));
  }
  bench.ExpectAllDone();
}

TEST_P(EngineTest, TakesTransfersFromManyStrandsAtOnce) {
  constexpr int kCores = 8, kEach = 50;
  Bench bench(MakeExecutor(), kCores * kEach, 8);
  DmaEngine engine(bench.executor(), 0);
  std::vector<std::unique_ptr<Strand>> strands;
  std::vector<std::unique_ptr<Worker>> cores;
  std::vector<int> next(kCores, 0);
  for (int core = 0; core < kCores; ++core) {
    strands.push_back(bench.executor().MakeStrand());
    cores.push_back(std::make_unique<Worker>([&, core] {
      bench.SubmitAndWake(core * kEach + next[core], engine);
      if (++next[core] < kEach) strands[core]->Post(*cores[core]);
    }));
  }
  for (int core = 0; core < kCores; ++core) strands[core]->Post(*cores[core]);
  bench.executor().RunUntilQuiet();
  bench.ExpectAllDone();
}

TEST_P(EngineTest, CopiesTransfersOfManyChunks) {
  Bench bench(MakeExecutor(), 3, 8 * 1024);  // 4 MiB: two turns of 64 chunks
  DmaEngine engine(bench.executor(), 0);
  for (int i = 0; i < 3; ++i) bench.SubmitAndWake(i, engine);
  bench.executor().RunUntilQuiet();
  bench.ExpectAllDone();
}

TEST(ThreadsEngineTest, CompletesTransfersInTheOrderOfTheirStarts) {
  // A large one in front: put back after each turn, it still goes first.
  Bench bench(MakeThreadsExecutor(2), 40, 8 * 1024);
  DmaEngine engine(bench.executor(), 0);
  for (int i = 0; i < 40; ++i) bench.SubmitAndWake(i, engine);
  bench.executor().RunUntilQuiet();
  for (int i = 0; i < 40; ++i) EXPECT_EQ(bench.completions.order[i], static_cast<uint64_t>(i + 1));
  bench.ExpectAllDone();
}

TEST(ThreadsEngineTest, OneThreadHasTurnsForOthersBetweenThoseOfALargeTransfer) {
  Bench bench(MakeThreadsExecutor(1), 1, 32 * 1024);  // 16 MiB: eight turns
  DmaEngine engine(bench.executor(), 0);
  auto strand = bench.executor().MakeStrand();
  int turns_meanwhile = 0;
  Worker other([&] {
    if (!bench.completions.order.empty()) return;
    ++turns_meanwhile;
    strand->Post(other);
  });
  Worker starter([&] {
    bench.SubmitAndWake(0, engine);
    strand->Post(other);
  });
  strand->Post(starter);
  bench.executor().RunUntilQuiet();
  EXPECT_GE(turns_meanwhile, 4);
  bench.ExpectAllDone();
}

TEST(ThreadsEngineTest, HelpCopiesInPlace) {
  Bench bench(MakeThreadsExecutor(1), 3, 8);
  DmaEngine engine(bench.executor(), 0);
  EXPECT_TRUE(bench.Submit(0, engine)) << "it was idle";
  EXPECT_FALSE(bench.Submit(1, engine)) << "who found it idle has to resume it";
  EXPECT_TRUE(bench.completions.order.empty());
  engine.Help(bench.returns);
  EXPECT_THAT(bench.completions.order, ElementsAre(1, 2));
  EXPECT_TRUE(bench.Submit(2, engine)) << "it is idle again";
  engine.Help(bench.returns);
  bench.ExpectAllDone();
}

TEST(ThreadsEngineTest, HelpGivesWayInALargeTransfer) {
  Bench bench(MakeThreadsExecutor(1), 1, 32 * 1024);
  DmaEngine engine(bench.executor(), 0);
  EXPECT_TRUE(bench.Submit(0, engine));
  engine.Help(bench.returns);
  bench.executor().RunUntilQuiet();
  bench.ExpectAllDone();
}

TEST(DeterministicEngineTest, ThePolicyPicksTheOrder) {
  auto order = [](const Policy& policy) {
    Bench bench(MakeDeterministic(policy), 4, 8);
    DmaEngine engine(bench.executor(), 0);
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(bench.Submit(i, engine)) << "it has posted the transfer itself";
    bench.executor().RunUntilQuiet();
    bench.ExpectAllDone();
    return bench.completions.order;
  };
  EXPECT_THAT(order(Policy::Eager()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(order(Policy::InOrder()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(order(Policy::OnWait()), ElementsAre(4, 3, 2, 1));
  EXPECT_EQ(order(Policy::Random(5)), order(Policy::Random(5)));
}

// Each chunk is a choice: transfers of many chunks end in another order than they began.
TEST(DeterministicEngineTest, TransfersInterleaveByChunks) {
  Bench bench(MakeDeterministic(Policy::InOrder()), 2, 1024);  // 16 chunks each
  DmaEngine one(bench.executor(), 0), two(bench.executor(), 1);
  auto strand = bench.executor().MakeStrand();
  int steps = 0;
  Worker counter([&] {
    if (bench.completions.order.empty()) strand->Post(counter);
    ++steps;
  });
  bench.Submit(0, one);
  bench.Submit(1, two);
  strand->Post(counter);
  bench.executor().RunUntilQuiet();
  EXPECT_EQ(steps, 16) << "a turn for each chunk of the first";
  bench.ExpectAllDone();
}

TEST(TransferTest, OverlapsABodyThatRanAllTheWhile) {
  Bench bench(MakeThreadsExecutor(1), 2, 8);
  DmaEngine engine(bench.executor(), 0);
  bench.body_epoch = 1;  // odd: inside a body
  bench.Submit(0, engine);
  engine.Help(bench.returns);
  bench.body_epoch = 2;
  bench.Submit(1, engine);
  engine.Help(bench.returns);
  EXPECT_TRUE(bench.transfer(0).overlapped());
  EXPECT_FALSE(bench.transfer(1).overlapped());
  bench.ExpectAllDone();
}

TEST(TransferTest, IsAwaitedWhileItsSemaphoreIs) {
  Bench bench(MakeDeterministic(Policy::Eager()), 1, 8);
  DmaEngine engine(bench.executor(), 0);
  bench.Submit(0, engine);
  EXPECT_FALSE(bench.transfer(0).IsAwaited());
  EXPECT_FALSE(bench.done.at(0).Take(1));
  EXPECT_TRUE(bench.transfer(0).IsAwaited());
  bench.done.at(0).CancelTake(1);
  bench.executor().RunUntilQuiet();
  bench.ExpectAllDone();
}

}  // namespace
}  // namespace strandcore::testing
