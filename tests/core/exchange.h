// Exchange: how a test's kernels hand each other their semaphores.
#ifndef STRANDCORE_TESTS_CORE_EXCHANGE_H_
#define STRANDCORE_TESTS_CORE_EXCHANGE_H_

#include <atomic>

#include "runtime/core/kernel_context.h"
#include "runtime/semaphore/semaphore_ref.h"

namespace strandcore::testing {

// The host's memory, so who asks polls with Delay, which gives the other its turn. Acquire and release: the sanitizer
// is to see the array behind the ref.
class Exchange {
 public:
  void Publish(SemaphoreRef semaphore) {
    semaphore_ = semaphore;
    published_.store(true, std::memory_order_release);
  }
  SemaphoreRef Get(KernelContext& core) {
    while (!published_.load(std::memory_order_acquire)) core.Delay(1);
    return semaphore_;
  }

 private:
  std::atomic<bool> published_{false};
  SemaphoreRef semaphore_;
};

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_CORE_EXCHANGE_H_
