#include "kernels/matmul.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/grid_over.h"

namespace strandcore {

absl::StatusOr<PipelineOptions> MatmulOptions(const MatmulShape& shape, bool accumulate) {
  absl::StatusOr<Grid> grid = GridOver({shape.m, shape.n, shape.k}, {shape.block_m, shape.block_n, shape.block_k});
  if (!grid.ok()) return grid.status();
  const BlockSpec x({shape.block_m, shape.block_k}, [](GridIndex g) { return BlockIndex{g[0], g[2]}; });
  const BlockSpec y({shape.block_k, shape.block_n}, [](GridIndex g) { return BlockIndex{g[2], g[1]}; });
  const BlockSpec z({shape.block_m, shape.block_n}, [](GridIndex g) { return BlockIndex{g[0], g[1]}; });
  return PipelineOptions{.grid = *grid,
                         .in_specs = {x, y},
                         .out_specs = {z},
                         .should_accumulate_out = accumulate,
                         .core_axis = shape.core_axis,
                         .dimension_semantics = shape.semantics};
}

void CheckOperands(KernelContext& core, const MatmulShape& shape, Refs operands) {
  const Dims expected[] = {{shape.m, shape.k}, {shape.k, shape.n}, {shape.m, shape.n}};
  for (size_t i = 0; i < operands.size() && i < 3; ++i) {
    core.Check(operands[i].shape() == expected[i],
               absl::StrCat("operand ", operands[i].name(), ": expected ", expected[i].ToString(), ", given ",
                            operands[i].shape().ToString()));
  }
}

FilledBlock Filled(const KernelContext& core, const MatmulShape& shape) {
  const auto part = [&](int axis, int64_t size, int64_t block) {
    return Ds(0, std::min(block, size - core.ProgramId(axis) * block));
  };
  return {part(0, shape.m, shape.block_m), part(2, shape.k, shape.block_k), part(1, shape.n, shape.block_n)};
}

absl::StatusOr<Pipeline> MatmulPipeline(const MatmulShape& shape) {
  absl::StatusOr<PipelineOptions> options = MatmulOptions(shape, /*accumulate=*/false);
  if (!options.ok()) return options.status();
  const int64_t last_k = options->grid[2].size - 1;
  auto body = [shape, last_k](KernelContext& core, Ref x, Ref y, Ref z, Ref sum) {
    const auto [m, k, n] = Filled(core, shape);
    const auto a = x.At(m, k).Read<float>();
    const auto b = y.At(k, n).Read<float>();
    const Ref part = sum.At(m, n);
    if (core.ProgramId(2) == 0) part.Write<float>().setZero();
    part.ReadWrite<float>().matrix().noalias() += a.matrix() * b.matrix();
    if (core.ProgramId(2) == last_k) z.At(m, n).Write<float>() = part.Read<float>();
  };
  return EmitPipeline(body, *std::move(options));
}

absl::StatusOr<RefFunction> MatmulKernel(const MatmulShape& shape, const Schedule& schedule) {
  absl::StatusOr<Pipeline> pipeline = MatmulPipeline(shape);
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction([pipeline = *pipeline, shape, schedule](KernelContext& core, Refs operands) {
    CheckOperands(core, shape, operands);
    core.RunScoped([&](Ref sum) { pipeline(core, operands, {.scratches = {sum}, .schedule = schedule}); },
                   Vmem({shape.block_m, shape.block_n}, DType::kFloat32, "sum"));
  });
}

}  // namespace strandcore
