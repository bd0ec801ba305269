// GridOver: the grid that covers an array with blocks, one step a block. The last block of a dimension may be partial:
// what its window holds beyond the array's end is old data or padding (quirk Q14), which a body must not use.
//
//   GridOver({600, 512}, {256, 128})  ->  (3, 4)
//   x.At(FilledPart(core, 0, 600, 256)).Read<float>()    // the rows of x's window that are there
#ifndef STRANDCORE_KERNELS_GRID_OVER_H_
#define STRANDCORE_KERNELS_GRID_OVER_H_

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

// Refuses ranks that differ, and sizes and blocks that are not positive.
absl::StatusOr<Grid> GridOver(const Dims& sizes, const Dims& blocks);

// In a body: the part of a window's dimension that the array fills, where dimension `axis` of the grid goes along it:
// all of it but for a partial last block.
Index FilledPart(const KernelContext& core, int axis, int64_t size, int64_t block);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_GRID_OVER_H_
