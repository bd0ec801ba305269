#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction SlotRefilledWhileDraining(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref slot, SemaphoreRef drained) {
      for (int64_t block = 0; block < 2; ++block) {
        const AsyncCopy drain = core.MakeAsyncCopy(slot, y.At(Ds(8 * block, 8)), drained);
        if (block > 0 && repaired) drain.Wait();
        core.SyncCopy(x.At(Ds(8 * block, 8)), slot);
        if (block > 0 && !repaired) drain.Wait();
        drain.Start();
        if (block > 0) drain.Wait();
      }
    };
    core.RunScoped(body, Vmem({8, 128}, DType::kFloat32, "slot"), DmaSemaphore({}, "drained"));
  };
}

}  // namespace strandcore
