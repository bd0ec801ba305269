// StackPool: stacks for fibers, carved from slabs of address space, a guard page below each, kept for reuse.
//
//   slab:  | guard | stack 0 ........ | guard | stack 1 ........ | guard | stack 2 ........ | ...
//                    grows downwards <-|        a stack that is too small runs into its guard and faults at once
//
// Pages are committed when they are touched. A stack on the free list is handed out again first (it is warm).
//
// Ownership: owns all slabs; must outlive every fiber that runs on one of its stacks.
// Concurrency: self-synchronised.
#ifndef STRANDCORE_RUNTIME_EXEC_STACK_POOL_H_
#define STRANDCORE_RUNTIME_EXEC_STACK_POOL_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"

namespace strandcore {

class StackPool {
 public:
  // `stack_bytes` is rounded up to whole pages.
  explicit StackPool(size_t stack_bytes);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // The lowest address of a stack of `stack_bytes()` bytes; ResourceExhausted where the system gives no more memory.
  absl::StatusOr<std::byte*> Take();
  void Return(std::byte* stack);
  // The stack is in use for ever; its memory outlives the pool.
  void Lose();
  size_t stack_bytes() const { return stack_bytes_; }
  // Stacks taken and not yet returned.
  int in_use() const;

 private:
  absl::Status Grow();

  const size_t stack_bytes_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  struct Slab {
    std::byte* base;
    size_t bytes;
  };
  std::vector<Slab> slabs_;
  std::vector<std::byte*> free_;
  int in_use_ = 0;
  int lost_ = 0;
  int next_slab_stacks_ = 8;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_STACK_POOL_H_
