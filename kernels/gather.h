// Gather: block i of y = block ids[i] of x, by rows (any element type). Shows an index map that reads a table.
//
// How to read it. `ids` (n) int32 lives in SMEM, where a kernel may read scalars at once; it is no operand of the
// pipeline. The index map of x captures it and answers the block that the table names. The grid has one step an entry,
// which is known only when the kernel runs: `Dynamic`.
//
// A block that the next step wants again stays in VMEM: the table 0 0 2 3 3 3 1 takes four copies of blocks of x, not
// seven. Those of y all travel. The map is asked for the same step several times, so the table must not change
// meanwhile. An entry that is no block of x ends the run with what the pipeline says about it.
//
//   simulator.Run(*GatherKernel({.block_rows = 8, .columns = 128}),
//                 {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
#ifndef STRANDCORE_KERNELS_GATHER_H_
#define STRANDCORE_KERNELS_GATHER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

// x and y have `columns` columns, all of which belong to a block.
struct RowBlocks {
  int64_t block_rows = 8;
  int64_t columns = 128;
};

// The blocks 0, 1, 2, ... in the order of the grid, and those that `ids` names. Refuses sizes that are not positive.
BlockSpec BlocksInOrder(const RowBlocks& blocks);
BlockSpec BlocksByTable(const RowBlocks& blocks, const Ref& ids);
absl::Status CheckRowBlocks(const RowBlocks& blocks);

// Takes the operands ids, x, y.
absl::StatusOr<RefFunction> GatherKernel(const RowBlocks& blocks);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_GATHER_H_
