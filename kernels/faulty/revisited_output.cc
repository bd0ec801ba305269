#include "kernels/faulty/faulty.h"

namespace strandcore {
namespace {

// The last pass is the one that counts.
void Scale(KernelContext& core, Ref x, Ref y) {
  y.Write<float>() = static_cast<float>(core.NumPrograms(0)) * x.Read<float>();
}

}  // namespace

RefFunction RevisitedOutput(bool repaired) {
  // The grid has two passes over two blocks. Of an output only steps in a row may share a block.
  const int block_axis = repaired ? 0 : 1;
  const BlockSpec block({8, 128}, [block_axis](GridIndex g) { return BlockIndex{g[block_axis], 0}; });
  return *EmitPipeline(Scale, {.grid = {2, 2}, .in_specs = {block}, .out_specs = {block}});
}

}  // namespace strandcore
