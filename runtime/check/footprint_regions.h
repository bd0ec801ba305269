// FootprintRegions: the elements that a view touches, exactly, as disjoint regions of its allocation.
//
//   slices, squeezed, transposed       one region
//   strides                            one region for each index of a dimension with a stride; the others stay whole
//   reshaped                           seen along the allocation's dimensions where it can be, then as above; else one
//                                      run of elements after the other, each of as few regions as it takes
//   running past the end               only what is memory (MemoryExtent); none outside
//
// No heap memory is used.
#ifndef STRANDCORE_RUNTIME_CHECK_FOOTPRINT_REGIONS_H_
#define STRANDCORE_RUNTIME_CHECK_FOOTPRINT_REGIONS_H_

#include "absl/functional/function_ref.h"
#include "runtime/check/region.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// True if the view is plain and lies within its allocation: all dimensions step along one of the allocation's, by one.
// Then `region`, which may be empty, is all there is.
bool PlainRegion(const Ref& ref, Region* region);

// Whatever the view. Calls nothing for a view without elements or without memory.
void ForEachRegionOfAny(const Ref& ref, absl::FunctionRef<void(const Region&)> visit);

// Calls `visit(const Region&)` for each region. REQUIRES: the view is of an allocation.
template <typename Visit>
void ForEachRegion(const Ref& ref, Visit&& visit) {
  Region region;
  if (__builtin_expect(PlainRegion(ref, &region), 1)) {
    if (!region.empty()) visit(static_cast<const Region&>(region));
    return;
  }
  ForEachRegionOfAny(ref, visit);
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_FOOTPRINT_REGIONS_H_
