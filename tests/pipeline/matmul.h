// Matmul: z = x y in blocks (8, 16) (16, 128) (8, 128), the reduction innermost: a pipeline whose outputs stay for
// several steps, for tests. Small blocks that divide their arrays; sums are whole numbers, exact in float32.
#ifndef STRANDCORE_TESTS_PIPELINE_MATMUL_H_
#define STRANDCORE_TESTS_PIPELINE_MATMUL_H_

#include <cstdint>

#include "tests/pipeline/support.h"

namespace strandcore::testing {

// How many blocks each dimension has.
struct MatmulBlocks {
  int64_t m, n, k;
};

inline Dims ShapeOfX(const MatmulBlocks& blocks) { return {8 * blocks.m, 16 * blocks.k}; }
inline Dims ShapeOfY(const MatmulBlocks& blocks) { return {16 * blocks.k, 128 * blocks.n}; }
inline Dims ShapeOfZ(const MatmulBlocks& blocks) { return {8 * blocks.m, 128 * blocks.n}; }

// The options of the pipeline over x, y, z, in which the first two dimensions are parallel.
inline PipelineOptions MatmulOptions(const MatmulBlocks& blocks) {
  PipelineOptions options;
  options.grid = {blocks.m, blocks.n, blocks.k};
  options.in_specs = {BlockSpec({8, 16}, Picking({0, 2})), BlockSpec({16, 128}, Picking({2, 1}))};
  options.out_specs = {Tile()};
  options.dimension_semantics = {kParallel, kParallel, kArbitrary};
  return options;
}

// Sums in z's own window; takes it as uninitialised, so it serves a plain output and an accumulator.
inline void MatmulBody(KernelContext& core, const Ref& x, const Ref& y, const Ref& z) {
  const auto product = (x.Read<float>().matrix() * y.Read<float>().matrix()).array().eval();
  if (core.ProgramId(2) == 0) {
    z.Write<float>() = product;
  } else {
    z.ReadWrite<float>() += product;
  }
}

// factor x y + start, by a plain loop.
inline Array Product(const Array& x, const Array& y, float factor = 1, const Array* start = nullptr) {
  Array z(DType::kFloat32, {x.shape()[0], y.shape()[1]});
  const auto a = x.Matrix<float>();
  const auto b = y.Matrix<float>();
  auto c = z.Matrix<float>();
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < b.cols(); ++j) {
      float sum = 0;
      for (int64_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      c(i, j) = factor * sum + (start == nullptr ? 0 : start->Matrix<float>()(i, j));
    }
  }
  return z;
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_PIPELINE_MATMUL_H_
