#include "runtime/pipeline/block_track.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"

namespace strandcore {

void BlockTrack::RefuseRank(const GridIndex& point, const BlockIndex& index) const {
  throw Stop{RefusalOf(RefusalKind::kIndexMapRankMismatch,
                       absl::StrCat("operand ", operand_, ": at grid point ", point.ToString(),
                                    " the index map answers ", index.ToString(), ", expected ", spec_->block.size(),
                                    " numbers, one for each dimension of the block ", spec_->BlockShape().ToString()))};
}

}  // namespace strandcore
