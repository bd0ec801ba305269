#include "runtime/check/footprint_regions.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "runtime/memory/footprint.h"

namespace strandcore {
namespace {

using Visit = absl::FunctionRef<void(const Region&)>;

// Steps along one dimension of the allocation.
struct Axis {
  int dimension;
  int64_t count;
  int64_t step;
};
using Axes = absl::InlinedVector<Axis, 2 * kMaxRank>;

// Steps along the allocation's elements in row-major order.
struct Steps {
  int64_t count;
  int64_t stride;
};
using StepsList = absl::InlinedVector<Steps, kMaxRank>;

// A division of 64-bit numbers takes several times as long as one of 32.
int64_t Quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

// Becomes the one element at `offset`.
void SetToElement(const Allocation& allocation, int64_t offset, Region* region) {
  const Dims& strides = allocation.physical_strides();
  region->rank = strides.size();
  for (int k = 0; k < region->rank; ++k) {
    const int64_t stride = strides[k];
    const int64_t at = stride == 1 ? offset : Quotient(offset, stride);
    offset -= at * stride;
    region->start[k] = at;
    region->end[k] = at + 1;
  }
}

// The regions of `element` moved along all axes. Those with a step are gone through like the digits of a number.
void VisitProduct(const Region& element, const Axes& axes, Visit visit) {
  Region region = element;
  Axes strided;
  for (const Axis& axis : axes) {
    if (axis.step == 1) {
      region.end[axis.dimension] += axis.count - 1;
    } else if (axis.count > 1) {
      strided.push_back(axis);
    }
  }
  const auto move = [&](const Axis& axis, int64_t steps) {
    region.start[axis.dimension] += steps * axis.step;
    region.end[axis.dimension] += steps * axis.step;
  };
  absl::InlinedVector<int64_t, 2 * kMaxRank> done(strided.size(), 0);
  for (;;) {
    visit(region);
    size_t digit = 0;
    for (; digit < strided.size(); ++digit) {
      if (++done[digit] < strided[digit].count) break;
      move(strided[digit], 1 - strided[digit].count);
      done[digit] = 0;
    }
    if (digit == strided.size()) return;
    move(strided[digit], 1);
  }
}

// The axes of a view that is not reshaped: its dimensions, as long as its memory. False if there is none.
bool AxesOfDimensions(const Ref& ref, Axes* axes) {
  Dims extent;
  if (!MemoryExtent(ref, &extent)) return false;
  const Dims& strides = ref.allocation()->physical_strides();
  for (int d = 0; d < ref.rank(); ++d) {
    if (extent[d] == 0) return false;
    const int k = ref.base_dimension(d);
    if (k >= 0) axes->push_back({k, extent[d], extent[d] == 1 ? 1 : ref.strides()[d] / strides[k]});
  }
  return true;
}

// The steps of a reshaped view, the longest stride first, those merged that follow each other evenly.
StepsList StepsOf(const Ref& ref) {
  StepsList all;
  for (int d = 0; d < ref.rank(); ++d) {
    if (ref.shape()[d] != 1) all.push_back({ref.shape()[d], ref.strides()[d]});
  }
  std::sort(all.begin(), all.end(), [](const Steps& a, const Steps& b) { return a.stride > b.stride; });
  StepsList merged;
  for (const Steps& steps : all) {
    if (!merged.empty() && merged.back().stride == steps.stride * steps.count) {
      merged.back() = {merged.back().count * steps.count, steps.stride};
    } else {
      merged.push_back(steps);
    }
  }
  return merged;
}

// Adds `steps` as axes, which begin at the last coordinates of `reached`; false if they go round a dimension's end
// other than by whole rows of it.
bool AddAxes(const Allocation& allocation, Steps steps, Region* reached, Axes* axes) {
  const Dims& strides = allocation.physical_strides();
  while (steps.count > 1) {
    int k = 0;
    while (steps.stride % strides[k] != 0) ++k;  // the last is 1
    const int64_t step = steps.stride / strides[k];
    const int64_t size = allocation.physical_shape()[k];
    if (steps.count - 1 <= (size - reached->end[k]) / step) {
      axes->push_back({k, steps.count, step});
      reached->end[k] += (steps.count - 1) * step;
      return true;
    }
    if (k == 0 || step != 1 || reached->end[k] != 1 || steps.count % size != 0) return false;
    axes->push_back({k, size, 1});
    reached->end[k] = size;
    steps = {steps.count / size, steps.stride * size};
  }
  return true;
}

// All elements from `begin` to before `end` in row-major order: as large a rectangle as begins there, then the next.
void VisitRun(const Allocation& allocation, int64_t begin, int64_t end, Visit visit) {
  const Dims& strides = allocation.physical_strides();
  const Dims& shape = allocation.physical_shape();
  while (begin < end) {
    Region region;
    SetToElement(allocation, begin, &region);
    int d = 0;
    while (d + 1 < strides.size() && (begin % strides[d] != 0 || end - begin < strides[d])) ++d;
    const int64_t count = std::min((end - begin) / strides[d], shape[d] - region.start[d]);
    region.end[d] = region.start[d] + count;
    for (int k = d + 1; k < strides.size(); ++k) region.end[k] = shape[k];
    visit(region);
    begin += count * strides[d];
  }
}

void VisitRuns(const Ref& ref, StepsList steps, Visit visit) {
  int64_t length = 1;
  if (!steps.empty() && steps.back().stride == 1) {
    length = steps.back().count;
    steps.pop_back();
  }
  int64_t runs = 1;
  for (const Steps& each : steps) runs *= each.count;
  for (int64_t run = 0; run < runs; ++run) {
    int64_t begin = ref.offset();
    int64_t rest = run;
    for (size_t i = steps.size(); i-- > 0; rest /= steps[i].count) begin += rest % steps[i].count * steps[i].stride;
    VisitRun(*ref.allocation(), begin, begin + length, visit);
  }
}

}  // namespace

bool PlainRegion(const Ref& ref, Region* region) {
  if (ref.overruns() || ref.reshaped()) return false;
  const Allocation& allocation = *ref.allocation();
  SetToElement(allocation, ref.offset(), region);
  for (int d = 0; d < ref.rank(); ++d) {
    const int k = ref.base_dimension(d);
    const int64_t size = ref.shape()[d];
    if (k < 0) {
      if (size == 0) return false;  // of rank 0, the region could not be empty
      continue;
    }
    if (size > 1 && ref.strides()[d] != allocation.physical_strides()[k]) return false;
    region->end[k] = region->start[k] + size;
  }
  return true;
}

void ForEachRegionOfAny(const Ref& ref, Visit visit) {
  if (ref.outside() || ref.elements() == 0) return;
  Region element;
  SetToElement(*ref.allocation(), ref.offset(), &element);
  Axes axes;
  if (!ref.reshaped()) {
    if (AxesOfDimensions(ref, &axes)) VisitProduct(element, axes, visit);
    return;
  }
  StepsList steps = StepsOf(ref);
  Region reached = element;
  // The shortest first: a step that goes round a dimension must find it unused.
  bool along = true;
  for (size_t i = steps.size(); along && i-- > 0;) along = AddAxes(*ref.allocation(), steps[i], &reached, &axes);
  if (along) {
    VisitProduct(element, axes, visit);
  } else {
    VisitRuns(ref, std::move(steps), visit);
  }
}

}  // namespace strandcore
