#include "runtime/pipeline/grid.h"

#include <algorithm>

#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

// Far more than can be walked; so that the number of steps, and sums of two, are numbers.
constexpr int64_t kMostSteps = int64_t{1} << 62;

// Whether these sizes, all positive, have too many points.
bool TooManySteps(const Dims& sizes) {
  int64_t steps = 1;
  for (int64_t size : sizes) {
    if (size > kMostSteps / steps) return true;
    steps *= size;
  }
  return false;
}

}  // namespace

absl::Status ValidateGrid(const Grid& grid) {
  if (grid.size() > static_cast<size_t>(kMaxRank)) {
    return Refuse("grid: expected at most ", kMaxRank, " dimensions, given ", grid.size());
  }
  for (size_t d = 0; d < grid.size(); ++d) {
    if (grid[d].dynamic || grid[d].size > 0) continue;
    return Refuse("grid: expected a positive size in dimension ", d, ", given ", grid[d].size);
  }
  // A dynamic size that leaves no points does so whatever the others are.
  const bool none = std::any_of(grid.begin(), grid.end(), [](const GridDim& dim) { return dim.size <= 0; });
  Dims sizes;
  for (const GridDim& dim : grid) {
    if (!dim.dynamic || !none) sizes.push_back(dim.size);
  }
  if (TooManySteps(sizes)) return Refuse("grid: expected at most ", kMostSteps, " steps, given ", sizes.ToString());
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
