// Multiply: z = x * y, element by element (float32). Shows a grid that the cores of a launch share (megacore).
//
// How to read it. `core_axis = 0` names the axis of the launch that numbers the cores; `semantics` says which grid
// dimensions they may split. A (4, 4) grid with (kArbitrary, kParallel) on two cores: core 0 takes the steps (i, 0)
// and (i, 1), core 1 the steps (i, 2) and (i, 3). The body is the same as on one core. In it ProgramId(1) counts from
// the start of the whole grid, but NumPrograms(1) is the core's own 2 (quirk Q5): do not compare the two in a
// dimension that is split.
#ifndef STRANDCORE_KERNELS_MULTIPLY_H_
#define STRANDCORE_KERNELS_MULTIPLY_H_

#include "absl/status/statusor.h"
#include "kernels/elementwise.h"
#include "runtime/strandcore.h"

namespace strandcore {

void MultiplyBody(KernelContext& core, Ref x, Ref y, Ref z);

absl::StatusOr<Pipeline> MultiplyPipeline(const ElementwiseShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_MULTIPLY_H_
