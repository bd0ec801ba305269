// Matmul: z = x y (float32), with the sum in a scratch. Shows a reduction over the innermost grid dimension.
//
// How to read it. The grid is (m / block_m, n / block_n, k / block_k), k innermost, so that all steps of one block of
// z follow each other:
//
//   x (m, k)  block (i, k)   another one at every step
//   y (k, n)  block (k, j)   another one at every step
//   z (m, n)  block (i, j)   stays for all steps of k, travels out once
//
// The kernel takes a block of VMEM with RunScoped, the *accumulator*, and passes it to the pipeline as a scratch: it
// comes to the body behind the windows and keeps what it holds from step to step. The body zeroes it at k = 0, adds
// one product at each step, and stores it to z's window at the last k. A window of z may hold anything before that.
//
// The body knows the last k from the shape, not from NumPrograms: that is the core's own part of the grid while
// ProgramId counts from the start of the whole (quirk Q5). Here k is never split, so both would do. Where a block does
// not divide its dimension, the last windows are filled only in part, and the body takes just that part: the rest is
// old data and padding (quirk Q14), which in k would add to the sum.
#ifndef STRANDCORE_KERNELS_MATMUL_H_
#define STRANDCORE_KERNELS_MATMUL_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct MatmulShape {
  int64_t m = 0;  // x is (m, k), y is (k, n), z is (m, n)
  int64_t k = 0;
  int64_t n = 0;
  int64_t block_m = 128;
  int64_t block_k = 128;
  int64_t block_n = 128;
  std::optional<int> core_axis = 0;  // std::nullopt: every core does all of it
  Semantics semantics = {kParallel, kParallel, kArbitrary};
};

// The grid and the three specs, for whatever body; `accumulate`: z is an accumulator.
absl::StatusOr<PipelineOptions> MatmulOptions(const MatmulShape& shape, bool accumulate);

// Ends the run with a kernel-error unless the operands x, y, z have the sizes that the shape says.
void CheckOperands(KernelContext& core, const MatmulShape& shape, Refs operands);

// The part of the windows that the arrays fill at this step: all of it but for partial last blocks.
struct FilledBlock {
  Index m;
  Index k;
  Index n;
};
FilledBlock Filled(const KernelContext& core, const MatmulShape& shape);

// The pipeline over x, y, z. It needs one scratch: float32, (block_m, block_n).
absl::StatusOr<Pipeline> MatmulPipeline(const MatmulShape& shape);

// The whole kernel: takes the operands x, y, z.
absl::StatusOr<RefFunction> MatmulKernel(const MatmulShape& shape, const Schedule& schedule = Schedule::Default());

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_MATMUL_H_
