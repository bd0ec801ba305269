#include "kernels/add.h"

namespace strandcore {

void AddBody(KernelContext& core, Ref x, Ref y, Ref z) {
  core.Filled(z).Write<float>() = core.Filled(x).Read<float>() + core.Filled(y).Read<float>();
}

absl::StatusOr<Pipeline> AddPipeline(const ElementwiseShape& shape) {
  return ElementwisePipeline(AddBody, /*inputs=*/2, shape);
}

}  // namespace strandcore
