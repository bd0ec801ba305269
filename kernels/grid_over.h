// GridOver: the grid that covers an array with blocks, one step a block. The last block of a dimension may be partial.
//
//   GridOver({600, 512}, {256, 128})  ->  (3, 4)
#ifndef STRANDCORE_KERNELS_GRID_OVER_H_
#define STRANDCORE_KERNELS_GRID_OVER_H_

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

// Refuses ranks that differ, and sizes and blocks that are not positive.
absl::StatusOr<Grid> GridOver(const Dims& sizes, const Dims& blocks);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_GRID_OVER_H_
