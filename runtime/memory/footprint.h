// Footprint: which part of its allocation a view covers, in the allocation's own coordinates. For whoever copies the
// bytes of views that run past the end, and for the checker's rectangles.
#ifndef STRANDCORE_RUNTIME_MEMORY_FOOTPRINT_H_
#define STRANDCORE_RUNTIME_MEMORY_FOOTPRINT_H_

#include "runtime/base/dims.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// The allocation's coordinates of the view's first element.
Dims BaseStarts(const Ref& ref);

// Its base_dimension() for each dimension of the view.
Dims BaseDimensions(const Ref& ref);

// For each dimension of the view, how many of its elements lie within the physical shape of the allocation. The
// view's own shape unless it overruns; all zeros if it lies outside.
Dims PhysicalExtent(const Ref& ref);

// The same within the logical shape: what lies beyond it is padding.
Dims LogicalExtent(const Ref& ref);

// The same within `bounds`, a shape of the allocation's rank; false if the view lies outside from its first element on.
bool ExtentWithin(const Ref& ref, const Dims& bounds, Dims* extent);

// How many are memory that may be touched: PhysicalExtent, but LogicalExtent if the view reaches_out(). False if none
// are, which of a view of rank 0 nothing else says.
bool MemoryExtent(const Ref& ref, Dims* extent);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_FOOTPRINT_H_
