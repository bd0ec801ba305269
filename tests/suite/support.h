// Support of the suite, over that of the pipeline's tests: operands that are the same in every run, and references in
// float64.
//
// Where a test of the peer asks for equality, or for more than 1e-4, the operands are whole numbers from -4 to 4, so
// that every sum is exact and equality can be asked; else they are in [-1, 1).
#ifndef STRANDCORE_TESTS_SUITE_SUPPORT_H_
#define STRANDCORE_TESTS_SUITE_SUPPORT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/strandcore.h"
#include "runtime/testing/sanitizer.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {

// A number of 64 random bits for each (seed, index): splitmix64.
inline uint64_t RandomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Whole numbers from -most to most.
inline Array Integers(DType dtype, const Dims& shape, uint64_t seed, int64_t most = 4) {
  Array array(dtype, shape);
  array.FillPoison();
  array.Generate([=](int64_t flat) {
    const uint64_t bits = RandomBits(seed, static_cast<uint64_t>(flat)) % static_cast<uint64_t>(2 * most + 1);
    return static_cast<double>(bits) - static_cast<double>(most);
  });
  return array;
}

// In [-1, 1).
inline Array Reals(DType dtype, const Dims& shape, uint64_t seed) {
  Array array(dtype, shape);
  array.FillPoison();
  array.Generate([=](int64_t flat) {
    return static_cast<double>(RandomBits(seed, static_cast<uint64_t>(flat)) >> 11) * 0x1p-52 - 1.0;
  });
  return array;
}

using DoubleMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
DoubleMatrix AsDouble(const Array& array) {
  return array.Matrix<T>().template cast<double>().matrix();
}

// x y in float64. All sums of int8 are exact in it.
template <typename T>
DoubleMatrix ProductInDouble(const Array& x, const Array& y) {
  return AsDouble<T>(x) * AsDouble<T>(y);
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_SUITE_SUPPORT_H_
