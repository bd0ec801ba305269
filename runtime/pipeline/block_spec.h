// BlockSpec: how one operand is cut into blocks and which block a step works on (Pallas's BlockSpec).
//
//   BlockSpec({128, 128}, [](GridIndex g) { return BlockIndex{g[0], g[2]}; })
//   BlockSpec({std::nullopt, 8, 128}, map)      // a squeezed dimension: of size 1, unseen by the body
//
// The index map answers in blocks, not elements. One without captures is taken for a function of the grid point alone
// (a global variable that it reads is not seen to change); one with captures is asked again after each body. It runs
// outside the pipeline's own grid: ProgramId in it means the enclosing grid's (quirk Q6). `memory_space` says where the
// operand already lives: VMEM makes the window an alias of it, without copies; everything else is copied through two
// buffers in VMEM (quirk Q11: SMEM too).
//
// Concurrency: a value, immutable once a pipeline uses it; the map is called by many cores at once.
#ifndef STRANDCORE_RUNTIME_PIPELINE_BLOCK_SPEC_H_
#define STRANDCORE_RUNTIME_PIPELINE_BLOCK_SPEC_H_

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/ref.h"
#include "runtime/pipeline/grid.h"
#include "runtime/pipeline/index_map.h"

namespace strandcore {

// A size, or std::nullopt for a squeezed dimension.
struct BlockDim {
  constexpr BlockDim(std::integral auto size) : size(static_cast<int64_t>(size)) {}  // NOLINT: a size converts
  constexpr BlockDim(std::nullopt_t) : size(1), squeezed(true) {}                    // NOLINT
  int64_t size;
  bool squeezed = false;
};

struct BlockSpec {
  BlockSpec() = default;
  BlockSpec(std::vector<BlockDim> block, IndexMap index_map, MemorySpace memory_space = MemorySpace::kAny)
      : block(std::move(block)), index_map(std::move(index_map)), memory_space(memory_space) {}

  std::vector<BlockDim> block;
  IndexMap index_map;
  MemorySpace memory_space = MemorySpace::kAny;

  bool alias() const { return memory_space == MemorySpace::kVmem; }
  // Squeezed dimensions as 1.
  Dims BlockShape() const;
  // The bits of the squeezed dimensions.
  uint32_t SqueezedDims() const;
};

// The tile that DMA slices of an array are rounded to: 1 in leading dimensions, then (rows, 128), where the number of
// rows depends on the array's second-minor size, element size and the chip's generation, and never exceeds 8
// (seed_pipeline.md 1.2). Refuses 8-byte elements (quirk Q9) and fewer than two dimensions.
absl::StatusOr<Dims> MakeTiling(const std::string& operand, const Dims& shape, DType dtype, int generation);

// Refuses a spec that cannot cut an array of this shape: wrong ranks, blocks of size <= 0, a missing index map, and for
// operands that are copied a block that neither divides the array nor is a multiple of the tile.
absl::Status ValidateSpec(const std::string& operand, const BlockSpec& spec, const Dims& shape, DType dtype,
                          int generation);

// How blocks of one operand lie in its array.
class BlockLayout {
 public:
  BlockLayout() = default;
  // REQUIRES: ValidateSpec accepts them.
  BlockLayout(const Dims& block, const Dims& shape, const Dims& tile);

  struct Slice {
    Dims start;
    Dims size;
    bool overruns = false;  // rounded up to the tile past the array's end
  };
  // Whether there is such a block. REQUIRES: as many numbers as the block has dimensions.
  bool Has(const BlockIndex& index) const {
    for (int d = 0; d < blocks_.size(); ++d) {
      if (static_cast<uint64_t>(index[d]) >= static_cast<uint64_t>(blocks_[d])) return false;
    }
    return true;
  }
  // Its number in row-major order. REQUIRES: Has(index).
  int64_t NumberOf(const BlockIndex& index) const {
    int64_t number = 0;
    for (int d = 0; d < blocks_.size(); ++d) number = number * blocks_[d] + index[d];
    return number;
  }
  // What is wrong with a block that is not there.
  std::string NoBlockText(const BlockIndex& index) const;
  // The part of the array that a copy of this block moves (seed_pipeline.md 1.3): the last block of a dimension that
  // does not divide is cut at the array's end, rounded up to the tile. REQUIRES: Has(index).
  Slice SliceOf(const BlockIndex& index) const;
  // `view` becomes that part of the array.
  void SetToBlock(Ref& view, const Ref& array, const BlockIndex& index) const {
    if (all_whole_) return view.SetToBlock(array, index, block_);
    const Slice slice = SliceOf(index);
    view.SetToWindow(array, slice.start, slice.size, slice.overruns);
  }
  // Whether such a copy moves all of a block.
  bool IsWhole(const BlockIndex& index) const { return all_whole_ || SliceOf(index).size == block_; }
  // Its number of elements.
  int64_t ElementsOf(const BlockIndex& index) const {
    return all_whole_ ? block_elements_ : SliceOf(index).size.Product();
  }

 private:
  Dims block_;
  Dims blocks_;     // how many there are
  Dims last_size_;  // of the last block
  uint32_t overrunning_ = 0;
  int64_t block_elements_ = 0;
  bool all_whole_ = true;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_BLOCK_SPEC_H_
