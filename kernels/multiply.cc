#include "kernels/multiply.h"

namespace strandcore {

void MultiplyBody(KernelContext&, Ref x, Ref y, Ref z) { z.Write<float>() = x.Read<float>() * y.Read<float>(); }

absl::StatusOr<Pipeline> MultiplyPipeline(const ElementwiseShape& shape) {
  return ElementwisePipeline(MultiplyBody, /*inputs=*/2, shape);
}

}  // namespace strandcore
