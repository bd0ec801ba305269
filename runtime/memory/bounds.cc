#include "runtime/memory/bounds.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/footprint.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

// "0–11", or what there is to say where nothing is allowed.
std::string Allowed(int64_t extent) {
  return extent == 0 ? "the dimension, which is empty" : absl::StrCat("0–", extent - 1);
}

int64_t StepOf(const Ref& ref, int d) {
  return ref.strides()[d] / ref.allocation()->physical_strides()[ref.base_dimension(d)];
}

// Says in which dimension of the array, and how far, `ref` lies outside `bounds`.
[[noreturn]] void StopOutside(const Ref& ref, const Dims& bounds, const std::string& advice) {
  const Dims starts = BaseStarts(ref);
  Dims last = starts;
  Dims step = Dims::Filled(starts.size(), 0);  // 0: of this dimension, the view has one element
  for (int d = 0; d < ref.rank(); ++d) {
    const int k = ref.base_dimension(d);
    if (k < 0) continue;
    step[k] = StepOf(ref, d);
    last[k] += (ref.shape()[d] - 1) * step[k];
  }
  std::string where = absl::StrCat("the view ", ref.shape().ToString(), " reaches outside ", bounds.ToString());
  for (int k = bounds.size() - 1; k >= 0; --k) {
    if (last[k] < bounds[k]) continue;
    where = step[k] == 0 ? OutsideText(bounds.size(), k, bounds[k], starts[k])
                         : OutsideText(bounds.size(), k, bounds[k], starts[k], last[k], step[k]);
  }
  throw Stop{absl::OutOfRangeError(absl::StrCat(ref.allocation()->Title(), ": ", where, advice))};
}

// Whether the mask takes an element that lies outside `extent`, which counts from the view's first element.
bool TakesOutside(const bool* mask, const Dims& shape, const Dims& extent) {
  const Dims dense = RowMajorStrides(shape);
  const int64_t elements = shape.Product();
  for (int64_t flat = 0; flat < elements; ++flat) {
    if (!mask[flat]) continue;
    for (int d = 0; d < shape.size(); ++d) {
      if (flat / dense[d] % shape[d] >= extent[d]) return true;
    }
  }
  return false;
}

// Whether all that is used of `ref`, everything or what the mask takes, lies within `bounds`.
bool UsedWithin(const Ref& ref, const Dims& bounds, const bool* mask) {
  Dims extent;
  const bool any = ExtentWithin(ref, bounds, &extent);
  if (ref.elements() == 0 || (any && extent == ref.shape())) return true;
  if (mask == nullptr) return false;
  // Of rank 0 there is no dimension to be outside in.
  return ref.rank() == 0 ? !mask[0] : !TakesOutside(mask, ref.shape(), extent);
}

}  // namespace

bool MayReach(const Ref& ref, int d, int64_t last) {
  const AccessPort* const port = ref.port();
  if (port == nullptr) return false;
  const bool anywhere = port->out_of_range_reads == OutOfRangeReads::kUninitialised;
  if (!anywhere && port->bounds == Bounds::kLogical) return false;
  const int k = ref.base_dimension(d);
  if (k < 0 || ref.reshaped()) return false;
  const Allocation& allocation = *ref.allocation();
  const int64_t start = BaseStarts(ref)[k];
  const int64_t step = StepOf(ref, d);
  if (start + ref.shape()[d] * step < allocation.shape()[k]) return false;
  // Numbers that cannot be computed with reach nowhere: neither the element's coordinate nor its offset may overflow.
  int64_t furthest = 0;
  int64_t offset = 0;
  if (__builtin_mul_overflow(last, step, &furthest) || __builtin_add_overflow(furthest, start, &furthest) ||
      __builtin_mul_overflow(furthest, allocation.physical_strides()[k], &offset)) {
    return false;
  }
  return anywhere || furthest < allocation.physical_shape()[k];
}

void CheckReach(const Ref& ref, AccessMode mode, const bool* mask) {
  const Allocation& allocation = *ref.allocation();
  const bool writes = mode != AccessMode::kRead;
  const AccessPort* const port = ref.port();
  const bool padded = port != nullptr && port->bounds == Bounds::kPadded;
  const bool anywhere = port != nullptr && port->out_of_range_reads == OutOfRangeReads::kUninitialised;
  if (!writes && anywhere) return;
  const Dims& bounds = padded ? allocation.physical_shape() : allocation.shape();
  if (UsedWithin(ref, bounds, mask)) return;
  StopOutside(ref, bounds,
              absl::StrCat(padded ? ", the padding included" : "", mask == nullptr ? "" : ", and the mask takes some",
                           writes && anywhere ? "; only a read may reach there" : ""));
}

void RefuseReach(const Ref& ref, const std::string& advice) {
  if (!ref.reaches_out() || UsedWithin(ref, ref.allocation()->shape(), nullptr)) return;
  StopOutside(ref, ref.allocation()->shape(), advice);
}

std::string DimensionUnit(int rank, int d, bool plural) {
  if (rank == 1) return plural ? "elements" : "element";
  if (d == rank - 1) return plural ? "columns" : "column";
  if (d == rank - 2) return plural ? "rows" : "row";
  return plural ? "indices" : "index";
}

std::string OutsideText(int rank, int d, int64_t extent, int64_t first) {
  return absl::StrCat(DimensionUnit(rank, d, false), " ", first, " of dimension ", d, " lies outside ",
                      Allowed(extent));
}

std::string OutsideText(int rank, int d, int64_t extent, int64_t first, int64_t last, int64_t step) {
  if (first == last) return OutsideText(rank, d, extent, first);
  const std::string steps = step == 1 ? "" : absl::StrCat(" in steps of ", step);
  return absl::StrCat(DimensionUnit(rank, d, true), " ", first, "–", last, steps, " of dimension ", d, " lie outside ",
                      Allowed(extent));
}

}  // namespace strandcore
