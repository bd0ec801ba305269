// Semaphore: a counter owned by one core, signalled by anyone, waited by its core. No polling.
//
// A wait of n subtracts n at once. What is then below zero is what the core still needs, and its core parks; the
// signal that lifts the value to zero or above wakes the core, exactly one signal does.
//
//   value      meaning
//   v >= 0     v units are held; nobody waits
//   v <  0     the owner is parked and needs -v more units
//
// Ownership: semaphores live in a SemaphoreArray. Concurrency: self-synchronised; Take, GiveBack and CancelTake are
// the owning core's alone.
// Ordering: for any signal S and wait W that W's return needed, what happened before S in its thread happened before
// W's return (the release in Signal pairs with the acquire in Take, or with the strand that resumes the owner).
#ifndef STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_H_
#define STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_H_

#include <atomic>
#include <cstdint>

#include "runtime/exec/agent_identity.h"
#include "runtime/exec/executor.h"

namespace strandcore {

enum class SemaphoreKind : uint8_t {
  kRegular,  // counts signals
  kDma,      // counts bytes that transfers have completed
};

// "regular", "DMA"
const char* SemaphoreKindName(SemaphoreKind kind);

// The core that waits on a semaphore, as the semaphore sees it.
struct Waiter {
  Strand* strand = nullptr;
  Agent* agent = nullptr;
  void Wake() const { strand->Post(*agent); }
};

class alignas(64) Semaphore {
 public:
  Semaphore() = default;
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void set_waiter(Waiter waiter) { waiter_ = waiter; }
  // What the launch's monitor calls it.
  void set_monitored_as(int32_t id) { monitored_as_ = id; }
  int32_t monitored_as() const { return monitored_as_; }

  // REQUIRES: units >= 0. Acquire too: the signal that wakes the owner passes on what the earlier ones released.
  void Signal(int64_t units) {
    const int64_t before = value_.fetch_add(units, std::memory_order_acq_rel);
    if (before < 0 && before + units >= 0) waiter_.Wake();
  }
  // True: the units were there and are taken. False: the owner must park until it is woken; then they are taken.
  bool Take(int64_t units) { return value_.fetch_sub(units, std::memory_order_acq_rel) >= units; }
  // After a Take that was granted: puts the units back, for a wait that does not subtract. Acquire pairs with the
  // release in Signal, as in Take; the release has no partner, as nobody learns anything from units that were put back.
  void GiveBack(int64_t units) { value_.fetch_add(units, std::memory_order_acq_rel); }
  // Undoes a Take that will never be granted. REQUIRES: nobody signals meanwhile (the machine is quiet, so the
  // order has no partner either).
  void CancelTake(int64_t units) { value_.fetch_add(units, std::memory_order_acq_rel); }

  // What a wait for `units` would find, as a hint: true means that it would not park now. Acquire, in all three, pairs
  // with the release in Signal: who sees the units sees what was done before they were given. (`awaited` is a policy's
  // question on the one thread there is then; its order has no partner.)
  bool Holds(int64_t units) const { return value_.load(std::memory_order_acquire) >= units; }
  bool awaited() const { return value_.load(std::memory_order_acquire) < 0; }
  int64_t value() const { return value_.load(std::memory_order_acquire); }

  // What the sanitizer is told: posts release it, waits acquire it.
  OrderToken& token() { return token_; }

 private:
  std::atomic<int64_t> value_{0};
  Waiter waiter_;  // constant once a launch uses the semaphore
  int32_t monitored_as_ = -1;
  OrderToken token_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_H_
