#include "kernels/scatter.h"

#include "kernels/copy.h"

namespace strandcore {

absl::StatusOr<RefFunction> ScatterKernel(const RowBlocks& blocks) {
  if (absl::Status status = CheckRowBlocks(blocks); !status.ok()) return status;
  return RefFunction([blocks](KernelContext& core, Ref ids, Ref x, Ref y) {
    const auto pipeline = EmitPipeline(CopyBody, {.grid = {Dynamic(ids.shape()[0])},
                                                  .in_specs = {BlocksInOrder(blocks)},
                                                  .out_specs = {BlocksByTable(blocks, ids)}});
    (*pipeline)(core, {x, y});
  });
}

}  // namespace strandcore
