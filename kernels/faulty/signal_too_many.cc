#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction SignalTooMany(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](SemaphoreRef done) {
      for (int64_t block = 0; block < 2; ++block) {
        core.SyncCopy(x.At(Ds(8 * block, 8)), y.At(Ds(8 * block, 8)));
        core.Signal(done);
      }
      if (!repaired) core.Signal(done);
      core.Wait(done, 2);
    };
    core.RunScoped(body, RegularSemaphore({}, "done"));
  };
}

}  // namespace strandcore
