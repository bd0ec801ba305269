// Softmax: y = softmax of each row of x (float32). Shows a body that needs whole rows at once.
//
// How to read it. A block has some rows and all columns, so that a row's largest element and its sum are at hand in one
// step, and no step depends on another: the grid is one parallel dimension, which the cores share. A block that is as
// wide as the array is allowed whatever its width. The largest element is subtracted first, so that no exponential
// overflows. Of a partial block, the body takes the rows that are there.
#ifndef STRANDCORE_KERNELS_SOFTMAX_H_
#define STRANDCORE_KERNELS_SOFTMAX_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct SoftmaxShape {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t block_rows = 8;
  std::optional<int> core_axis = 0;  // std::nullopt: every core does all of it
};

void SoftmaxBody(KernelContext& core, Ref x, Ref y);

// Takes the operands x, y.
absl::StatusOr<Pipeline> SoftmaxPipeline(const SoftmaxShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_SOFTMAX_H_
