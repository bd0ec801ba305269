// Array: an array of the host: what a program fills, hands to a launch as an operand, and looks at afterwards.
//
// Its storage is padded to the tile like emulated memory, so that a simulator uses it as HBM without a copy. An
// adopted array is dense memory of the host instead, neither copied nor padded.
//
// A value: copies are deep, moves are cheap. A shape that cannot be had is remembered in status(), and a launch
// refuses such an array. A mistake in an access to elements (the type, the index) throws `Stop`.
//
//   Array x = Array::Iota(DType::kFloat32, {512, 512});
//   x.Matrix<float>() *= 2.0f;
//   double corner = x.Get({511, 511});
//
// Concurrency: none; a launch that uses the array counts as a writer of it.
#ifndef STRANDCORE_RUNTIME_MEMORY_ARRAY_H_
#define STRANDCORE_RUNTIME_MEMORY_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/storage.h"
#include "runtime/memory/tiling.h"
#include "runtime/memory/walk.h"
#include "runtime/memory/window.h"

namespace strandcore {

class Array {
 public:
  // No elements.
  Array() : Array(DType::kFloat32, {0}) {}
  // Zeros, also in the padding.
  Array(DType dtype, const Dims& shape);
  // 0, 1, 2, ... in row-major order, stored as StoreFromDouble stores them.
  static Array Iota(DType dtype, const Dims& shape);
  static Array Full(DType dtype, const Dims& shape, double value);
  // The values in row-major order; as many as the shape has elements.
  template <typename T>
  static Array FromValues(const Dims& shape, const std::vector<T>& values);
  // Dense row-major memory of the host, aligned to its elements, which it keeps alive. A copy owns its elements.
  static Array Adopt(DType dtype, const Dims& shape, void* memory);

  // From and to a NumPy file (npy.h). bfloat16 is saved as uint16, and loaded from it by LoadBfloat16.
  static absl::StatusOr<Array> Load(const std::string& path);
  static absl::StatusOr<Array> LoadBfloat16(const std::string& path);
  absl::Status Save(const std::string& path) const;

  Array(const Array& other);
  Array& operator=(const Array& other);
  Array(Array&&) = default;
  Array& operator=(Array&&) = default;

  absl::Status status() const { return status_; }
  DType dtype() const { return dtype_; }
  const Dims& shape() const { return shape_; }
  int64_t elements() const { return status_.ok() ? shape_.Product() : 0; }

  double Get(const Dims& index) const { return LoadAsDouble(dtype_, Element(index)); }
  void Set(const Dims& index, double value) { StoreFromDouble(dtype_, Element(index), value); }

  // The elements as an Eigen matrix, in place; with more than two dimensions, those of the part that the leading
  // indices pick, or all of them as long as no padding lies between their rows.
  template <typename T>
  MutableWindow<T> Matrix(const Dims& leading = {});
  template <typename T>
  ConstWindow<T> Matrix(const Dims& leading = {}) const;
  // All elements, in row-major order.
  template <typename T>
  std::vector<T> ToVector() const;
  // Calls `visit(flat, value)` for each element in row-major order, `flat` counting from 0, the value a double.
  template <typename Visit>
  void ForEach(Visit&& visit) const;
  // Sets each element to `value_at(flat)`, a double.
  template <typename ValueAt>
  void Generate(ValueAt&& value_at);

  void Fill(double value);
  // Elements and padding, as if just made: a large array gives the memory of what was written back.
  void Refill(strandcore::Fill fill);
  void FillPoison() { Refill(strandcore::Fill::kPoison); }
  void FillPadding(double value);  // only what lies between the elements and the physical end

  // Same type, shape, and bits of the elements; the padding does not count.
  friend bool operator==(const Array& a, const Array& b);

  // The bytes, for whoever emulates memory on them.
  std::byte* data() const { return storage_.data(); }
  const Dims& physical_shape() const { return physical_shape_; }
  const Dims& physical_strides() const { return physical_strides_; }  // in elements

