#include "runtime/exec/fiber.h"

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/exec/agent_identity.h"
#include "runtime/exec/stack_pool.h"
#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

// A fiber with its body, driven like a core's: under an identity of its own (compare TensorCore::EnterKernel).
class Task {
 public:
  explicit Task(std::function<void(Task&)> body, size_t stack_bytes = 256 * 1024)
      : pool_(stack_bytes), body_(std::move(body)) {
    EXPECT_TRUE(fiber_.Start(pool_, &Task::Run, this).ok());
  }
  // True once the body has returned. What the host has done so far is ordered before what the body does then, and back.
  bool Resume() {
    const bool first = std::exchange(first_, false);
    SC_RELEASE(&token_);
    SC_IGNORE_BEGIN();
    void* host = CurrentIdentity();
    SC_SWITCH(identity_.get());
    if (first) SC_IGNORE_BEGIN();
    SC_ACQUIRE(&token_);
    const bool ended = fiber_.Resume();
    if (ended) SC_IGNORE_END();
    SC_SWITCH(host);
    SC_IGNORE_END();
    SC_ACQUIRE(&token_);
    if (ended) fiber_.Finish();
    return ended;
  }
  // For the body.
  void Suspend() {
    SC_RELEASE(&token_);
    SC_IGNORE_BEGIN();
    fiber_.Suspend();
    SC_IGNORE_END();
  }
  bool ResumeOnAnotherThread() {
    bool ended = false;
    std::thread([&] { ended = Resume(); }).join();
    return ended;
  }
  Fiber& fiber() { return fiber_; }
  StackPool& pool() { return pool_; }

 private:
  static void Run(void* task) {
    SC_IGNORE_END();
    static_cast<Task*>(task)->body_(*static_cast<Task*>(task));
    SC_RELEASE(&static_cast<Task*>(task)->token_);
    SC_IGNORE_BEGIN();
  }

  StackPool pool_;
  Fiber fiber_;
  std::function<void(Task&)> body_;
  AgentIdentity identity_;
  OrderToken token_;
  bool first_ = true;
};

