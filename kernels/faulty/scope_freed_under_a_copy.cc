#include <optional>

#include "kernels/faulty/faulty.h"

namespace strandcore {

RefFunction ScopeFreedUnderACopy(bool repaired) {
  return [repaired](KernelContext& core, Ref x, Ref y) {
    auto body = [&](SemaphoreRef sent) {
      std::optional<AsyncCopy> drain;
      auto through_a_tile = [&](Ref tile) {
        core.SyncCopy(x, tile);
        drain = core.MakeAsyncCopy(tile, y, sent);
        drain->Start();
        if (repaired) drain->Wait();
      };
      core.RunScoped(through_a_tile, Vmem({16, 128}, DType::kFloat32, "tile"));
      if (!repaired) drain->Wait();
    };
    core.RunScoped(body, DmaSemaphore({}, "sent"));
  };
}

}  // namespace strandcore
