// PickPolicy: decides, on the deterministic executor, which ready agent takes the next step.
//
// The policy holds the ready agents. Same agents, same policy, same seed: same run, to the byte.
//
//   eager        a transfer completes at its start; of the cores that can run, the lowest-numbered goes on
//   on_wait      a transfer completes only when a core is blocked on it, the newest first
//   in_order     round robin over agents in the order in which they became ready
//   random(seed) each ready agent is equally likely, at each step
//
// Concurrency: owned by its executor's one thread.
#ifndef STRANDCORE_RUNTIME_EXEC_PICK_POLICY_H_
#define STRANDCORE_RUNTIME_EXEC_PICK_POLICY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/exec/executor.h"

namespace strandcore {

class PickPolicy {
 public:
  virtual ~PickPolicy() = default;
  // Before a run: forgets all, starts again from the seed.
  virtual void Restart() = 0;
  virtual void Ready(Agent& agent) = 0;
  // The agent that steps next, no longer among the ready; null when none is ready.
  virtual Agent* Pick() = 0;
};

// A policy as a value: what a user writes in the options and what a failing test prints.
struct Policy {
  enum class Kind { kEager, kOnWait, kInOrder, kRandom };
  Kind kind = Kind::kEager;
  uint64_t seed = 0;

  static Policy Eager() { return {Kind::kEager, 0}; }
  static Policy OnWait() { return {Kind::kOnWait, 0}; }
  static Policy InOrder() { return {Kind::kInOrder, 0}; }
  static Policy Random(uint64_t seed) { return {Kind::kRandom, seed}; }
  // From a name of the list above ("random" takes `seed`); refuses others, naming those it knows.
  static absl::StatusOr<Policy> FromName(const std::string& name, uint64_t seed = 0);

  // "eager", "random(7)"
  std::string ToString() const;
  friend bool operator==(const Policy&, const Policy&) = default;
};

std::unique_ptr<PickPolicy> MakePickPolicy(const Policy& policy);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_PICK_POLICY_H_
