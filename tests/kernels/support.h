// What the tests of the kernels share: arrays of small whole numbers, whose sums and products are exact, so that a
// kernel and a plain loop must agree to the bit.
#ifndef STRANDCORE_TESTS_KERNELS_SUPPORT_H_
#define STRANDCORE_TESTS_KERNELS_SUPPORT_H_

#include <cstdint>

#include "runtime/strandcore.h"

namespace strandcore::testing {

// The padding holds another number: a kernel that takes it for elements is found out.
inline Array SmallNumbers(const Dims& shape, int factor) {
  Array array(DType::kFloat32, shape);
  array.FillPadding(777);
  array.Generate([factor](int64_t flat) { return flat * factor % 7 - 3; });
  return array;
}

// start + x y by a plain loop.
inline Array PlainMatmul(const Array& x, const Array& y, const Array& start) {
  Array result = start;
  auto z = result.Matrix<float>();
  const auto a = x.Matrix<float>();
  const auto b = y.Matrix<float>();
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.cols(); ++k) {
      for (int64_t j = 0; j < b.cols(); ++j) z(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_KERNELS_SUPPORT_H_
