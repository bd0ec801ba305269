#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction WrongSemaphore(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tiles, Ref result, SemaphoreRef arrived) {
      auto load = [&](int64_t block) {
        return core.MakeAsyncCopy(x.At(Ds(8 * block, 8)), tiles.At(block), arrived.At(block));
      };
      load(0).Start();
      load(1).Start();
      for (int64_t block = 0; block < 2; ++block) {
        load(repaired ? block : 1 - block).Wait();
        result.Write<float>() = 2.0f * tiles.At(block).Read<float>();
        core.SyncCopy(result, y.At(Ds(8 * block, 8)));
      }
    };
    core.RunScoped(body, Vmem({2, 8, 128}, DType::kFloat32, "tiles"), Vmem({8, 128}, DType::kFloat32, "result"),
                   DmaSemaphore({2}, "arrived"));
  };
}

}  // namespace strandcore
