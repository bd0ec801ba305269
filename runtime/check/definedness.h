// Definedness: which elements of an allocation hold nothing that the program put there, and why not.
//
// By rectangle, in a tree of its own: what is wholly written is one leaf again, and an allocation without holes costs a
// look at two counts.
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

  // Makes the array's elements, or the padding around them, undefined.
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
    tree_.ForEachOverlap(region, [&](const ElementState& state, const Region& part) {
      if (state.undefined()) visit(part, state);
    });
  }

  int32_t LeafCount() const { return tree_.LeafCount(); }

 private:
  bool IsAlready(const Region& region, const ElementState& state) const;
  void Count(const Region& leaf, bool undefined);

  const Region array_;
  const Region box_;
  RegionTree<ElementState> tree_;
  // How many are undefined, in the array and around it. Relaxed: see above.
  std::atomic<int64_t> undefined_{0};
  std::atomic<int64_t> padding_{0};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_DEFINEDNESS_H_
