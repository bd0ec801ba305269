#include "kernels/elementwise.h"

#include <utility>
#include <vector>

#include "kernels/grid_over.h"

namespace strandcore {
namespace {

bool HasPartialBlocks(const ElementwiseShape& shape) {
  for (int d = 0; d < shape.shape.size(); ++d) {
    if (shape.shape[d] % shape.block[d] != 0) return true;
  }
  return false;
}

// `body` on the filled part of the first `windows` windows; scratches behind them stay as they are.
RefFunction OnFilledParts(RefFunction body, size_t windows, const ElementwiseShape& shape) {
  return RefFunction([=](KernelContext& core, Refs refs) {
    std::vector<Index> filled;
    for (int d = 0; d < shape.shape.size(); ++d) filled.push_back(FilledPart(core, d, shape.shape[d], shape.block[d]));
    std::vector<Ref> parts(refs.begin(), refs.end());
    for (size_t i = 0; i < windows && i < parts.size(); ++i) parts[i] = parts[i].Slice(filled);
    body(core, parts);
  });
}

}  // namespace

absl::StatusOr<Pipeline> ElementwisePipeline(RefFunction body, int inputs, const ElementwiseShape& shape) {
  absl::StatusOr<Grid> grid = GridOver(shape.shape, shape.block);
  if (!grid.ok()) return grid.status();
  const std::vector<BlockDim> block(shape.block.begin(), shape.block.end());
  const BlockSpec spec(block, [](GridIndex g) { return BlockIndex(g); });
  PipelineOptions options;
  options.grid = *grid;
  options.in_specs.assign(static_cast<size_t>(inputs), spec);
  options.out_specs = {spec};
  options.core_axis = shape.core_axis;
  options.dimension_semantics = shape.semantics;
  if (!shape.semantics.given()) {
    options.dimension_semantics = Semantics(std::vector<DimensionSemantics>(grid->size(), kParallel));
  }
  // A lambda over Refs takes any number of them, so only where it must be is the body wrapped.
  if (HasPartialBlocks(shape)) body = OnFilledParts(std::move(body), static_cast<size_t>(inputs) + 1, shape);
  return EmitPipeline(std::move(body), std::move(options));
}

}  // namespace strandcore
