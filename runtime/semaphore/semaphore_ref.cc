#include "runtime/semaphore/semaphore_ref.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"

namespace strandcore {

const char* SemaphoreKindName(SemaphoreKind kind) { return kind == SemaphoreKind::kDma ? "DMA" : "regular"; }

SemaphoreArray::SemaphoreArray(std::string name, SemaphoreKind kind, CoreId owner, const Dims& shape, Waiter waiter)
    : name_(std::move(name)),
      kind_(kind),
      owner_(owner),
      shape_(shape),
      count_(shape.Product()),
      semaphores_(std::make_unique<Semaphore[]>(static_cast<size_t>(shape.Product()))) {
  for (int64_t i = 0; i < count_; ++i) at(i).set_waiter(waiter);
}

SemaphoreRef SemaphoreRef::AtIndices(const Dims& indices) const {
  if (indices.size() > rank() || indices.overflowed()) {
    throw Stop{Refuse("semaphore ", Name(), ": ", indices.size(), indices.overflowed() ? " or more" : "",
                      " indices given, its rank is ", rank())};
  }
  SemaphoreRef part;
  part.array_ = array_;
  part.offset_ = offset_;
  int64_t stride = shape_.Product();
  for (int d = 0; d < rank(); ++d) {
    if (d >= indices.size()) {
      part.shape_.push_back(shape_[d]);
      continue;
    }
    if (indices[d] < 0 || indices[d] >= shape_[d]) {
      throw Stop{absl::OutOfRangeError(absl::StrCat("semaphore ", Name(), ": index ", indices[d], " of dimension ", d,
                                                    " lies outside 0–", shape_[d] - 1))};
    }
    stride /= shape_[d];
    part.offset_ += indices[d] * stride;
  }
  return part;
}

std::string OneSemaphore::Name() const {
  if (array == nullptr) return "(none)";
  // Back from the flat index to one index a dimension.
  Dims indices;
  int64_t stride = array->count();
  for (int64_t size : array->shape()) {
    stride /= size;
    indices.push_back(index / stride % size);
  }
  return SemaphoreRef(*array).AtIndices(indices).Name();
}

std::string SemaphoreRef::Name() const {
  if (array_ == nullptr) return "(none)";
  if (array_->shape().empty()) return array_->name();
  // The leading indices that lead to offset_; the rest of the array is still whole.
  std::string text = absl::StrCat(array_->name(), "[");
  // (Where a dimension is 0 no index of it can be told any more.)
  int64_t stride = array_->count();
  int64_t rest = offset_;
  const int indexed = array_->shape().size() - rank();
  for (int d = 0; d < indexed; ++d) {
    stride = std::max<int64_t>(stride / array_->shape()[d], 1);
    absl::StrAppend(&text, d > 0 ? ", " : "", rest / stride);
    rest %= stride;
  }
  return text + (indexed == 0 ? ":]" : "]");
}

}  // namespace strandcore