TEST(FiberTest, RunsNothingBeforeItIsResumed) {
  bool ran = false;
  Task task([&](Task&) { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_TRUE(task.fiber().alive());
  EXPECT_TRUE(task.Resume());
  EXPECT_TRUE(ran);
  EXPECT_FALSE(task.fiber().alive());
  EXPECT_EQ(task.pool().in_use(), 0);
}

TEST(FiberTest, TakesTurnsWithItsHost) {
  std::string log;
  Task task([&](Task& self) {
    for (char letter : {'a', 'b', 'c'}) {
      log += letter;
      self.Suspend();
    }
  });
  for (char digit : {'1', '2', '3'}) {
    EXPECT_FALSE(task.Resume());
    log += digit;
  }
  EXPECT_TRUE(task.Resume());
  EXPECT_EQ(log, "a1b2c3");
}

TEST(FiberTest, KeepsItsLocalsWhenItMovesToAnotherThread) {
  std::vector<std::thread::id> seen;
  int64_t sum = 0;
  Task task([&](Task& self) {
    int64_t local = 0;
    for (int i = 1; i <= 100; ++i) {
      local += i;
      seen.push_back(std::this_thread::get_id());
      self.Suspend();
    }
    sum = local;
  });
  while (!task.ResumeOnAnotherThread()) {
  }
  EXPECT_EQ(sum, 5050);
  EXPECT_EQ(seen.size(), 100u);
}

TEST(FiberTest, CanBeStartedAgainOnItsStack) {
  StackPool pool(64 * 1024);
  Fiber fiber;
  int runs = 0;
  auto count = [](void* runs) { ++*static_cast<int*>(runs); };
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(fiber.Start(pool, count, &runs).ok());
    ASSERT_TRUE(fiber.Resume());
    fiber.Finish();
  }
  EXPECT_EQ(runs, 100);
}

TEST(FiberTest, MaySuspendInACatchBlockAndRethrowOnAnotherThread) {
  std::string caught;
  Task task([&](Task& self) {
    try {
      try {
        throw std::runtime_error("of the fiber");
      } catch (...) {
        self.Suspend();
        throw;
      }
    } catch (const std::exception& error) {
      caught = error.what();
    }
  });
  std::thread([&] {
    EXPECT_FALSE(task.Resume());
    EXPECT_EQ(std::current_exception(), nullptr) << "the fiber's exception has stayed with the thread";
  }).join();
  EXPECT_TRUE(task.ResumeOnAnotherThread());
  EXPECT_EQ(caught, "of the fiber");
}

TEST(FiberTest, KeepsTheCountOfUncaughtExceptionsWhereADestructorSuspends) {
  std::vector<int> counts;
  struct SuspendsWhenDestroyed {
    Task& self;
    std::vector<int>& counts;
    ~SuspendsWhenDestroyed() {
      counts.push_back(std::uncaught_exceptions());
      self.Suspend();
      counts.push_back(std::uncaught_exceptions());
    }
  };
  Task task([&](Task& self) {
    try {
      SuspendsWhenDestroyed local{self, counts};
      throw 7;
    } catch (int) {
    }
    counts.push_back(std::uncaught_exceptions());
  });
  std::thread([&] {
    EXPECT_FALSE(task.Resume());
    EXPECT_EQ(std::uncaught_exceptions(), 0) << "the host's thread counts the fiber's";
  }).join();
  EXPECT_TRUE(task.ResumeOnAnotherThread());
  EXPECT_EQ(counts, (std::vector<int>{1, 1, 0}));
}

TEST(FiberTest, TwoInCatchBlocksKeepTheirOwnExceptions) {
  std::string caught[2];
  auto body = [&caught](int which) {
    return [&caught, which](Task& self) {
      try {
        throw std::runtime_error(which == 0 ? "first" : "second");
      } catch (...) {
        for (int i = 0; i < 5; ++i) self.Suspend();
        try {
          throw;
        } catch (const std::exception& error) {
          caught[which] = error.what();
        }
      }
    };
  };
  Task first(body(0)), second(body(1));
  for (int i = 0; i < 6; ++i) {
    first.ResumeOnAnotherThread();
    second.Resume();
  }
  EXPECT_EQ(caught[0], "first");
  EXPECT_EQ(caught[1], "second");
}

TEST(FiberTest, OfAFiberRunsOnItsOwnStack) {
  std::string log;
  Task outer([&](Task& self) {
    Task inner([&](Task& self) {
      log += "i";
      self.Suspend();
      log += "i";
    });
    log += "o";
    while (!inner.Resume()) {
      log += "o";
      self.Suspend();
    }
  });
  while (!outer.Resume()) log += "h";
  EXPECT_EQ(log, "oiohi");
}

TEST(FiberTest, GivenUpLosesItsStackAndNothingElse) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "a fiber that is given up leaves its identity in the middle";
#endif
  bool destroyed = false;
  struct Local {
    bool& destroyed;
    ~Local() { destroyed = true; }
  };
  {
    Task task([&](Task& self) {
      Local local{destroyed};
      self.Suspend();
    });
    EXPECT_FALSE(task.Resume());
    task.fiber().Abandon();
    EXPECT_FALSE(task.fiber().alive());
    EXPECT_EQ(task.pool().in_use(), 0);
  }
  EXPECT_FALSE(destroyed);
}

TEST(FiberDeathTest, DestroyedHalfWayIsABug) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the sanitizer ends the process first";
#endif
  EXPECT_DEATH(
      {
        Task task([](Task& self) { self.Suspend(); });
        task.Resume();
      },
      "!alive");
}

// A sanitizer has its own report for the same fault.
#ifndef STRANDCORE_SANITIZED
int64_t Deep(int64_t depth) {
  volatile char frame[1024] = {};
  frame[depth % 1024] = 1;
  return depth == 0 ? 0 : Deep(depth - 1) + frame[depth % 1024];
}

TEST(FiberDeathTest, TooSmallAStackFaultsAtOnce) {
  int64_t depth = 0;
  Task fits([&](Task&) { depth = Deep(40); }, 64 * 1024);
  EXPECT_TRUE(fits.Resume());
  EXPECT_EQ(depth, 40);
  auto overflow = [] {
    Task task([](Task&) { Deep(100); }, 64 * 1024);
    task.Resume();
  };
  EXPECT_EXIT(overflow(), ::testing::KilledBySignal(SIGSEGV), "");
}
#endif

}  // namespace
}  // namespace strandcore::testing
