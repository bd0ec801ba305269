#include "runtime/exec/pick_policies.h"

#include <algorithm>

namespace strandcore {

void ReadyCores::Clear() {
  running_ = {};
  yielding_.clear();
}

void ReadyCores::Add(Agent& core) {
  if (core.IsYielding()) {
    yielding_.push_back(&core);
  } else {
    running_.push(&core);
  }
}

Agent* ReadyCores::Take() {
  if (!running_.empty()) {
    Agent* core = running_.top();
    running_.pop();
    return core;
  }
  if (yielding_.empty()) return nullptr;
  Agent* core = yielding_.front();
  yielding_.pop_front();
  return core;
}

void EagerPolicy::Restart() {
  transfers_.clear();
  cores_.Clear();
}

void EagerPolicy::Ready(Agent& agent) {
  if (agent.kind() == Agent::Kind::kCore) {
    cores_.Add(agent);
  } else {
    transfers_.push_back(&agent);
  }
}

Agent* EagerPolicy::Pick() {
  if (transfers_.empty()) return cores_.Take();
  Agent* transfer = transfers_.front();
  transfers_.pop_front();
  return transfer;
}

void OnWaitPolicy::Restart() {
  transfers_.clear();
  cores_.Clear();
}

void OnWaitPolicy::Ready(Agent& agent) {
  if (agent.kind() == Agent::Kind::kCore) return cores_.Add(agent);
  // Nearly always the newest; one that gave way between two chunks comes back to its place.
  auto after = std::upper_bound(transfers_.begin(), transfers_.end(), agent.rank(),
                                [](int64_t rank, const Agent* other) { return rank < other->rank(); });
  transfers_.insert(after, &agent);
}

Agent* OnWaitPolicy::TakeTransfer(size_t index) {
  Agent* transfer = transfers_[index];
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
  return transfer;
}

Agent* OnWaitPolicy::Pick() {
  for (size_t i = transfers_.size(); i-- > 0;) {
    if (transfers_[i]->IsAwaited()) return TakeTransfer(i);
  }
  if (cores_.HasEager() || transfers_.empty()) return cores_.Take();
  // Only cores that yield can run, or none: what nobody waits for completes too, or a poll would never end.
  return TakeTransfer(transfers_.size() - 1);
}

Agent* InOrderPolicy::Pick() {
  if (ready_.empty()) return nullptr;
  Agent* agent = ready_.front();
  ready_.pop_front();
  return agent;
}

void RandomPolicy::Restart() {
  ready_.clear();
  // Neighbouring seeds must not give neighbouring runs: one round of splitmix64.
  uint64_t mixed = (seed_ + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  state_ = (mixed ^ (mixed >> 27)) | 1;
}

Agent* RandomPolicy::Pick() {
  const size_t count = ready_.size();
  if (count == 0) return nullptr;
  // xorshift64*; the high bits scaled to the range.
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  const uint64_t high = (state_ * 0x2545F4914F6CDD1Du) >> 32;
  const size_t pick = static_cast<size_t>(high * count >> 32);
  Agent* agent = ready_[pick];
  ready_[pick] = ready_.back();
  ready_.pop_back();
  return agent;
}

}  // namespace strandcore
