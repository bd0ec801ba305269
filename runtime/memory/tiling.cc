#include "runtime/memory/tiling.h"

#include <algorithm>
#include <limits>

#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

constexpr int64_t kMostBytesPerElement = 8;

// Whether `bytes_per_element` for each element of the shape can be counted; a dimension of 0 counts as 1, since the
// strides of the others must be numbers too.
bool CountBytes(const Dims& shape, int64_t bytes_per_element, int64_t* bytes) {
  *bytes = bytes_per_element;
  for (int64_t size : shape) {
    if (__builtin_mul_overflow(*bytes, std::max<int64_t>(size, 1), bytes)) return false;
  }
  return true;
}

}  // namespace

Dims PhysicalShape(const Dims& logical, Padding padding) {
  Dims physical = logical;
  if (padding == Padding::kNone) return physical;
  const int rank = logical.size();
  if (rank >= 1) physical[rank - 1] = RoundUp(logical[rank - 1], kTileColumns);
  if (rank >= 2) physical[rank - 2] = RoundUp(logical[rank - 2], kTileRows);
  return physical;
}

Dims RowMajorStrides(const Dims& physical) {
  Dims strides = physical;
  int64_t stride = 1;
  for (int d = physical.size() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(physical[d], 1);
  }
  return strides;
}

absl::StatusOr<int64_t> PhysicalBytes(DType dtype, const Dims& physical) {
  int64_t bytes;
  if (!CountBytes(physical, DTypeSize(dtype), &bytes)) {
    return Refuse("physical shape ", physical.ToString(), " of ", DTypeName(dtype),
                  " has more bytes than 64 bits count");
  }
  return std::count(physical.begin(), physical.end(), 0) > 0 ? 0 : bytes;
}

absl::Status ValidateShape(const std::string& name, const Dims& dims) {
  if (dims.overflowed()) {
    return Refuse(name, ": shape ", dims.ToString(), " has more than ", kMaxRank, " dimensions; at most ", kMaxRank,
                  " are supported");
  }
  bool countable = true;
  for (int d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) {
      return Refuse(name, ": shape ", dims.ToString(), " has size ", dims[d], " in dimension ", d,
                    "; sizes must not be negative");
    }
    countable = countable && dims[d] <= std::numeric_limits<int64_t>::max() - kTileColumns;
  }
  int64_t bytes;
  if (!countable || !CountBytes(PhysicalShape(dims), kMostBytesPerElement, &bytes)) {
    return Refuse(name, ": shape ", dims.ToString(), " has more elements than can be counted in 64 bits");
  }
  return absl::OkStatus();
}

}  // namespace strandcore
