#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction NegativeIndex(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    for (int64_t block = 0; block < 2; ++block) {
      const int64_t before = repaired ? (block + 1) % 2 : block - 1;
      core.SyncCopy(x.At(Ds(8 * before, 8)), y.At(Ds(8 * block, 8)));
    }
  };
}

}  // namespace strandcore
