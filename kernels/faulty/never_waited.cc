#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction NeverWaited(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](SemaphoreRef done) {
      const AsyncCopy copy = core.MakeAsyncCopy(x, y, done);
      copy.Start();
      if (repaired) copy.Wait();
    };
    core.RunScoped(body, DmaSemaphore({}, "done"));
  };
}

}  // namespace strandcore
