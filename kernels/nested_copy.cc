#include "kernels/nested_copy.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/copy.h"

namespace strandcore {
namespace {

// `body` over blocks of `width` columns.
absl::StatusOr<Pipeline> ByColumns(RefFunction body, const NestedCopyShape& shape, int64_t columns, int64_t width) {
  if (width <= 0 || columns <= 0 || columns % width != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("width: expected a divisor of the ", columns, " columns around it, given ", width));
  }
  const BlockSpec block({shape.rows, width}, [](GridIndex g) { return BlockIndex{0, g[0]}; });
  const GridDim steps(columns / width, shape.dynamic_grid);
  return EmitPipeline(std::move(body), {.grid = {steps}, .in_specs = {block}, .out_specs = {block}});
}

}  // namespace

absl::StatusOr<Pipeline> NestedCopyPipeline(const NestedCopyShape& shape) {
  const auto& widths = shape.widths;
  absl::StatusOr<Pipeline> inner = ByColumns(CopyBody, shape, widths[1], widths[2]);
  if (!inner.ok()) return inner.status();
  absl::StatusOr<Pipeline> middle = ByColumns(*std::move(inner), shape, widths[0], widths[1]);
  if (!middle.ok()) return middle.status();
  return ByColumns(*std::move(middle), shape, shape.columns, widths[0]);
}

}  // namespace strandcore
