// Lifetime: of something that one core owns and others may name: whether others use it, and whether it has ended.
//
//   live ── End ──► ending ──► kept   others used it before: it stays usable to the end of the run
//                         └──► gone   nobody did: it must not be used any more
//
// An owner that ends it and another core that begins to use it do not wait for each other. Each says its own and then
// looks for the other's, so at least one of them sees the other.
//
// Concurrency: self-synchronised. Ordering: none but that. Relaxed with a fence between, on both sides, and not
// sequentially consistent accesses: those would be order between two emulated cores that the program does not make, and
// ThreadSanitizer would believe them.
#ifndef STRANDCORE_RUNTIME_BASE_LIFETIME_H_
#define STRANDCORE_RUNTIME_BASE_LIFETIME_H_

#include <atomic>
#include <cstdint>

namespace strandcore {

class Lifetime {
 public:
  // By whoever is not its owner, before each use. False: it is gone.
  bool Use() {
    used_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    State state = state_.load(std::memory_order_relaxed);
    // The owner is between two instructions.
    while (state == State::kEnding) state = state_.load(std::memory_order_relaxed);
    return state != State::kGone;
  }
  // By its owner, once. Whether it is to be kept.
  bool End() {
    state_.store(State::kEnding, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool used = used_.load(std::memory_order_relaxed);
    state_.store(used ? State::kKept : State::kGone, std::memory_order_relaxed);
    return used;
  }
  // After its end, by its owner.
  bool kept() const { return state_.load(std::memory_order_relaxed) == State::kKept; }

 private:
  enum class State : uint8_t { kLive, kEnding, kKept, kGone };

  std::atomic<bool> used_{false};
  std::atomic<State> state_{State::kLive};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_LIFETIME_H_
