#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction ReadBeforeTheWait(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tile, Ref result, SemaphoreRef arrived) {
      const AsyncCopy load = core.MakeAsyncCopy(x, tile, arrived);
      load.Start();
      if (repaired) load.Wait();
      result.Write<float>() = 2.0f * tile.Read<float>();
      if (!repaired) load.Wait();
      core.SyncCopy(result, y);
    };
    core.RunScoped(body, Vmem({16, 128}, DType::kFloat32, "tile"), Vmem({16, 128}, DType::kFloat32, "result"),
                   DmaSemaphore({}, "arrived"));
  };
}

}  // namespace strandcore
