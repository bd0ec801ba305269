#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction OneWaitForTwoCopies(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tiles, Ref result, SemaphoreRef arrived) {
      const AsyncCopy first = core.MakeAsyncCopy(x.At(Ds(0, 8)), tiles.At(0), arrived);
      const AsyncCopy second = core.MakeAsyncCopy(x.At(Ds(8, 8)), tiles.At(1), arrived);
      first.Start();
      second.Start();
      first.Wait();  // of 4,096 bytes; whose is not said
      if (repaired) second.Wait();
      result.Write<float>() = 2.0f * tiles.At(0).Read<float>();
      if (!repaired) second.Wait();
      core.SyncCopy(result, y.At(Ds(0, 8)));
      core.SyncCopy(tiles.At(1), y.At(Ds(8, 8)));
    };
    core.RunScoped(body, Vmem({2, 8, 128}, DType::kFloat32, "tiles"), Vmem({8, 128}, DType::kFloat32, "result"),
                   DmaSemaphore({}, "arrived"));
  };
}

}  // namespace strandcore
