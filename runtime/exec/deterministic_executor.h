// DeterministicExecutor: one thread, one agent at a time, picked by a PickPolicy.
//
// Runs on the thread that calls RunUntilQuiet and starts none of its own. Nothing ready means that nothing can ever
// run again: that is how a deadlock is known at once.
//
// Concurrency: all of it belongs to the thread inside RunUntilQuiet, or to the caller between runs.
#ifndef STRANDCORE_RUNTIME_EXEC_DETERMINISTIC_EXECUTOR_H_
#define STRANDCORE_RUNTIME_EXEC_DETERMINISTIC_EXECUTOR_H_

#include <memory>
#include <utility>

#include "runtime/exec/executor.h"
#include "runtime/exec/pick_policy.h"

namespace strandcore {

class DeterministicExecutor final : public Executor {
 public:
  explicit DeterministicExecutor(std::unique_ptr<PickPolicy> policy) : policy_(std::move(policy)) {}

  std::unique_ptr<Strand> MakeStrand() override { return std::make_unique<OneThreadStrand>(*policy_); }
  void Restart() override { policy_->Restart(); }
  void RunUntilQuiet() override {
    while (Agent* agent = policy_->Pick()) agent->Step();
  }
  bool PicksTransfers() const override { return true; }
  int StepsPerTurn() const override { return 1; }

 private:
  class OneThreadStrand final : public Strand {
   public:
    explicit OneThreadStrand(PickPolicy& policy) : policy_(policy) {}
    void Post(Agent& agent) override { policy_.Ready(agent); }

   private:
    PickPolicy& policy_;
  };

  const std::unique_ptr<PickPolicy> policy_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_DETERMINISTIC_EXECUTOR_H_
