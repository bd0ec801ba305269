#include <stdexcept>

#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction KernelError(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    const int64_t rows = repaired ? 8 : 12;
    if (x.shape()[0] % rows != 0) throw std::runtime_error("12 rows do not divide the array");
    for (int64_t row = 0; row < x.shape()[0]; row += rows) core.SyncCopy(x.At(Ds(row, rows)), y.At(Ds(row, rows)));
  };
}

}  // namespace strandcore
