#include "runtime/base/refusal.h"

#include "absl/strings/cord.h"

namespace strandcore {
namespace {

constexpr char kPayload[] = "strandcore/refusal";
constexpr RefusalKind kNamedKinds[] = {
    RefusalKind::kBlockNotMultipleOfTile, RefusalKind::kRankBelow2,
    RefusalKind::kNoParallelDimension,    RefusalKind::kOnlyDynamicParallelDimensions,
    RefusalKind::kSemanticsRankMismatch,  RefusalKind::kIndexMapRankMismatch,
};

}  // namespace

const char* RefusalName(RefusalKind kind) {
  switch (kind) {
    case RefusalKind::kBlockNotMultipleOfTile:
      return "block-not-multiple-of-tile";
    case RefusalKind::kRankBelow2:
      return "rank-below-2";
    case RefusalKind::kNoParallelDimension:
      return "no-parallel-dimension";
    case RefusalKind::kOnlyDynamicParallelDimensions:
      return "only-dynamic-parallel-dimensions";
    case RefusalKind::kSemanticsRankMismatch:
      return "semantics-rank-mismatch";
    case RefusalKind::kIndexMapRankMismatch:
      return "index-map-rank-mismatch";
    case RefusalKind::kOther:
      break;
  }
  return "other";
}

absl::Status RefusalOf(RefusalKind kind, const std::string& text) {
  absl::Status status = absl::InvalidArgumentError(text);
  status.SetPayload(kPayload, absl::Cord(RefusalName(kind)));
  return status;
}

RefusalKind RefusalKindOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return RefusalKind::kOther;
  for (RefusalKind kind : kNamedKinds) {
    if (*payload == RefusalName(kind)) return kind;
  }
  return RefusalKind::kOther;
}

}  // namespace strandcore
