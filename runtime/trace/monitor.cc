#include "runtime/trace/monitor.h"

namespace strandcore {

Dims GridPointOf(const GridInfo& grid, int64_t step) {
  Dims point = grid.offsets;
  for (int d = grid.sizes.size() - 1; d >= 0; --d) {
    if (grid.sizes[d] <= 0) continue;
    point[d] += step % grid.sizes[d];
    step /= grid.sizes[d];
  }
  return point;
}

Place PlaceOf(const Stamp& stamp, CoreId core, const std::string& operand) {
  Place place;
  place.core = core;
  place.phase = stamp.phase;
  place.cycle = stamp.cycle;
  place.pipeline_operand = stamp.operand;
  place.operand = operand;
  place.site = stamp.site;
  if (stamp.grid != nullptr) {
    place.in_pipeline = true;
    place.grid_point = GridPointOf(*stamp.grid, stamp.step);
  }
  return place;
}

}  // namespace strandcore
