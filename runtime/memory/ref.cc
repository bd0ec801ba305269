#include "runtime/memory/ref.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/bounds.h"
#include "runtime/memory/footprint.h"
#include "runtime/memory/masked_parts.h"
#include "runtime/memory/reshape.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

template <typename... Parts>
[[noreturn]] void StopOutOfRange(const Ref& ref, const Parts&... parts) {
  throw Stop{absl::OutOfRangeError(absl::StrCat(ref.allocation()->Title(), ": ", parts...))};
}

template <typename... Parts>
[[noreturn]] void StopInvalid(const Ref& ref, const Parts&... parts) {
  throw Stop{Refuse(ref.allocation()->Title(), ": ", parts...)};
}

// Both: whether what is asked for reaches outside, as the launch permits; stops if it lies outside otherwise.
bool ReachesOut(const Ref& ref, int d, int64_t element) {
  const int64_t extent = ref.shape()[d];
  if (element >= 0 && element < extent) return false;
  if (element >= 0 && MayReach(ref, d, element)) return true;
  StopOutOfRange(ref, OutsideText(ref.rank(), d, extent, element));
}

bool SliceReachesOut(const Ref& ref, int d, const Index& slice) {
  const int64_t extent = ref.shape()[d];
  if (slice.start < 0 || slice.size < 0 || slice.stride <= 0) {
    const char* const wrong = slice.start < 0 ? "start" : slice.size < 0 ? "size" : "stride";
    const int64_t value = slice.start < 0 ? slice.start : slice.size < 0 ? slice.size : slice.stride;
    StopOutOfRange(ref, "a slice of dimension ", d, " has ", wrong, " ", value, "; expected ",
                   slice.start < 0 || slice.size < 0 ? "0 or more" : "1 or more");
  }
  // It touches nothing, wherever it is.
  if (slice.size == 0) return false;
  if (slice.start < extent && slice.size - 1 <= (extent - 1 - slice.start) / slice.stride) {
    return false;
  }
  int64_t last;
  if (__builtin_mul_overflow(slice.size - 1, slice.stride, &last) || __builtin_add_overflow(last, slice.start, &last)) {
    last = std::numeric_limits<int64_t>::max();
  } else if (MayReach(ref, d, last)) {
    return true;
  }
  StopOutOfRange(ref, OutsideText(ref.rank(), d, extent, slice.start, last, slice.stride));
}

}  // namespace

std::string Ref::Describe() const {
  if (allocation_ == nullptr) return "no memory";
  return absl::StrCat(name(), name().empty() ? "" : " ", shape_.ToString(), " ", DTypeName(dtype_), " in ",
                      MemorySpaceName(space()));
}

Ref Ref::SliceHere(absl::Span<const Index> indices) const {
  if (static_cast<int64_t>(indices.size()) > rank()) {
    StopOutOfRange(*this, indices.size(), " indices given for ", rank(), " dimensions, shape ", shape_.ToString());
  }
  Ref view = *this;
  view.shape_ = Dims();
  view.strides_ = Dims();
  Dims starts = Dims::Filled(rank(), 0);
  bool out = false;
  for (int d = 0; d < rank(); ++d) {
    const Index index = d < static_cast<int>(indices.size()) ? indices[d] : All();
    if (index.kind == Index::Kind::kElement) {
      out |= ReachesOut(*this, d, index.start);
      starts[d] = index.start;
      continue;
    }
    int64_t size = shape_[d];
    int64_t stride = strides_[d];
    if (index.kind == Index::Kind::kSlice) {
      out |= SliceReachesOut(*this, d, index);
      size = index.size;
      // An empty slice may start anywhere; of one element, the stride would mean nothing.
      if (size > 0) starts[d] = index.start;
      if (size > 1) stride *= index.stride;
    }
    view.Append(*this, d, size, stride);
  }
  view.Move(*this, starts, out);
  if (__builtin_expect(out, 0)) {
    // Only here can a slice be larger than what it is taken of.
    StopUnlessOk(ValidateShape(allocation_->Title(), view.shape_));
    view.reaches_out_ = true;
  }
  return view;
}

