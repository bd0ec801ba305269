#include "runtime/memory/array.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace strandcore {

Array::Array(DType dtype, const Dims& shape, Padding padding) : dtype_(dtype), shape_(shape) {
  status_ = ValidateShape("array", shape);
  if (!status_.ok()) return;
  physical_shape_ = PhysicalShape(shape, padding);
  physical_strides_ = RowMajorStrides(physical_shape_);
}

Array::Array(DType dtype, const Dims& shape) : Array(dtype, shape, Padding::kTiled) { Allocate(); }

void Array::Allocate() {
  if (!status_.ok()) return;
  const absl::StatusOr<int64_t> bytes = PhysicalBytes(dtype_, physical_shape_);
  if (!bytes.ok()) {
    status_ = bytes.status();
    return;
  }
  absl::StatusOr<Storage> storage = Storage::Make(dtype_, *bytes, Fill::kZero);
  if (storage.ok()) {
    storage_ = *std::move(storage);
  } else {
    status_ = storage.status();
  }
}

Array Array::Iota(DType dtype, const Dims& shape) {
  Array array(dtype, shape);
  array.Generate([](int64_t flat) { return static_cast<double>(flat); });
  return array;
}

Array Array::Full(DType dtype, const Dims& shape, double value) {
  Array array(dtype, shape);
  array.Fill(value);
  return array;
}

Array Array::Adopt(DType dtype, const Dims& shape, void* memory) {
  Array array(dtype, shape, Padding::kNone);
  if (!array.status_.ok()) return array;
  if (reinterpret_cast<uintptr_t>(memory) % DTypeSize(dtype) != 0 || (memory == nullptr && shape.Product() > 0)) {
    array.status_ = Refuse("array: expected memory aligned to ", DTypeSize(dtype), " bytes, the size of ",
                           DTypeName(dtype), "; given ", memory == nullptr ? "none" : "less");
    return array;
  }
  array.storage_ = Storage::Borrow(dtype, memory, shape.Product() * DTypeSize(dtype));
  return array;
}

Array::Array(const Array& other)
    : dtype_(other.dtype_),
      shape_(other.shape_),
      physical_shape_(other.physical_shape_),
      physical_strides_(other.physical_strides_),
      status_(other.status_) {
  Allocate();
  if (status_.ok() && other.storage_.bytes() > 0) {
    std::memcpy(storage_.data(), other.storage_.data(), static_cast<size_t>(storage_.bytes()));
  }
}

Array& Array::operator=(const Array& other) {
  if (this != &other) *this = Array(other);
  return *this;
}

void Array::Fill(double value) {
  Generate([value](int64_t) { return value; });
}

void Array::Refill(strandcore::Fill fill) {
  if (status_.ok()) status_ = storage_.Refill(fill);
}

void Array::FillPadding(double value) {
  if (!status_.ok() || physical_shape_ == shape_) return;
  const int size = DTypeSize(dtype_);
  ForEachRow(physical_shape_, physical_strides_, physical_strides_, [&](int64_t offset, int64_t) {
    for (int64_t c = RowHasElements(offset) ? shape_.back() : 0; c < physical_shape_.back(); ++c) {
      StoreFromDouble(dtype_, data() + (offset + c) * size, value);
    }
  });
}

bool Array::RowHasElements(int64_t row_offset) const {
  for (int d = 0; d + 1 < shape_.size(); ++d) {
    if (row_offset / physical_strides_[d] >= shape_[d]) return false;
    row_offset %= physical_strides_[d];
  }
  return true;
}

bool operator==(const Array& a, const Array& b) {
  if (a.dtype_ != b.dtype_ || !(a.shape_ == b.shape_) || a.status_ != b.status_) return false;
  if (a.elements() == 0) return true;
  const int size = DTypeSize(a.dtype_);
  const size_t row_bytes = static_cast<size_t>(MatrixSizeOf(a.shape_).columns * size);
  bool equal = true;
  ForEachRow(a.shape_, a.physical_strides_, b.physical_strides_, [&](int64_t at_a, int64_t at_b) {
    equal = equal && std::memcmp(a.data() + at_a * size, b.data() + at_b * size, row_bytes) == 0;
  });
  return equal;
}

std::byte* Array::Element(const Dims& index) const {
  StopUnlessOk(status_);
  if (index.size() != shape_.size()) {
    throw Stop{absl::OutOfRangeError(absl::StrCat("array: expected an index of ", shape_.size(), " numbers for shape ",
                                                  shape_.ToString(), "; given ", index.ToString()))};
  }
  return Prefix(index);
}

// The first element of the part that the first indices pick.
std::byte* Array::Prefix(const Dims& index) const {
  bool inside = !index.overflowed() && index.size() <= shape_.size();
  int64_t offset = 0;
  for (int d = 0; inside && d < index.size(); ++d) {
    inside = index[d] >= 0 && index[d] < shape_[d];
    offset += index[d] * physical_strides_[d];
  }
  if (!inside) {
    throw Stop{absl::OutOfRangeError(
        absl::StrCat("array: index ", index.ToString(), " lies outside shape ", shape_.ToString()))};
  }
  return data() + offset * DTypeSize(dtype_);
}

void Array::CheckType(DType asked) const {
  StopUnlessOk(status_);
  if (asked == dtype_) return;
  throw Stop{Refuse("array: expected an access as ", DTypeName(dtype_), "; given ", DTypeName(asked))};
}

Array::Part Array::MatrixPart(DType asked, const Dims& leading) const {
  CheckType(asked);
  Dims rest;
  Dims strides;
  for (int d = leading.size(); d < shape_.size(); ++d) {
    rest.push_back(shape_[d]);
    strides.push_back(physical_strides_[d]);
  }
  Part part = {Prefix(leading), {}};
  if (!internal::LayoutAsMatrix(rest, strides, &part.layout)) {
    throw Stop{Refuse("array: padding lies between the rows of ", shape_.ToString(),
                      ", so they are no matrix; give leading indices")};
  }
  return part;
}

}  // namespace strandcore
