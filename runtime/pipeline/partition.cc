#include "runtime/pipeline/partition.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

absl::Status CheckSemantics(const Grid& grid, const Semantics& semantics, int64_t cores) {
  if (semantics.given() && semantics.size() != grid.size()) {
    return RefusalOf(RefusalKind::kSemanticsRankMismatch,
                     absl::StrCat("dimension_semantics: expected ", grid.size(),
                                  " entries, one for each dimension of the ", "grid, given ", semantics.size()));
  }
  bool parallel = false;
  for (size_t d = 0; d < grid.size(); ++d) {
    parallel = parallel || semantics.parallel(d);
    if (semantics.parallel(d) && !grid[d].dynamic) return absl::OkStatus();
  }
  if (parallel) {
    return RefusalOf(RefusalKind::kOnlyDynamicParallelDimensions,
                     absl::StrCat("dimension_semantics: to split the grid over ", cores,
                                  " cores a static parallel dimension is expected, all parallel ones are dynamic"));
  }
  return RefusalOf(RefusalKind::kNoParallelDimension,
                   absl::StrCat("dimension_semantics: to split the grid over ", cores,
                                " cores a parallel dimension is expected, given none"));
}

}  // namespace

GridPart WholeGrid(const Grid& grid) {
  GridPart part;
  for (const GridDim& dim : grid) {
    part.sizes.push_back(dim.size);
    part.offsets.push_back(0);
  }
  return part;
}

absl::StatusOr<GridPart> PartitionGrid(const Grid& grid, int64_t core, int64_t cores, const Semantics& semantics) {
  GridPart part = WholeGrid(grid);
  if (cores == 1) return part;
  STRANDCORE_RETURN_IF_ERROR(CheckSemantics(grid, semantics, cores));
  int64_t largest = 0;
  for (size_t d = 0; d < grid.size(); ++d) {
    if (grid[d].dynamic || !semantics.parallel(d)) continue;
    largest = std::max(largest, grid[d].size);
    if (grid[d].size % cores != 0) continue;
    part.sizes[static_cast<int>(d)] = grid[d].size / cores;
    part.offsets[static_cast<int>(d)] = core * (grid[d].size / cores);
    return part;
  }
  int split = 0;
  while (grid[static_cast<size_t>(split)].dynamic || grid[static_cast<size_t>(split)].size != largest) ++split;
  const int64_t quotient = largest / cores;
  const int64_t rest = largest % cores;
  part.sizes[split] = core < rest ? quotient + 1 : quotient;
  part.offsets[split] = core < rest ? core * (quotient + 1) : core * quotient + rest;
  return part;
}

}  // namespace strandcore
