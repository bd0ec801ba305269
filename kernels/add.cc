#include "kernels/add.h"

namespace strandcore {

void AddBody(KernelContext&, Ref x, Ref y, Ref z) { z.Write<float>() = x.Read<float>() + y.Read<float>(); }

absl::StatusOr<Pipeline> AddPipeline(const ElementwiseShape& shape) {
  return ElementwisePipeline(AddBody, /*inputs=*/2, shape);
}

}  // namespace strandcore
