// Definedness: which elements of an allocation hold nothing that the program put there, and why not.
//
// By rectangle, in a tree of its own, and that only while parts of the array differ: a window that is undefined as a
// whole and written as a whole never needs it. An allocation without holes costs a look at two counts.
//
// Ownership: part of its allocation's shadow. Concurrency: the counts may be read at any time; all else is guarded by
// the shadow's lock. Two accesses that are ordered see each other's counts; of others the verdict is a race anyway.
#ifndef STRANDCORE_RUNTIME_CHECK_DEFINEDNESS_H_
#define STRANDCORE_RUNTIME_CHECK_DEFINEDNESS_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/base/dims.h"
#include "runtime/check/region.h"
#include "runtime/check/region_tree.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

// Of one element.
struct ElementState {
  WhyUndefined why = WhyUndefined::kDefined;
  // Of an undefined element that was copied: the memory where it was undefined first; outlives the shadow.
  const std::string* origin = nullptr;

  bool undefined() const { return why != WhyUndefined::kDefined; }
  friend bool operator==(const ElementState&, const ElementState&) = default;
};

// Undefined elements, in the coordinates of their allocation.
struct Hole {
  Region region;
  ElementState state;
};

class Definedness {
 public:
  // At first everything is defined. REQUIRES: `shape` is within `physical_shape`.
  Definedness(const Dims& shape, const Dims& physical_shape);

  // Makes the array's elements undefined; the padding around them, before anything else is set.
  void UndefineArray(WhyUndefined why) { Set(array_, {why, nullptr}); }
  void UndefinePadding();

  // Whether any element is undefined, the padding included.
  bool any() const { return undefined_.load(std::memory_order_relaxed) + padding_.load(std::memory_order_relaxed) > 0; }
  // Whether any of the region may be.
  bool MayLack(const Region& region) const {
    if (undefined_.load(std::memory_order_relaxed) > 0) return true;
    return padding_.load(std::memory_order_relaxed) > 0 && !array_.Contains(region);
  }
  // The array without its padding.
  const Region& array() const { return array_; }

  // REQUIRES, for all three: the region lies within the physical shape and is not empty.
  void Set(const Region& region, const ElementState& state);
  void Undefine(const Region& region, WhyUndefined why);
  // Calls visit(const Region&, const ElementState&) for disjoint parts of the region that are undefined, all of them.
  template <typename Visit>
  void ForEachHole(const Region& region, Visit&& visit) const {
    if (!MayLack(region)) return;
    if (!alike_) {
      tree_.ForEachOverlap(region, [&](const ElementState& state, const Region& part) {
        if (state.undefined()) visit(part, state);
      });
      return;
    }
    auto visit_part = [&](const Region& part, const ElementState& state) {
      const Region both = part.Intersection(region);
      if (state.undefined() && !both.empty()) visit(both, state);
    };
    visit_part(array_, array_state_);
    ForEachSlab([&](const Region& slab) { visit_part(slab, padding_state_); });
  }

 private:
  // The padding in rectangles: what lies beyond the array in dimension d, and within it in those before.
  template <typename Visit>
  void ForEachSlab(Visit&& visit) const {
    Region slab = box_;
    for (int d = 0; d < box_.rank; ++d) {
      slab.start[d] = array_.end[d];
      if (!slab.empty()) visit(static_cast<const Region&>(slab));
      slab.start[d] = 0;
      slab.end[d] = array_.end[d];
    }
  }
  bool IsAlready(const Region& region, const ElementState& state) const;
  void SetInTree(const Region& region, const ElementState& state);
  void Count(const Region& leaf, bool undefined);

  const Region array_;
  const Region box_;
  const int64_t array_elements_;
  const int64_t padding_elements_;
  // While all of the array is alike, and all of the padding: their states. Else the tree says.
  bool alike_ = true;
  ElementState array_state_;
  ElementState padding_state_;
  bool padding_is_alike_ = true;  // what padding_state_ says
  RegionTree<ElementState> tree_;
  // How many are undefined, in the array and around it. Relaxed: see above.
  std::atomic<int64_t> undefined_{0};
  std::atomic<int64_t> padding_{0};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_DEFINEDNESS_H_
