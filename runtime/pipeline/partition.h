// Partition: which part of a grid a core takes (seed_pipeline.md 1.12).
//
// Concurrency: pure.
#ifndef STRANDCORE_RUNTIME_PIPELINE_PARTITION_H_
#define STRANDCORE_RUNTIME_PIPELINE_PARTITION_H_

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/pipeline/grid.h"

namespace strandcore {

enum class DimensionSemantics : uint8_t { kParallel, kArbitrary };
inline constexpr DimensionSemantics kParallel = DimensionSemantics::kParallel;
inline constexpr DimensionSemantics kArbitrary = DimensionSemantics::kArbitrary;

// One entry a grid dimension, or none at all, which means that no dimension is parallel. (A list without entries is not
// the same: it fits no grid but the empty one.)
class Semantics {
 public:
  Semantics() = default;
  Semantics(std::initializer_list<DimensionSemantics> list) : list_(list), given_(true) {}
  explicit Semantics(std::vector<DimensionSemantics> list) : list_(std::move(list)), given_(true) {}

  bool given() const { return given_; }
  size_t size() const { return list_.size(); }
  bool parallel(size_t d) const { return given_ && list_[d] == kParallel; }

 private:
  std::vector<DimensionSemantics> list_;
  bool given_ = false;
};

struct GridPart {
  Dims sizes;
  Dims offsets;
};

// The whole grid, at offset zero.
GridPart WholeGrid(const Grid& grid);

// Core `core`'s part of the grid over `cores` cores. One core takes all, whatever the semantics say. Among the static
// parallel dimensions the first that `cores` divides is split evenly; else the first static dimension of the whole
// grid that is as large as the largest of them is, also where that one is not parallel (quirk Q4), and the first
// cores get one step more. Refuses: semantics of another rank
// than the grid; no parallel dimension; only dynamic ones.
absl::StatusOr<GridPart> PartitionGrid(const Grid& grid, int64_t core, int64_t cores, const Semantics& semantics);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_PARTITION_H_