 private:
  struct Part {
    std::byte* data;
    internal::MatrixLayout layout;
  };

  Array(DType dtype, const Dims& shape, Padding padding);  // without bytes
  void Allocate();
  std::byte* Element(const Dims& index) const;
  std::byte* Prefix(const Dims& index) const;
  void CheckType(DType asked) const;
  bool RowHasElements(int64_t row_offset) const;
  Part MatrixPart(DType asked, const Dims& leading) const;
  // Calls `visit(flat, row)` for each row of elements; `flat` is the number of its first element.
  template <typename Visit>
  void ForEachOwnRow(Visit&& visit) const;

  DType dtype_;
  Dims shape_;
  Dims physical_shape_;
  Dims physical_strides_;
  Storage storage_;
  absl::Status status_;
};

template <typename T>
Array Array::FromValues(const Dims& shape, const std::vector<T>& values) {
  Array array(DTypeOf<T>(), shape);
  if (array.status_.ok() && array.elements() != static_cast<int64_t>(values.size())) {
    array.status_ =
        Refuse("array: shape ", shape.ToString(), " takes ", array.elements(), " values; given ", values.size());
  }
  if (!array.status_.ok()) return array;
  array.ForEachOwnRow([&](int64_t flat, std::byte* row) {
    for (int64_t c = 0; c < MatrixSizeOf(shape).columns; ++c) reinterpret_cast<T*>(row)[c] = values[flat + c];
  });
  return array;
}

template <typename T>
MutableWindow<T> Array::Matrix(const Dims& leading) {
  const Part part = MatrixPart(DTypeOf<T>(), leading);
  return MutableWindow<T>(reinterpret_cast<T*>(part.data), part.layout.rows, part.layout.columns,
                          Eigen::OuterStride<>(part.layout.row_stride));
}

template <typename T>
ConstWindow<T> Array::Matrix(const Dims& leading) const {
  const Part part = MatrixPart(DTypeOf<T>(), leading);
  return ConstWindow<T>(reinterpret_cast<const T*>(part.data), part.layout.rows, part.layout.columns,
                        Eigen::OuterStride<>(part.layout.row_stride));
}

template <typename T>
std::vector<T> Array::ToVector() const {
  CheckType(DTypeOf<T>());
  std::vector<T> values(elements());
  ForEachOwnRow([&](int64_t flat, const std::byte* row) {
    for (int64_t c = 0; c < MatrixSizeOf(shape_).columns; ++c) values[flat + c] = reinterpret_cast<const T*>(row)[c];
  });
  return values;
}

template <typename Visit>
void Array::ForEach(Visit&& visit) const {
  VisitDType(dtype_, [&]<typename T>(std::type_identity<T>) {
    ForEachOwnRow([&](int64_t flat, const std::byte* row) {
      const int64_t columns = MatrixSizeOf(shape_).columns;
      for (int64_t c = 0; c < columns; ++c) visit(flat + c, static_cast<double>(reinterpret_cast<const T*>(row)[c]));
    });
  });
}

template <typename ValueAt>
void Array::Generate(ValueAt&& value_at) {
  ForEachOwnRow([&](int64_t flat, std::byte* row) {
    const int64_t columns = MatrixSizeOf(shape_).columns;
    for (int64_t c = 0; c < columns; ++c) {
      StoreFromDouble(dtype_, row + c * DTypeSize(dtype_), static_cast<double>(value_at(flat + c)));
    }
  });
}

template <typename Visit>
void Array::ForEachOwnRow(Visit&& visit) const {
  if (elements() == 0) return;
  ForEachRow(shape_, physical_strides_, RowMajorStrides(shape_),
             [&](int64_t offset, int64_t flat) { visit(flat, storage_.data() + offset * DTypeSize(dtype_)); });
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_ARRAY_H_
