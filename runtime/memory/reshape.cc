#include "runtime/memory/reshape.h"

#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

// One group of a reshape: from[first_from, end_from) and to[first_to, end_to) hold equally many elements.
struct Group {
  int first_from, end_from, first_to, end_to;
};

// The strides of the group's dimensions of `to`; false if the elements of `from` do not follow each other evenly.
bool StrideGroup(const Group& group, const Dims& from, const Dims& from_strides, const Dims& to, Dims* to_strides) {
  for (int d = group.first_from; d + 1 < group.end_from; ++d) {
    if (from_strides[d] != from_strides[d + 1] * from[d + 1]) return false;
  }
  int64_t stride = from_strides[group.end_from - 1];
  for (int d = group.end_to - 1; d >= group.first_to; --d) {
    (*to_strides)[d] = stride;
    stride *= to[d];
  }
  return true;
}

// The same without dimensions of size 1 and 0.
bool StridesOfGroups(const Dims& from, const Dims& from_strides, const Dims& to, Dims* to_strides) {
  Group group = {0, 0, 0, 0};
  while (group.end_from < from.size()) {
    int64_t from_product = from[group.end_from++];
    int64_t to_product = to[group.end_to++];
    while (from_product != to_product) {
      if (from_product < to_product) {
        from_product *= from[group.end_from++];
      } else {
        to_product *= to[group.end_to++];
      }
    }
    if (!StrideGroup(group, from, from_strides, to, to_strides)) return false;
    group = {group.end_from, group.end_from, group.end_to, group.end_to};
  }
  return true;
}

}  // namespace

Dims WithoutOnes(const Dims& dims) {
  Dims kept;
  for (int64_t size : dims) {
    if (size != 1) kept.push_back(size);
  }
  return kept;
}

bool StridesAfterReshape(const Dims& from, const Dims& from_strides, const Dims& to, Dims* to_strides) {
  const Dims to_kept = WithoutOnes(to);
  Dims kept_strides;
  for (int d = 0; d < from.size(); ++d) {
    if (from[d] != 1) kept_strides.push_back(from_strides[d]);
  }
  Dims strides = RowMajorStrides(to_kept);
  if (to.Product() > 0 && !StridesOfGroups(WithoutOnes(from), kept_strides, to_kept, &strides)) return false;
  *to_strides = to;
  for (int d = 0, next = 0; d < to.size(); ++d) (*to_strides)[d] = to[d] == 1 ? 0 : strides[next++];
  return true;
}

}  // namespace strandcore
