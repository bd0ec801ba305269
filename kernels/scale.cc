#include "kernels/scale.h"

namespace strandcore {

void ScaleBody(KernelContext& core, Ref x, Ref y, Ref factor) {
  core.Filled(y).Write<float>() = factor.Get<float>() * core.Filled(x).Read<float>();
}

absl::StatusOr<RefFunction> ScaleKernel(const ElementwiseShape& shape) {
  absl::StatusOr<Pipeline> pipeline = ElementwisePipeline(ScaleBody, /*inputs=*/1, shape);
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction([pipeline = *pipeline](KernelContext& core, Ref factor, Ref x, Ref y) {
    const Ref operands[] = {x, y};
    pipeline(core, operands, {.scratches = {factor}});
  });
}

}  // namespace strandcore
