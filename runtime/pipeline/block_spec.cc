#include "runtime/pipeline/block_spec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

constexpr int64_t kMostTileRows = 8;

// The tile's rows: starts at one packed register row and doubles while below the array's rows, up to 8.
int64_t TileRows(int64_t second_minor, int element_bytes, int generation) {
  int64_t rows = (4 / element_bytes) * (generation < 4 ? 2 : 1);
  while (rows < std::min(second_minor, kMostTileRows)) rows *= 2;
  return rows;
}

absl::Status ValidateBlock(const std::string& operand, const BlockSpec& spec, const Dims& shape) {
  const int rank = static_cast<int>(spec.block.size());
  if (rank != shape.size()) {
    return Refuse("operand ", operand, ": block ", spec.BlockShape().ToString(), " has ", rank,
                  " dimensions, the array ", shape.ToString(), " has ", shape.size());
  }
  for (int d = 0; d < rank; ++d) {
    if (spec.block[static_cast<size_t>(d)].size > 0) continue;
    return Refuse("operand ", operand, ": expected a positive block size in dimension ", d, ", given ",
                  spec.block[static_cast<size_t>(d)].size);
  }
  if (!spec.index_map) return Refuse("operand ", operand, ": expected an index map, given none");
  return absl::OkStatus();
}

}  // namespace

Dims BlockSpec::BlockShape() const {
  Dims shape;
  for (const BlockDim& dim : block) shape.push_back(dim.size);
  return shape;
}

uint32_t BlockSpec::SqueezedDims() const {
  uint32_t bits = 0;
  for (size_t d = 0; d < block.size(); ++d) bits |= block[d].squeezed ? 1u << d : 0u;
  return bits;
}

absl::StatusOr<Dims> MakeTiling(const std::string& operand, const Dims& shape, DType dtype, int generation) {
  if (shape.size() < 2) {
    return RefusalOf(
        RefusalKind::kRankBelow2,
        absl::StrCat("operand ", operand, ": expected an array of at least 2 dimensions to copy blocks of, ", "given ",
                     shape.ToString()));
  }
  if (DTypeSize(dtype) > 4) {
    return Refuse("operand ", operand, ": ", DTypeName(dtype),
                  " cannot be tiled: elements of 1, 2 or 4 bytes expected");
  }
  Dims tile = Dims::Filled(shape.size(), 1);
  tile[shape.size() - 1] = kTileColumns;
  tile[shape.size() - 2] = TileRows(shape[shape.size() - 2], DTypeSize(dtype), generation);
  return tile;
}

absl::Status ValidateSpec(const std::string& operand, const BlockSpec& spec, const Dims& shape, DType dtype,
                          int generation) {
  if (spec.alias()) return ValidateBlock(operand, spec, shape);
  absl::StatusOr<Dims> tile = MakeTiling(operand, shape, dtype, generation);
  if (!tile.ok()) return tile.status();
  STRANDCORE_RETURN_IF_ERROR(ValidateBlock(operand, spec, shape));
  if (dtype == DType::kBool) return Refuse("operand ", operand, ": a copy cannot move bool; use int8");
  const Dims block = spec.BlockShape();
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] % block[d] == 0 || block[d] % (*tile)[d] == 0) continue;
    return RefusalOf(RefusalKind::kBlockNotMultipleOfTile,
                     absl::StrCat("operand ", operand, ": block shape ", block.ToString(),
                                  " is not a multiple of the tile ", tile->ToString(), ", and ", block[d],
                                  " does not divide the array's ", shape[d], " in dimension ", d));
  }
  return absl::OkStatus();
}

BlockLayout::BlockLayout(const Dims& block, const Dims& shape, const Dims& tile)
    : block_(block), block_elements_(block.Product()) {
  for (int d = 0; d < shape.size(); ++d) {
    const int64_t rest = shape[d] % block[d];
    blocks_.push_back((shape[d] + block[d] - 1) / block[d]);
    last_size_.push_back(rest == 0 ? block[d] : RoundUp(rest, tile[d]));
    if (rest != 0) all_whole_ = false;
    if (rest != 0 && rest % tile[d] != 0) overrunning_ |= 1u << d;
  }
}

std::string BlockLayout::NoBlockText(const BlockIndex& index) const {
  for (int d = 0; d < blocks_.size(); ++d) {
    if (index[d] >= 0 && index[d] < blocks_[d]) continue;
    if (blocks_[d] == 0) return absl::StrCat("block ", index.ToString(), " is not there: dimension ", d, " has none");
    return absl::StrCat("block ", index.ToString(), " is not there: dimension ", d, " has blocks 0–", blocks_[d] - 1,
                        " of ", block_[d], ", given ", index[d]);
  }
  return "";
}

BlockLayout::Slice BlockLayout::SliceOf(const BlockIndex& index) const {
  Slice slice;
  slice.size = block_;
  for (int d = 0; d < block_.size(); ++d) {
    slice.start.push_back(index[d] * block_[d]);
    if (all_whole_ || index[d] != blocks_[d] - 1) continue;
    slice.size[d] = last_size_[d];
    if ((overrunning_ >> d & 1) != 0) slice.overruns = true;
  }
  return slice;
}

}  // namespace strandcore
