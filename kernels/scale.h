// Scale: y = factor * x (float32). Shows a run-time scalar in SMEM, and how a body is given more than its windows.
//
// How to read it. The kernel takes three operands, of which `factor`, one element, is in SMEM and is not cut into
// blocks. So it is no operand of the pipeline; the kernel hands it over as a scratch, and the body finds it behind its
// windows, the same at every step.
//
//   simulator.Run(*ScaleKernel({.shape = {512, 512}, .block = {128, 128}}),
//                 {In("factor", factor, MemorySpace::kSmem), In("x", x), Out("y", y)});
#ifndef STRANDCORE_KERNELS_SCALE_H_
#define STRANDCORE_KERNELS_SCALE_H_

#include "absl/status/statusor.h"
#include "kernels/elementwise.h"
#include "runtime/strandcore.h"

namespace strandcore {

void ScaleBody(KernelContext& core, Ref x, Ref y, Ref factor);

// Takes the operands factor, x, y.
absl::StatusOr<RefFunction> ScaleKernel(const ElementwiseShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_SCALE_H_
