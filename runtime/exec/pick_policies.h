// The four pick policies as classes; pick_policy.h says what each does.
#ifndef STRANDCORE_RUNTIME_EXEC_PICK_POLICIES_H_
#define STRANDCORE_RUNTIME_EXEC_PICK_POLICIES_H_

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "runtime/exec/pick_policy.h"

namespace strandcore {

// The ready cores: the lowest number first, those that yield after all others and among themselves in turn.
class ReadyCores {
 public:
  void Clear();
  void Add(Agent& core);
  bool empty() const { return running_.empty() && yielding_.empty(); }
  // Whether a core is ready that has not given its turn away.
  bool HasEager() const { return !running_.empty(); }
  Agent* Take();

 private:
  struct Higher {
    bool operator()(const Agent* a, const Agent* b) const { return a->rank() > b->rank(); }
  };
  std::priority_queue<Agent*, std::vector<Agent*>, Higher> running_;
  std::deque<Agent*> yielding_;
};

class EagerPolicy final : public PickPolicy {
 public:
  void Restart() override;
  void Ready(Agent& agent) override;
  Agent* Pick() override;

 private:
  std::deque<Agent*> transfers_;
  ReadyCores cores_;
};

class OnWaitPolicy final : public PickPolicy {
 public:
  void Restart() override;
  void Ready(Agent& agent) override;
  Agent* Pick() override;

 private:
  Agent* TakeTransfer(size_t index);

  std::vector<Agent*> transfers_;  // invariant: in the order of their starts
  ReadyCores cores_;
};

class InOrderPolicy final : public PickPolicy {
 public:
  void Restart() override { ready_.clear(); }
  void Ready(Agent& agent) override { ready_.push_back(&agent); }
  Agent* Pick() override;

 private:
  std::deque<Agent*> ready_;
};

class RandomPolicy final : public PickPolicy {
 public:
  explicit RandomPolicy(uint64_t seed) : seed_(seed) { RandomPolicy::Restart(); }
  void Restart() override;
  void Ready(Agent& agent) override { ready_.push_back(&agent); }
  Agent* Pick() override;

 private:
  const uint64_t seed_;
  uint64_t state_ = 0;
  std::vector<Agent*> ready_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_PICK_POLICIES_H_
