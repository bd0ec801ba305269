#include <vector>

#include "kernels/faulty/faulty.h"

namespace strandcore {
namespace {

void Copy(KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>(); }

}  // namespace

RefFunction MissingPrefetch(bool repaired) {
  const BlockSpec block({8, 128}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
  const Pipeline pipeline = *EmitPipeline(Copy, {.grid = {2}, .in_specs = {block}, .out_specs = {block}});
  return [=](KernelContext& core, Ref x, Ref y) {
    Allocations buffers = pipeline.MakeAllocations(core, std::vector<Ref>{x, y});
    for (int cycle = 0; cycle < 2; ++cycle) {
      auto prefetch = [&](BufferedRefs refs, Scheduler& scheduler) {
        if (repaired) scheduler.Prefetch(refs[0], x);
      };
      pipeline(core, std::vector<Ref>{x, y},
               {.allocations = &buffers, .first_cycle = cycle == 0, .last_cycle = cycle == 1, .prefetch = prefetch});
    }
  };
}

}  // namespace strandcore
