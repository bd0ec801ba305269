// PaddedMatmul: z = x y for sizes that no block need divide (float32, bfloat16, int8). Shows how a body masks the edges
// of its windows, and a sum that is kept in a wider type than its operands.
//
// How to read it. Grid, blocks and scratch are those of matmul.h. Where a block does not divide its dimension, the last
// windows of x and y hold something else behind the array's end: its padding, and older blocks (quirk Q14). The body
// loads them there under a mask, with 0 in place of what lies outside. Both operands, since 0 times NaN is NaN:
//
//   x  (block_m, block_k)   rows behind m and columns behind k are 0
//   y  (block_k, block_n)   rows behind k and columns behind n are 0
//
// The sum is float32 for floating point and int32 for int8; the last k stores it as z's type. Products of int8 are
// summed within a block as float32, which is much the faster in Eigen and exact up to a block_k of 1024:
// 1024 * 128 * 128 = 2^24. From block to block they are summed as int32.
#ifndef STRANDCORE_KERNELS_PADDED_MATMUL_H_
#define STRANDCORE_KERNELS_PADDED_MATMUL_H_

#include "absl/status/statusor.h"
#include "kernels/matmul.h"
#include "runtime/strandcore.h"

namespace strandcore {

// x and y are of this type; z of it too, but int32 for int8.
DType PaddedMatmulResult(DType dtype);

// Takes the operands x, y, z. Refuses other types, and a block_k over 1024 for int8.
absl::StatusOr<RefFunction> PaddedMatmulKernel(const MatmulShape& shape, DType dtype);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_PADDED_MATMUL_H_
