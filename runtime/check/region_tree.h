// RegionTree: a state for every element of a box, kept by rectangle: the leaves, disjoint, each with one state. What is
// visited decides the rectangles, so the shadow of an array that is moved in blocks has one leaf a block.
//
// A region that is a leaf, as the blocks of a pipeline are from their second visit on, costs one look-up whatever the
// number of leaves; any other a way down a tree (RegionPartition), plus the leaves it covers. Memory is bounded by the
// number of leaves; leaves are never merged.
//
//   RegionTree<Shadow> tree(allocation.physical_shape(), Shadow());
//   tree.ForEach(region, [&](Shadow& shadow, const Region& part) { ... });
//
// Ownership: a resource with one owner. Concurrency: none of its own; guarded by whoever owns it.
#ifndef STRANDCORE_RUNTIME_CHECK_REGION_TREE_H_
#define STRANDCORE_RUNTIME_CHECK_REGION_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/dims.h"
#include "runtime/check/region.h"
#include "runtime/check/region_partition.h"

namespace strandcore {

// A State is copied when its leaf is cut.
template <typename State>
class RegionTree {
 public:
  // REQUIRES: `shape` is not negative and its numbers can be counted in 64 bits. Rank 0 has one element.
  RegionTree(const Dims& shape, const State& state) : partition_(shape), states_(1, state) {}
  RegionTree(const RegionTree&) = delete;
  RegionTree& operator=(const RegionTree&) = delete;

  // One leaf again. Keeps its memory.
  void Reset(const State& state) {
    const State copy = state;  // may be one of the states
    partition_.Reset();
    states_.assign(1, copy);
  }

  // Makes the region, as far as it lies in the box, a union of leaves; calls `visit(State&, const Region& leaf)` for
  // each, which must not call back into the tree. REQUIRES, here and below: the region has the box's rank.
  template <typename Visit>
  void ForEach(const Region& region, Visit&& visit) {
    const int32_t leaf = partition_.Find(region);
    if (__builtin_expect(leaf != RegionPartition::kNone, 1)) {
      visit(states_[static_cast<size_t>(leaf)], region);
      return;
    }
    ForEachOfSeveral(region, visit);
  }

  // Cuts nothing: calls `visit(const State&, const Region& what the leaf and the region have in common)`.
  template <typename Visit>
  void ForEachOverlap(const Region& region, Visit&& visit) const {
    const int32_t leaf = partition_.Find(region);
    if (__builtin_expect(leaf != RegionPartition::kNone, 1)) {
      visit(states_[static_cast<size_t>(leaf)], region);
      return;
    }
    partition_.VisitOverlap(region,
                            [&](int32_t each, const Region& both) { visit(states_[static_cast<size_t>(each)], both); });
  }

  int32_t LeafCount() const { return partition_.LeafCount(); }
  // For tests.
  const RegionPartition& partition() const { return partition_; }

 private:
  template <typename Visit>
  __attribute__((noinline)) void ForEachOfSeveral(const Region& region, Visit& visit) {
    partition_.CutAndVisit(
        region,
        [&](int32_t from) {
          const State copy = states_[static_cast<size_t>(from)];
          states_.push_back(copy);
        },
        [&](int32_t leaf, const Region& part) { visit(states_[static_cast<size_t>(leaf)], part); });
  }

  RegionPartition partition_;
  std::vector<State> states_;  // by leaf
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REGION_TREE_H_
