// MatmulTiles: the matmul that several benchmarks time: kernels/matmul.h over float32 blocks of 128³, grid (4, 4, 4),
// split over the cores, several times in one launch; and Eigen doing the same products without a pipeline.
//
// Ownership: owns its simulator and arrays. Concurrency: one call at a time.
#ifndef STRANDCORE_TESTS_BENCH_MATMUL_TILES_H_
#define STRANDCORE_TESTS_BENCH_MATMUL_TILES_H_

#include <cstdint>

#include "kernels/matmul.h"
#include "runtime/strandcore.h"

namespace strandcore::bench {

// x, y and z (512, 512): more than a second-level cache, so blocks come from the third.
struct MatmulArrays {
  static constexpr int64_t kBlock = 128;
  static constexpr int64_t kM = 4 * kBlock;
  static constexpr int64_t kK = 4 * kBlock;
  static constexpr int64_t kN = 4 * kBlock;
  static constexpr int64_t kRounds = 2;  // in a launch
  static constexpr int64_t kTiles = kRounds * kM * kK * kN / (kBlock * kBlock * kBlock);

  // Ends the process unless z is the product.
  void Check() const;

  Array x = Array::Full(DType::kFloat32, {kM, kK}, 0.5);
  Array y = Array::Full(DType::kFloat32, {kK, kN}, 0.25);
  Array z{DType::kFloat32, {kM, kN}};
};

class MatmulTiles {
 public:
  explicit MatmulTiles(const SimulatorOptions& options, bool check = false);

  // Of one launch of kTiles tiles.
  double Seconds();

 private:
  Simulator simulator_;
  MatmulArrays arrays_;
  Pipeline pipeline_;
};

class EigenTiles {
 public:
  // Of kTiles products of the same two blocks, which stay in the cache.
  double SecondsInCache();
  // Of the same work as a launch's, on arrays like its own: a loop over their blocks.
  double SecondsOverArrays();

 private:
  MatmulArrays arrays_;
  OwnedWindow<float> a_ = OwnedWindow<float>::Constant(MatmulArrays::kBlock, MatmulArrays::kBlock, 0.5f);
  OwnedWindow<float> b_ = a_;
  OwnedWindow<float> sum_ = a_;
};

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_MATMUL_TILES_H_
