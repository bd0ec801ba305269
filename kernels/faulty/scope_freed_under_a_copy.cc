#include <utility>

#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction ScopeFreedUnderACopy(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](SemaphoreRef sent) {
      int64_t unpaid = x.bytes();
      auto through_a_tile = [&](Ref tile) {
        core.SyncCopy(x, tile);
        core.MakeAsyncCopy(tile, y, sent).Start();
        if (repaired) core.WaitForBytes(sent, std::exchange(unpaid, 0), Site::Here());
      };
      core.RunScoped(through_a_tile, Vmem({16, 128}, DType::kFloat32, "tile"));
      if (unpaid > 0) core.WaitForBytes(sent, unpaid, Site::Here());
    };
    core.RunScoped(body, DmaSemaphore({}, "sent"));
  };
}

}  // namespace strandcore
