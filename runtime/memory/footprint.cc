#include "runtime/memory/footprint.h"

#include <algorithm>

namespace strandcore {
Dims BaseStarts(const Ref& ref) {
  const Dims& strides = ref.allocation()->physical_strides();
  Dims starts = strides;
  int64_t rest = ref.offset();
  for (int k = 0; k < strides.size(); ++k) {
    starts[k] = rest / strides[k];
    rest %= strides[k];
  }
  if (ref.outside()) starts[ref.outside_dim()] = ref.outside_start();
  return starts;
}

Dims BaseDimensions(const Ref& ref) {
  Dims dimensions;
  for (int d = 0; d < ref.rank(); ++d) dimensions.push_back(ref.base_dimension(d));
  return dimensions;
}

bool ExtentWithin(const Ref& ref, const Dims& bounds, Dims* extent) {
  *extent = ref.shape();
  if (!ref.overruns()) return true;
  const Dims starts = BaseStarts(ref);
  bool inside = !ref.outside();
  for (int k = 0; k < bounds.size(); ++k) inside = inside && starts[k] < bounds[k];
  if (!inside) {
    *extent = Dims::Filled(ref.rank(), 0);
    return false;
  }
  for (int d = 0; d < extent->size(); ++d) {
    const int k = ref.base_dimension(d);
    if (k < 0) {
      (*extent)[d] = std::min<int64_t>((*extent)[d], 1);
      continue;
    }
    const int64_t step = ref.strides()[d] / ref.allocation()->physical_strides()[k];
    (*extent)[d] = std::min((*extent)[d], (bounds[k] - 1 - starts[k]) / step + 1);
  }
  return true;
}

Dims PhysicalExtent(const Ref& ref) {
  Dims extent;
  ExtentWithin(ref, ref.allocation()->physical_shape(), &extent);
  return extent;
}

Dims LogicalExtent(const Ref& ref) {
  Dims extent;
  ExtentWithin(ref, ref.allocation()->shape(), &extent);
  return extent;
}

bool MemoryExtent(const Ref& ref, Dims* extent) {
  const Allocation& allocation = *ref.allocation();
  return ExtentWithin(ref, ref.reaches_out() ? allocation.shape() : allocation.physical_shape(), extent);
}

}  // namespace strandcore
