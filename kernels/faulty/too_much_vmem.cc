#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction TooMuchVmem(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tiles) {
      core.SyncCopy(x, tiles.At(0));
      core.SyncCopy(tiles.At(0), y);
    };
    const int64_t tiles = repaired ? 2 : int64_t{1} << 20;
    core.RunScoped(body, Vmem({tiles, 16, 128}, DType::kFloat32, "tiles"));
  };
}

}  // namespace strandcore