Ref Ref::TransposeHere(const Dims& permutation) const {
  uint32_t seen = 0;
  for (int64_t d : permutation) seen |= d >= 0 && d < rank() ? 1u << d : 0u;
  if (permutation.overflowed() || permutation.size() != rank() || seen != (1u << rank()) - 1) {
    StopInvalid(*this, "expected a permutation of the ", rank(), " dimensions of ", shape_.ToString(), "; given ",
                permutation.ToString());
  }
  Ref view = *this;
  view.shape_ = Dims();
  view.strides_ = Dims();
  for (int64_t from : permutation) {
    const int d = static_cast<int>(from);
    view.Append(*this, d, shape_[d], strides_[d]);
  }
  return view;
}

Ref Ref::ReshapeHere(const Dims& shape) const {
  StopUnlessOk(ValidateShape(allocation_->Title(), shape));
  if (shape.Product() != elements()) {
    StopInvalid(*this, "cannot reshape ", shape_.ToString(), ", ", elements(), " elements, to ", shape.ToString(), ", ",
                shape.Product(), " elements");
  }
  Dims strides;
  if (!StridesAfterReshape(shape_, strides_, shape, &strides)) {
    StopInvalid(*this, "cannot reshape the view ", shape_.ToString(), " to ", shape.ToString(),
                " without a copy: its elements do not follow each other in memory");
  }
  const bool reshapes = !(WithoutOnes(shape_) == WithoutOnes(shape));
  if (reshapes && overruns_) StopInvalid(*this, "cannot reshape a block that may run past the end of its memory");
  Ref view = *this;
  view.shape_ = shape;
  view.strides_ = strides;
  view.reshaped_ = reshaped_ || reshapes;
  for (int d = 0, own = 0; d < shape.size(); ++d) {
    const bool added = view.reshaped_ || shape[d] == 1;
    while (!added && shape_[own] == 1) ++own;
    view.base_dimensions_[d] = added ? int8_t{-1} : base_dimensions_[own++];
  }
  return view;
}

void Ref::DeclareMasked(AccessMode mode, const bool* mask, Site site) const {
  if (port_ == nullptr || !port_->observed) return;
  ForEachMaskedPart(*this, mask, [&](const Ref& part) { part.Declare(mode, site); });
}

Ref Ref::Squeeze(uint32_t dimensions) const {
  Ref view = *this;
  view.shape_ = Dims();
  view.strides_ = Dims();
  for (int d = 0; d < rank(); ++d) {
    if ((dimensions >> d & 1u) == 0) {
      view.Append(*this, d, shape_[d], strides_[d]);
    } else if (shape_[d] != 1) {
      StopInvalid(*this, "cannot squeeze dimension ", d, " of ", shape_.ToString(), ": its size is not 1");
    }
  }
  return view;
}

void Ref::MoveBeyond(const Ref& base, const Dims& starts) {
  if (base.reshaped_) StopInvalid(*this, "a reshaped view cannot be cut into blocks that run past its end");
  overruns_ = true;
  Dims base_starts = BaseStarts(base);
  for (int d = 0; d < starts.size(); ++d) {
    const int k = base.base_dimensions_[d];
    const int64_t step = k < 0 ? 0 : base.strides_[d] / allocation_->physical_strides()[k];
    const int64_t first = k < 0 ? starts[d] : base_starts[k] + starts[d] * step;
    const int64_t bound = k < 0 ? 1 : allocation_->physical_shape()[k];
    if (first >= 0 && first < bound) {
      offset_ += starts[d] * base.strides_[d];
      if (k >= 0) base_starts[k] = first;
    } else if (!outside()) {
      outside_dim_ = static_cast<int8_t>(std::max(k, 0));
      outside_start_ = first;
    }
  }
}

}  // namespace strandcore
