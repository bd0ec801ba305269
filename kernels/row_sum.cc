#include "kernels/row_sum.h"

#include <algorithm>

#include "kernels/grid_over.h"

namespace strandcore {

absl::StatusOr<Pipeline> RowSumPipeline(const RowSumShape& shape) {
  absl::StatusOr<Grid> grid = GridOver({shape.columns, shape.rows}, {shape.block_columns, shape.block_rows});
  if (!grid.ok()) return grid.status();
  auto body = [shape](KernelContext& core, Ref x, Ref y) {
    const int64_t filled = std::min(shape.block_rows, shape.rows - core.ProgramId(1) * shape.block_rows);
    const auto sum = x.At(Ds(0, filled)).Read<float>().colwise().sum();
    if (core.ProgramId(1) == 0) {
      y.Write<float>() = sum;
    } else {
      y.ReadWrite<float>() += sum;
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
