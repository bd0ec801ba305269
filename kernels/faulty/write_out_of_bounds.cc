#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction WriteOutOfBounds(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    for (int64_t block = 0; block < 2; ++block) {
      const int64_t to = repaired ? 1 - block : 2 - block;
      core.SyncCopy(x.At(Ds(8 * block, 8)), y.At(Ds(8 * to, 8)));
    }
  };
}

}  // namespace strandcore
