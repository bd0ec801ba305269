// AsyncCopy: a copy that can be started and waited for (Pallas's make_async_copy).
//
// A value: it describes the copy and holds nothing. A wait looks only at the semaphore and the number of bytes, so a
// copy made over the same shapes can wait for another one's bytes.
//
// A remote copy (Pallas's make_async_remote_copy, here within a device) has two semaphores: `send`, of the core that
// starts it, is paid when the source is read; `receive`, of another core, when the target is written.
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
  // Blocks until the semaphore (of a remote copy: `send`) holds the bytes of this copy's target, then subtracts them.
  // Stops the kernel where the semaphore is a regular one.
  void Wait(Site site = Site::Here()) const;
  // Of a remote copy, called by the owner of `receive`: the same for that one.
  void WaitReceived(KernelContext& core, Site site = Site::Here()) const;

  const Ref& source() const { return source_; }
  const Ref& target() const { return target_; }

 private:
  friend class KernelContext;
  static void RefuseToWaitOnRegular(const SemaphoreRef& semaphore, Site site);
  AsyncCopy(KernelContext& core, const Ref& source, const Ref& target, const SemaphoreRef& done,
            const SemaphoreRef& receive = {})
      : core_(&core), source_(source), target_(target), done_(done), receive_(receive) {}

  KernelContext* core_;
  Ref source_;
  Ref target_;
  SemaphoreRef done_;
  SemaphoreRef receive_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_ASYNC_COPY_H_
