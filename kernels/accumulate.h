// Accumulate: z = Σ over cycles and steps of w * x (float32). Shows several invocations of a pipeline (*cycles*) that
// share their buffers, the prefetch that joins them, and what the schedules `default` and `fixed` make of it.
//
// How to read it. x is (cycles, blocks * block_rows, steps * block_columns); cycle c works on x[c]. z has `blocks`
// blocks and is an accumulator; each of its blocks stays for `steps` steps. w is one block, the same at every step.
//
//   for c in cycles:  pipeline(x[c], w, z)      first_cycle at the first, last_cycle at the last,
//                                               init_accumulators at the first: z starts from zero
//
// Each cycle but the last must start the copies that the next one's first step will wait for: that is the prefetch
// callback. `Scheduler::Prefetch` asks the schedule whether a copy is due and starts it if so; the callback calls it
// for every input and for z, but not for z where the next cycle initialises accumulators, since that one waits for no
// old block. A copy too few hangs; one too many leaves its semaphore raised, and later waits return too early.
//
// `default` takes every cycle's arrays for new ones: w is copied once a cycle, z comes and goes in every cycle.
// `fixed` takes them for the same arrays: a block that stays put over the border of two cycles stays in VMEM. That is
// true of w, of z if it has one block, and, as x[c] is another array each time, of x only where the last block of a
// cycle and the first of the next are different ones: with two steps or more.
//
// Two blocks of two steps, or more, are free of hazards under both. With one block, use `fixed`: `default` prefetches
// z before this cycle's sum is on its way out (quirk Q2), and the sum is lost.
#ifndef STRANDCORE_KERNELS_ACCUMULATE_H_
#define STRANDCORE_KERNELS_ACCUMULATE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct AccumulateShape {
  int64_t cycles = 1;
  int64_t blocks = 2;  // the grid is (blocks, steps)
  int64_t steps = 2;
  int64_t block_rows = 8;
  int64_t block_columns = 128;

  Dims XShape() const { return {cycles, blocks * block_rows, steps * block_columns}; }
  Dims WShape() const { return {block_rows, block_columns}; }
  Dims ZShape() const { return {blocks * block_rows, block_columns}; }
};

// One cycle: takes x[c], w, z.
absl::StatusOr<Pipeline> AccumulatePipeline(const AccumulateShape& shape);

// All cycles: takes the operands x, w, z.
absl::StatusOr<RefFunction> AccumulateKernel(const AccumulateShape& shape, const Schedule& schedule);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_ACCUMULATE_H_
