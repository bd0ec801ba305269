#include "kernels/grid_over.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace strandcore {

absl::StatusOr<Grid> GridOver(const Dims& sizes, const Dims& blocks) {
  if (sizes.size() != blocks.size()) {
    return absl::InvalidArgumentError(absl::StrCat("block: expected ", sizes.size(), " dimensions as the array ",
                                                   sizes.ToString(), " has, given ", blocks.ToString()));
  }
  Grid grid;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes[d] <= 0 || blocks[d] <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimension ", d, ": expected a positive size and block, given size ", sizes[d], " and block ", blocks[d]));
    }
    grid.push_back((sizes[d] - 1) / blocks[d] + 1);
  }
  return grid;
}

}  // namespace strandcore
