#include "runtime/pipeline/grid.h"

#include <algorithm>

#include "runtime/base/refusal.h"

namespace strandcore {

absl::Status ValidateGrid(const Grid& grid) {
  if (grid.size() > static_cast<size_t>(kMaxRank)) {
    return Refuse("grid: expected at most ", kMaxRank, " dimensions, given ", grid.size());
  }
  for (size_t d = 0; d < grid.size(); ++d) {
    if (grid[d].dynamic || grid[d].size > 0) continue;
    return Refuse("grid: expected a positive size in dimension ", d, ", given ", grid[d].size);
  }
  return absl::OkStatus();
}

GridWalk::GridWalk(const Dims& sizes, const Dims& offsets)
    : sizes_(sizes), offsets_(offsets), previous_(offsets), point_(offsets), next_(offsets) {
  // A dimension without points leaves none, also beside another that has a negative size.
  const bool none = std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size <= 0; });
  steps_ = none ? 0 : sizes.Product();
  for (int d = 0; d < sizes.size(); ++d) previous_[d] += sizes[d] - 1;
  if (steps_ > 0) MoveOn(next_);
}

void GridWalk::Advance() {
  ++step_;
  previous_ = point_;
  point_ = next_;
  MoveOn(next_);
}

void GridWalk::MoveOn(GridIndex& point) const {
  for (int d = sizes_.size() - 1; d >= 0; --d) {
    if (++point[d] < offsets_[d] + sizes_[d]) return;
    point[d] = offsets_[d];
  }
}

}  // namespace strandcore
