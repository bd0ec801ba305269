#include "runtime/memory/footprint.h"

#include <algorithm>

namespace strandcore {
namespace {

Dims ExtentWithin(const Ref& ref, const Dims& bounds) {
  if (!ref.overruns()) return ref.shape();
  if (ref.outside()) return Dims::Filled(ref.rank(), 0);
  Dims starts = BaseStarts(ref);
  for (int k = 0; k < bounds.size(); ++k) {
    if (starts[k] >= bounds[k]) return Dims::Filled(ref.rank(), 0);
  }
  Dims extent = ref.shape();
  for (int d = 0; d < extent.size(); ++d) {
    const int k = ref.base_dimension(d);
    if (k < 0) {
      extent[d] = std::min<int64_t>(extent[d], 1);
      continue;
    }
    const int64_t step = ref.strides()[d] / ref.allocation()->physical_strides()[k];
    extent[d] = std::min(extent[d], (bounds[k] - 1 - starts[k]) / step + 1);
  }
  return extent;
}

}  // namespace

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

Dims PhysicalExtent(const Ref& ref) { return ExtentWithin(ref, ref.allocation()->physical_shape()); }

Dims LogicalExtent(const Ref& ref) { return ExtentWithin(ref, ref.allocation()->shape()); }

}  // namespace strandcore
