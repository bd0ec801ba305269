// Lifetime: of something that one core owns and others may name: whether it has ended, and whether others use it.
//
// An owner that ends it and another core that begins to use it do not wait for each other. Each says its own and then
// looks for the other's: at least one of them sees the other, so either the owner keeps it to the end of the run, or
// the other is told that it has ended.
//
// Concurrency: self-synchronised. Ordering: none but that. Relaxed with a fence between, on both sides, and not
// sequentially consistent accesses: those would be order between two emulated cores that the program does not make, and
// ThreadSanitizer would believe them.
#ifndef STRANDCORE_RUNTIME_BASE_LIFETIME_H_
#define STRANDCORE_RUNTIME_BASE_LIFETIME_H_

#include <atomic>

namespace strandcore {

class Lifetime {
 public:
  // By whoever is not its owner, before each use. False: it has ended, and must not be used.
  bool Use() {
    used_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return !ended_.load(std::memory_order_relaxed);
  }
  // By its owner.
  void End() {
    ended_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  // Exact once it has ended.
  bool used_by_others() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> used_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_LIFETIME_H_
