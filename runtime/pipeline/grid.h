// Grid: the steps a pipeline runs through, row-major, the last dimension fastest (seed_pipeline.md 1.1).
#ifndef STRANDCORE_RUNTIME_PIPELINE_GRID_H_
#define STRANDCORE_RUNTIME_PIPELINE_GRID_H_

#include <concepts>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "runtime/base/dims.h"

namespace strandcore {

// A grid point: what index maps are given.
using GridIndex = Dims;
// What an index map answers: which block, one number a dimension of the block.
using BlockIndex = Dims;

// One size of a grid: static by default, or known only when the kernel runs (`Dynamic`). Static sizes are positive; a
// dynamic size of 0 or less means that the pipeline does nothing.
struct GridDim {
  constexpr GridDim(std::integral auto size) : size(static_cast<int64_t>(size)) {}  // NOLINT: a size converts
  constexpr GridDim(int64_t size, bool dynamic) : size(size), dynamic(dynamic) {}
  int64_t size;
  bool dynamic = false;
};
constexpr GridDim Dynamic(int64_t size) { return GridDim(size, true); }

using Grid = std::vector<GridDim>;

// Refuses more than eight dimensions, static sizes that are not positive, and more than 2^62 steps.
absl::Status ValidateGrid(const Grid& grid);

// A walk through all points of a grid, with an offset in each dimension, and their neighbours. The walk is cyclic: the
// first point's predecessor is the last point.
class GridWalk {
 public:
  GridWalk(const Dims& sizes, const Dims& offsets);

  int64_t steps() const { return steps_; }
  int64_t step() const { return step_; }
  bool first() const { return step_ == 0; }
  bool last() const { return step_ == steps_ - 1; }
  void Advance();

  const Dims& sizes() const { return sizes_; }
  const GridIndex& point() const { return point_; }
  const GridIndex& previous() const { return previous_; }
  const GridIndex& next() const { return next_; }

 private:
  void MoveOn(GridIndex& point) const;

  Dims sizes_;
  Dims offsets_;
  int64_t steps_;
  int64_t step_ = 0;
  GridIndex previous_;
  GridIndex point_;
  GridIndex next_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_GRID_H_
