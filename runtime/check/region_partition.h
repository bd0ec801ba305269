// RegionPartition: a box cut into disjoint rectangles, the leaves, so that each region asked for is a union of leaves.
// The structure below RegionTree, which adds a state for each leaf.
//
//   inner node: dimension, line            leaves        0: [0:4, 0:8]   1: [4:8, 0:8]   ...
//        /                 \               by start      (0, 0) -> 0     (4, 0) -> 1     ...
//   inner or leaf     inner or leaf
//
// Two ways lead to a leaf. Every leaf is in a hash table by its start, which no other leaf shares, so a region that is
// a leaf is found at once. All others come down the tree of cuts. When a leaf is cut, the lower part keeps its number
// and its place in the table; so nothing is ever removed.
//
// Who asks for one block of a lattice will ask for its other blocks. So a leaf is not cut at the region's edge, which
// would make a tree as deep as there are blocks, but at the line of the region's lattice nearest to the leaf's middle,
// in the dimension with most blocks, until the region is left. The tree is then as deep as the logarithm of their
// number, and the other blocks are made on the way or lie within one leaf.
//
// Concurrency: none of its own; guarded by whoever owns it.
#ifndef STRANDCORE_RUNTIME_CHECK_REGION_PARTITION_H_
#define STRANDCORE_RUNTIME_CHECK_REGION_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "runtime/base/dims.h"
#include "runtime/check/region.h"

namespace strandcore {

class RegionPartition {
 public:
  static constexpr int32_t kNone = -1;

  // REQUIRES: `shape` is not negative and its numbers can be counted in 64 bits.
  explicit RegionPartition(const Dims& shape);
  // One leaf again; none if the box is empty. Keeps its memory.
  void Reset();

  int32_t LeafCount() const { return leaves_; }
  // How many cuts lie above the deepest leaf.
  int32_t Depth() const;
  // For tests of what it costs: how many nodes were passed and cuts made so far by CutAndVisit.
  int64_t steps() const { return steps_; }

  // The leaf that is exactly this region; else kNone. REQUIRES, for all three: the region has the box's rank.
  int32_t Find(const Region& region) const {
    const uint64_t hash = HashOf(region.start);
    for (size_t at = hash >> shift_;; at = (at + 1) & (table_.size() - 1)) {
      const Entry& entry = table_[at];
      if (entry.leaf == kNone) return kNone;
      if (entry.tag == static_cast<uint32_t>(hash) && Is(entry.leaf, region)) return entry.leaf;
    }
  }

  // Cuts leaves until the region, as far as it lies in the box, is a union of leaves; calls `visit(leaf, its region)`
  // for each of those, and before, `on_cut(from)` for each cut: the new leaf has the highest number and was part of
  // `from`. Neither may call back into this.
  template <typename OnCut, typename Visit>
  void CutAndVisit(const Region& region, OnCut&& on_cut, Visit&& visit) {
    Region wanted = region.Intersection(box_);
    if (wanted.empty()) return;
    Slots later;
    Region found;
    found.rank = rank_;
    for (int32_t slot = kRoot;;) {
      slot = Descend(slot, wanted, later);
      const int32_t leaf = ~Child(slot);
      Load(leaf, found);
      if (!wanted.Contains(found)) {
        Cut(slot, wanted);
        on_cut(leaf);
        continue;
      }
      visit(leaf, static_cast<const Region&>(found));
      if (later.empty()) return;
      slot = later.back();
      later.pop_back();
    }
  }

  // Cuts nothing: calls `visit(leaf, what it has in common with the region)`.
  template <typename Visit>
  void VisitOverlap(const Region& region, Visit&& visit) const {
    Region wanted = region.Intersection(box_);
    if (wanted.empty()) return;
    Slots later;
    Region found;
    found.rank = rank_;
    for (int32_t slot = kRoot;;) {
      slot = DescendTo(slot, wanted, later).slot;
      const int32_t leaf = ~Child(slot);
      Load(leaf, found);
      const Region both = found.Intersection(wanted);
      visit(leaf, both);
      if (later.empty()) return;
      slot = later.back();
      later.pop_back();
    }
  }

 private:
  // A child is an inner node or, if negative, ~ a leaf. A slot is where one is kept: two for each inner node. The
  // first inner node is none but keeps the root.
  using Slots = absl::InlinedVector<int32_t, 48>;
  static constexpr int32_t kRoot = 0;
  static constexpr size_t kFirstTable = 16;

  struct Inner {
    int64_t line;
    int32_t child[2];  // below the line; from the line on
    int32_t dimension;
  };
  struct Entry {
    uint32_t tag = 0;
    int32_t leaf = kNone;
  };
  struct CutLine {
    int dimension;
    int64_t line;
  };
  struct Descent {
    int32_t slot;
    int32_t steps;
  };

  uint64_t HashOf(const int64_t* start) const {
    static constexpr uint64_t kOdd[kMaxRank] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                                0xd6e8feb86659fd93, 0xa0761d6478bd642f, 0xe7037ed1a0b428db,
                                                0x8ebc6af09c88c6e3, 0x589965cc75374cc3};
    uint64_t hash = 0;
    for (int d = 0; d < rank_; ++d) hash += static_cast<uint64_t>(start[d]) * kOdd[d];
    hash ^= hash >> 32;
    return hash * 0x9fb21c651e98df25;
  }
  // The numbers of a leaf: for each dimension start and end.
  const int64_t* BoundsOf(int32_t leaf) const { return bounds_.data() + static_cast<size_t>(leaf) * stride_; }
  bool Is(int32_t leaf, const Region& region) const {
    const int64_t* const bounds = BoundsOf(leaf);
    for (int d = 0; d < rank_; ++d) {
      if (bounds[2 * d] != region.start[d] || bounds[2 * d + 1] != region.end[d]) return false;
    }
    return true;
  }
  void Load(int32_t leaf, Region& region) const {
    const int64_t* const bounds = BoundsOf(leaf);
    for (int d = 0; d < rank_; ++d) {
      region.start[d] = bounds[2 * d];
      region.end[d] = bounds[2 * d + 1];
    }
  }
  int32_t Child(int32_t slot) const { return inners_[static_cast<size_t>(slot) / 2].child[slot % 2]; }

  // To the slot of the first leaf below `slot` that has elements of `wanted`; the others' are in or below `later`.
  Descent DescendTo(int32_t slot, const Region& wanted, Slots& later) const;
  int32_t Descend(int32_t slot, const Region& wanted, Slots& later) {
    const Descent descent = DescendTo(slot, wanted, later);
    steps_ += descent.steps;
    return descent.slot;
  }
  CutLine LineFor(int32_t leaf, const Region& wanted) const;
  void Cut(int32_t slot, const Region& wanted);
  void Enter(int32_t leaf);
  void MakeTable(size_t size);

  const int32_t rank_;
  const size_t stride_;
  Region box_;
  int32_t leaves_ = 0;
  int shift_ = 0;
  std::vector<Entry> table_;  // at most half full; linear probing
  std::vector<int64_t> bounds_;
  std::vector<Inner> inners_;
  int64_t steps_ = 0;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REGION_PARTITION_H_
