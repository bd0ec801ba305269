#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction TwoCopiesOneTile(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tiles, SemaphoreRef first_done, SemaphoreRef second_done) {
      const AsyncCopy first = core.MakeAsyncCopy(x.At(Ds(0, 8)), tiles.At(0), first_done);
      const AsyncCopy second = core.MakeAsyncCopy(x.At(Ds(8, 8)), tiles.At(repaired ? 1 : 0), second_done);
      first.Start();
      second.Start();
      first.Wait();
      second.Wait();
      core.SyncCopy(first.target(), y.At(Ds(0, 8)));
      core.SyncCopy(second.target(), y.At(Ds(8, 8)));
    };
    core.RunScoped(body, Vmem({2, 8, 128}, DType::kFloat32, "tiles"), DmaSemaphore({}, "first_done"),
                   DmaSemaphore({}, "second_done"));
  };
}

}  // namespace strandcore
