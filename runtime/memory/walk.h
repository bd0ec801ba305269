// Walk: the elements of strided arrays in row-major order, row by row, without heap memory.
#ifndef STRANDCORE_RUNTIME_MEMORY_WALK_H_
#define STRANDCORE_RUNTIME_MEMORY_WALK_H_

#include <cstdint>

#include "runtime/base/dims.h"

namespace strandcore {

// A shape seen as a matrix: all dimensions but the last are rows. Rank 0 is 1 x 1.
struct MatrixSize {
  int64_t rows = 1;
  int64_t columns = 1;
  friend bool operator==(const MatrixSize&, const MatrixSize&) = default;
};

constexpr MatrixSize MatrixSizeOf(const Dims& shape) {
  MatrixSize size;
  for (int d = 0; d + 1 < shape.size(); ++d) size.rows *= shape[d];
  if (!shape.empty()) size.columns = shape.back();
  return size;
}

// Walks one shape in two arrays at once: calls `visit(a, b)` for each row with the offsets, in elements, of its first
// element in either. A shape without elements may still have rows.
template <typename Visit>
void ForEachRow(const Dims& shape, const Dims& strides_a, const Dims& strides_b, Visit&& visit) {
  Dims index = Dims::Filled(shape.size(), 0);
  int64_t a = 0;
  int64_t b = 0;
  for (int64_t left = MatrixSizeOf(shape).rows; left > 0; --left) {
    visit(a, b);
    for (int d = shape.size() - 2; d >= 0; --d) {
      a += strides_a[d];
      b += strides_b[d];
      if (++index[d] < shape[d]) break;
      a -= strides_a[d] * shape[d];
      b -= strides_b[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_WALK_H_
