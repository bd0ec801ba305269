#include "runtime/check/region_partition.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "runtime/base/check.h"

namespace strandcore {
namespace {

// One dimension of a leaf and of a region that overlaps it without covering it.
struct Along {
  int64_t leaf_start, leaf_end, start, end;

  int64_t size() const { return end - start; }
  int64_t blocks() const { return (leaf_end - leaf_start) / size(); }
};

// The line of the region's lattice nearest to the leaf's middle. Since one of the region's edges lies within the leaf,
// so does this.
int64_t LatticeLine(const Along& along) {
  const int64_t middle = along.leaf_start + (along.leaf_end - along.leaf_start) / 2;
  const int64_t size = along.size();
  const int64_t beyond = (middle - along.start) % size;
  const int64_t below = middle - (beyond < 0 ? beyond + size : beyond);
  if (below <= along.leaf_start) return below + size;
  if (below + size >= along.leaf_end) return below;
  return middle - below <= below + size - middle ? below : below + size;
}

}  // namespace

RegionPartition::RegionPartition(const Dims& shape)
    : rank_(shape.size()), stride_(2 * static_cast<size_t>(shape.size())), box_(Dims::Filled(shape.size(), 0), shape) {
  Reset();
}

void RegionPartition::Reset() {
  leaves_ = 0;
  steps_ = 0;
  bounds_.clear();
  inners_.clear();
  MakeTable(kFirstTable);
  if (box_.empty()) return;
  for (int d = 0; d < rank_; ++d) {
    bounds_.push_back(0);
    bounds_.push_back(box_.end[d]);
  }
  inners_.push_back({0, {~0, ~0}, 0});
  leaves_ = 1;
  Enter(0);
}

int32_t RegionPartition::Depth() const {
  if (leaves_ == 0) return 0;
  int32_t deepest = 0;
  std::vector<std::pair<int32_t, int32_t>> below = {{Child(kRoot), 0}};
  while (!below.empty()) {
    const auto [child, depth] = below.back();
    below.pop_back();
    deepest = std::max(deepest, depth);
    if (child < 0) continue;
    for (int side : {0, 1}) below.push_back({inners_[static_cast<size_t>(child)].child[side], depth + 1});
  }
  return deepest;
}

RegionPartition::Descent RegionPartition::DescendTo(int32_t slot, const Region& wanted, Slots& later) const {
  int32_t steps = 1;
  for (int32_t child = Child(slot); child >= 0; ++steps) {
    const Inner& inner = inners_[static_cast<size_t>(child)];
    const bool above = wanted.start[inner.dimension] >= inner.line;
    if (!above && wanted.end[inner.dimension] > inner.line) later.push_back(2 * child + 1);
    slot = 2 * child + (above ? 1 : 0);
    child = inner.child[above ? 1 : 0];
  }
  return {slot, steps};
}

RegionPartition::CutLine RegionPartition::LineFor(int32_t leaf, const Region& wanted) const {
  const int64_t* const bounds = BoundsOf(leaf);
  CutLine best = {-1, 0};
  int64_t most = -1;
  for (int d = 0; d < rank_; ++d) {
    const Along along = {bounds[2 * d], bounds[2 * d + 1], wanted.start[d], wanted.end[d]};
    if (along.start <= along.leaf_start && along.end >= along.leaf_end) continue;
    if (along.blocks() <= most) continue;
    most = along.blocks();
    // The last block of a dimension may be cut off by the box's end: its size says nothing of the others'.
    const bool last = along.end == box_.end[d];
    best = {d, last ? along.start : LatticeLine(along)};
  }
  return best;
}

void RegionPartition::Cut(int32_t slot, const Region& wanted) {
  STRANDCORE_CHECK(leaves_ < std::numeric_limits<int32_t>::max() / 2);
  const int32_t lower = ~Child(slot);
  const int32_t upper = leaves_++;
  const auto [dimension, line] = LineFor(lower, wanted);
  bounds_.resize(bounds_.size() + stride_);
  int64_t* const from = bounds_.data() + static_cast<size_t>(lower) * stride_;
  int64_t* const to = bounds_.data() + static_cast<size_t>(upper) * stride_;
  std::copy(from, from + stride_, to);
  from[2 * dimension + 1] = line;
  to[2 * dimension] = line;
  const int32_t inner = static_cast<int32_t>(inners_.size());
  inners_.push_back({line, {~lower, ~upper}, dimension});
  inners_[static_cast<size_t>(slot) / 2].child[slot % 2] = inner;
  ++steps_;
  if (2 * static_cast<size_t>(leaves_) > table_.size()) {
    MakeTable(2 * table_.size());
    for (int32_t leaf = 0; leaf < leaves_; ++leaf) Enter(leaf);
  } else {
    Enter(upper);
  }
}

void RegionPartition::Enter(int32_t leaf) {
  int64_t start[kMaxRank];
  for (int d = 0; d < rank_; ++d) start[d] = BoundsOf(leaf)[2 * d];
  const uint64_t hash = HashOf(start);
  size_t at = hash >> shift_;
  while (table_[at].leaf != kNone) at = (at + 1) & (table_.size() - 1);
  table_[at] = {static_cast<uint32_t>(hash), leaf};
}

void RegionPartition::MakeTable(size_t size) {
  table_.assign(size, Entry());
  shift_ = 64 - (std::bit_width(size) - 1);
}

}  // namespace strandcore
