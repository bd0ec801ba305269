#include "kernels/gather.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/copy.h"

namespace strandcore {

absl::Status CheckRowBlocks(const RowBlocks& blocks) {
  if (blocks.block_rows > 0 && blocks.columns > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("row blocks: expected positive sizes, given block_rows ",
                                                 blocks.block_rows, " and columns ", blocks.columns));
}

BlockSpec BlocksInOrder(const RowBlocks& blocks) {
  return BlockSpec({blocks.block_rows, blocks.columns}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
}

BlockSpec BlocksByTable(const RowBlocks& blocks, const Ref& ids) {
  return BlockSpec({blocks.block_rows, blocks.columns}, [ids](GridIndex g) {
    return BlockIndex{ids.Get<int32_t>({g[0]}), 0};
  });
}

absl::StatusOr<RefFunction> GatherKernel(const RowBlocks& blocks) {
  if (absl::Status status = CheckRowBlocks(blocks); !status.ok()) return status;
  return RefFunction([blocks](KernelContext& core, Ref ids, Ref x, Ref y) {
    const auto pipeline = EmitPipeline(CopyBody, {.grid = {Dynamic(ids.shape()[0])},
                                                  .in_specs = {BlocksByTable(blocks, ids)},
                                                  .out_specs = {BlocksInOrder(blocks)}});
    (*pipeline)(core, {x, y});
  });
}

}  // namespace strandcore
