#include "kernels/scale.h"

namespace strandcore {

void ScaleBody(KernelContext&, Ref x, Ref y, Ref factor) { y.Write<float>() = factor.Get<float>() * x.Read<float>(); }

absl::StatusOr<RefFunction> ScaleKernel(const ElementwiseShape& shape) {
  absl::StatusOr<Pipeline> pipeline = ElementwisePipeline(ScaleBody, /*inputs=*/1, shape);
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction([pipeline = *pipeline](KernelContext& core, Ref factor, Ref x, Ref y) {
    const Ref operands[] = {x, y};
    pipeline(core, operands, {.scratches = {factor}});
  });
}

}  // namespace strandcore
