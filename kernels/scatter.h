// Scatter: block ids[i] of y = block i of x, by rows (any element type). Shows an output whose place a table decides.
//
// How to read it. It is gather.h turned around: the output's index map reads the table. Steps in a row that name the
// same block share one window: only the last of them travels out. A block that is named again later is written
// again, and never read back, so the last writer wins. Blocks that no entry names keep what they held: give y with
// InOut; with Out they come back as poison.
//
//   simulator.Run(*ScatterKernel({.block_rows = 8, .columns = 128}),
//                 {In("ids", ids, MemorySpace::kSmem), In("x", x), InOut("y", y)});
#ifndef STRANDCORE_KERNELS_SCATTER_H_
#define STRANDCORE_KERNELS_SCATTER_H_

#include "absl/status/statusor.h"
#include "kernels/gather.h"
#include "runtime/strandcore.h"

namespace strandcore {

// Takes the operands ids, x, y.
absl::StatusOr<RefFunction> ScatterKernel(const RowBlocks& blocks);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_SCATTER_H_
