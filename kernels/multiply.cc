#include "kernels/multiply.h"

namespace strandcore {

void MultiplyBody(KernelContext& core, Ref x, Ref y, Ref z) {
  core.Filled(z).Write<float>() = core.Filled(x).Read<float>() * core.Filled(y).Read<float>();
}

absl::StatusOr<Pipeline> MultiplyPipeline(const ElementwiseShape& shape) {
  return ElementwisePipeline(MultiplyBody, /*inputs=*/2, shape);
}

}  // namespace strandcore
