#include "kernels/softmax.h"

#include "kernels/grid_over.h"

namespace strandcore {

void SoftmaxBody(KernelContext& core, Ref x, Ref y) {
  const auto from = core.Filled(x).Read<float>();
  auto to = core.Filled(y).Write<float>();
  for (int64_t row = 0; row < from.rows(); ++row) {
    to.row(row) = (from.row(row) - from.row(row).maxCoeff()).exp();
    to.row(row) /= to.row(row).sum();
  }
}

absl::StatusOr<Pipeline> SoftmaxPipeline(const SoftmaxShape& shape) {
  absl::StatusOr<Grid> grid = GridOver({shape.rows, shape.columns}, {shape.block_rows, shape.columns});
  if (!grid.ok()) return grid.status();
  const BlockSpec block({shape.block_rows, shape.columns}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
  return EmitPipeline(SoftmaxBody, {.grid = {grid->front()},
                                    .in_specs = {block},
                                    .out_specs = {block},
                                    .core_axis = shape.core_axis,
                                    .dimension_semantics = {kParallel}});
}

}  // namespace strandcore
