#include "kernels/row_sum.h"

#include "kernels/grid_over.h"

namespace strandcore {

absl::StatusOr<Pipeline> RowSumPipeline(const RowSumShape& shape) {
  absl::StatusOr<Grid> grid = GridOver({shape.columns, shape.rows}, {shape.block_columns, shape.block_rows});
  if (!grid.ok()) return grid.status();
  auto body = [](KernelContext& core, Ref x, Ref y) {
    const auto sum = core.Filled(x).Read<float>().colwise().sum();
    const Ref part = core.Filled(y);
    if (core.ProgramId(1) == 0) {
      part.Write<float>() = sum;
    } else {
      part.ReadWrite<float>() += sum;
    }
  };
  const BlockSpec x({shape.block_rows, shape.block_columns}, [](GridIndex g) { return BlockIndex{g[1], g[0]}; });
  const BlockSpec y({1, shape.block_columns}, [](GridIndex g) { return BlockIndex{0, g[0]}; });
  return EmitPipeline(body, {.grid = *grid,
                             .in_specs = {x},
                             .out_specs = {y},
                             .core_axis = shape.core_axis,
                             .dimension_semantics = {kParallel, kArbitrary}});
}

}  // namespace strandcore
