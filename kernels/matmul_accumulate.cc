#include "kernels/matmul_accumulate.h"

#include <utility>

namespace strandcore {

absl::StatusOr<Pipeline> MatmulAccumulatePipeline(const MatmulShape& shape) {
  absl::StatusOr<PipelineOptions> options = MatmulOptions(shape, /*accumulate=*/true);
  if (!options.ok()) return options.status();
  auto body = [shape](KernelContext& core, Ref x, Ref y, Ref z) {
    const auto [m, k, n] = Filled(core, shape);
    const auto a = x.At(m, k).Read<float>();
    const auto b = y.At(k, n).Read<float>();
    const Ref part = z.At(m, n);
    if (core.ProgramId(2) == 0) {
      part.Write<float>().matrix().noalias() = a.matrix() * b.matrix();
    } else {
      part.ReadWrite<float>().matrix().noalias() += a.matrix() * b.matrix();
    }
  };
  return EmitPipeline(body, *std::move(options));
}

absl::StatusOr<RefFunction> MatmulAccumulateKernel(const MatmulShape& shape, bool init_accumulators,
                                                   const Schedule& schedule) {
  absl::StatusOr<Pipeline> pipeline = MatmulAccumulatePipeline(shape);
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction([pipeline = *pipeline, shape, init_accumulators, schedule](KernelContext& core, Refs operands) {
    CheckOperands(core, shape, operands);
    pipeline(core, operands, {.init_accumulators = init_accumulators, .schedule = schedule});
  });
}

}  // namespace strandcore
