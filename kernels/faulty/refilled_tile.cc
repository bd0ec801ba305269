#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction RefilledTile(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tiles, Ref result, SemaphoreRef arrived) {
      auto load = [&](int64_t block) {
        const int64_t slot = repaired ? block % 2 : 0;
        return core.MakeAsyncCopy(x.At(Ds(8 * block, 8)), tiles.At(slot), arrived);
      };
      load(0).Start();
      for (int64_t block = 0; block < 2; ++block) {
        const AsyncCopy current = load(block);
        current.Wait();
        if (block == 0) load(1).Start();
        result.Write<float>() = 2.0f * current.target().Read<float>();
        core.SyncCopy(result, y.At(Ds(8 * block, 8)));
      }
    };
    core.RunScoped(body, Vmem({2, 8, 128}, DType::kFloat32, "tiles"), Vmem({8, 128}, DType::kFloat32, "result"),
                   DmaSemaphore({}, "arrived"));
  };
}

}  // namespace strandcore
