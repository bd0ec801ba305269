#include "kernels/elementwise.h"

#include <utility>
#include <vector>

#include "kernels/grid_over.h"

namespace strandcore {

absl::StatusOr<Pipeline> ElementwisePipeline(RefFunction body, int inputs, const ElementwiseShape& shape) {
  absl::StatusOr<Grid> grid = GridOver(shape.shape, shape.block);
  if (!grid.ok()) return grid.status();
  const std::vector<BlockDim> block(shape.block.begin(), shape.block.end());
  const BlockSpec spec(block, [](GridIndex g) { return BlockIndex(g); });
  PipelineOptions options;
  options.grid = *grid;
  options.in_specs.assign(static_cast<size_t>(inputs), spec);
  options.out_specs = {spec};
  options.core_axis = shape.core_axis;
  options.dimension_semantics = shape.semantics;
  if (!shape.semantics.given()) {
    options.dimension_semantics = Semantics(std::vector<DimensionSemantics>(grid->size(), kParallel));
  }
  return EmitPipeline(std::move(body), std::move(options));
}

}  // namespace strandcore
