// Elementwise: what add, multiply and scale have in common: every operand has the same shape, is cut into the same
// blocks, and step (i, j) of the grid works on block (i, j) of each.
//
// How to read it. The grid has one step for each block. A BlockSpec says how an operand is cut and which block a step
// wants; here all operands have the same one, whose index map answers the grid point itself. With `core_axis = 0` the
// cores of a launch share the grid: each takes its part of one parallel dimension. Of a partial block at
// the edge, a body takes the filled part of each window: what lies beyond is undefined.
#ifndef STRANDCORE_KERNELS_ELEMENTWISE_H_
#define STRANDCORE_KERNELS_ELEMENTWISE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct ElementwiseShape {
  Dims shape;                        // of every operand
  Dims block;                        // of every window
  std::optional<int> core_axis = 0;  // std::nullopt: every core does all of it
  Semantics semantics = {};          // which dimensions the cores may share; none given: all
};

// `body` takes `inputs` windows, then one output window.
absl::StatusOr<Pipeline> ElementwisePipeline(RefFunction body, int inputs, const ElementwiseShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_ELEMENTWISE_H_
