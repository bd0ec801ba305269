// MatmulAccumulate: z = z + x y (float32), with z as an accumulator of the pipeline. Shows what the pipeline adds by
// itself, and what is left to the body.
//
// How to read it. Grid and blocks are those of matmul.h: k is innermost, so a block of z stays for all its steps. With
// `should_accumulate_out` the pipeline does for each block of z:
//
//   first step of the block   z's old block has been copied in; the pipeline puts it aside
//   every step                the body writes its own partial result to z's window, as if there were no old one
//   last step of the block    the pipeline adds what it put aside to the window, and copies it out
//
// So the body sets the window at k = 0, whatever it holds, and adds to it at every other k; it needs no scratch, and
// nothing happens at the last k. With `init_accumulators` an invocation puts zeros aside and copies no old block in:
// z = x y, and z may be given with Out. Without it z must be InOut.
//
// Let k have two blocks or more, or z one block, unless accumulators are initialised. A block of z that stays for one
// step only would be copied out of the slot that the next one is being copied into (quirk Q1).
#ifndef STRANDCORE_KERNELS_MATMUL_ACCUMULATE_H_
#define STRANDCORE_KERNELS_MATMUL_ACCUMULATE_H_

#include "absl/status/statusor.h"
#include "kernels/matmul.h"
#include "runtime/strandcore.h"

namespace strandcore {

absl::StatusOr<Pipeline> MatmulAccumulatePipeline(const MatmulShape& shape);

// The pipeline as a kernel of one invocation; takes the operands x, y, z.
absl::StatusOr<RefFunction> MatmulAccumulateKernel(const MatmulShape& shape, bool init_accumulators,
                                                   const Schedule& schedule = Schedule::Default());

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_MATMUL_ACCUMULATE_H_
