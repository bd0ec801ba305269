// RowSum: y (1, columns) = the sum over the rows of x (rows, columns) (float32). Shows a reduction that stays in the
// output's own window, and how the surplus of a partial block is kept out of a sum.
//
// How to read it. The grid is (column blocks, row blocks), rows innermost: y's block stays for all blocks of rows under
// it, is set at the first, added to at the others, and travels out once. The cores share the column blocks.
//
// The last block of either dimension may be partial. What its window holds beyond the array's end is old data or
// padding (quirk Q14), so the body takes the filled part alone.
#ifndef STRANDCORE_KERNELS_ROW_SUM_H_
#define STRANDCORE_KERNELS_ROW_SUM_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct RowSumShape {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t block_rows = 8;
  int64_t block_columns = 128;
  std::optional<int> core_axis = 0;  // std::nullopt: every core does all of it
};

// Takes the operands x, y.
absl::StatusOr<Pipeline> RowSumPipeline(const RowSumShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_ROW_SUM_H_
