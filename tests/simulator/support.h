// Support: kernels that the simulator's tests share, each of which ends in its own way.
#ifndef STRANDCORE_TESTS_SIMULATOR_SUPPORT_H_
#define STRANDCORE_TESTS_SIMULATOR_SUPPORT_H_

#include <atomic>

#include "runtime/strandcore.h"

namespace strandcore::testing {

// Waits for ever, in a scope of a semaphore and some memory.
inline void WaitForEver(KernelContext& core) {
  core.RunScoped([&](Ref, SemaphoreRef never) { core.Wait(never, 3); }, Vmem({8, 128}, DType::kFloat32),
                 RegularSemaphore({}, "never"));
}

// Ends well, with a copy.
inline void CopyAcross(KernelContext& core, Ref x, Ref y) {
  core.RunScoped(
      [&](Ref tile) {
        core.SyncCopy(x, tile);
        core.SyncCopy(tile, y);
      },
      Vmem(x.shape(), x.dtype()));
}

// Locals of kernels that are alive.
class Counted {
 public:
  explicit Counted(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~Counted() { --alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& alive_;
};

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_SIMULATOR_SUPPORT_H_
