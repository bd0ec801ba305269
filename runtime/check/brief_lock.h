// BriefLock: a lock for a few dozen instructions, which guards one semaphore's order and nothing longer.
//
// Half the price of a std::mutex where nobody contends, which is nearly always. BriefGuard takes it only if told to: a
// launch of one core has nobody to lock out.
//
// Concurrency: self-synchronised. Ordering: an unlock's release pairs with the next lock's acquire.
#ifndef STRANDCORE_RUNTIME_CHECK_BRIEF_LOCK_H_
#define STRANDCORE_RUNTIME_CHECK_BRIEF_LOCK_H_

#include <atomic>
#include <thread>

namespace strandcore {

class BriefLock {
 public:
  void Lock() {
    // The holder may have lost its processor, hence the yield.
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries >= 64) std::this_thread::yield();
    }
  }
  void Unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

class BriefGuard {
 public:
  BriefGuard(BriefLock& lock, bool needed) : lock_(needed ? &lock : nullptr) {
    if (lock_ != nullptr) lock_->Lock();
  }
  ~BriefGuard() {
    if (lock_ != nullptr) lock_->Unlock();
  }
  BriefGuard(const BriefGuard&) = delete;
  BriefGuard& operator=(const BriefGuard&) = delete;

 private:
  BriefLock* const lock_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_BRIEF_LOCK_H_
