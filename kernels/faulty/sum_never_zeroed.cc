#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction SumNeverZeroed(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](Ref tile, Ref sum) {
      if (repaired) sum.Write<float>().setZero();
      for (int64_t block = 0; block < 2; ++block) {
        core.SyncCopy(x.At(Ds(8 * block, 8)), tile);
        sum.ReadWrite<float>() += tile.Read<float>();
        core.SyncCopy(sum, y.At(Ds(8 * block, 8)));
      }
    };
    core.RunScoped(body, Vmem({8, 128}, DType::kFloat32, "tile"), Vmem({8, 128}, DType::kFloat32, "sum"));
  };
}

}  // namespace strandcore
