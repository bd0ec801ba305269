// AsyncCopy: a copy that can be started and waited for (Pallas's make_async_copy).
//
// A value: it describes the copy and holds nothing. A wait looks only at the semaphore and the number of bytes, so a
// copy made over the same shapes can wait for another one's bytes.
//
// Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_CORE_ASYNC_COPY_H_
#define STRANDCORE_RUNTIME_CORE_ASYNC_COPY_H_

#include "runtime/base/site.h"
#include "runtime/memory/ref.h"
#include "runtime/semaphore/semaphore_ref.h"

namespace strandcore {

class KernelContext;

class AsyncCopy {
 public:
  // Queues the copy and returns at once.
  void Start(Site site = Site::Here()) const;
  // Blocks until the semaphore holds the bytes of this copy's target, then subtracts them.
  void Wait(Site site = Site::Here()) const;

  const Ref& source() const { return source_; }
  const Ref& target() const { return target_; }

 private:
  friend class KernelContext;
  AsyncCopy(KernelContext& core, const Ref& source, const Ref& target, const SemaphoreRef& done)
      : core_(&core), source_(source), target_(target), done_(done) {}

  KernelContext* core_;
  Ref source_;
  Ref target_;
  SemaphoreRef done_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_ASYNC_COPY_H_
