#include "runtime/memory/masked_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/memory/walk.h"

namespace strandcore {
namespace {

struct Run {
  int64_t first;
  int64_t count;
  friend bool operator==(const Run&, const Run&) = default;
};

void FindRuns(const bool* mask, int64_t columns, std::vector<Run>* runs) {
  runs->clear();
  for (int64_t c = 0; c < columns; ++c) {
    if (!mask[c]) continue;
    if (!runs->empty() && runs->back().first + runs->back().count == c) {
      ++runs->back().count;
    } else {
      runs->push_back({c, 1});
    }
  }
}

// `rows` rows from the one at `row`, of the rows of all leading dimensions; they lie within one matrix.
void VisitBand(const Ref& ref, int64_t row, int64_t rows, const std::vector<Run>& runs,
               absl::FunctionRef<void(const Ref&)> visit) {
  Dims start = Dims::Filled(ref.rank(), 0);
  Dims size = Dims::Filled(ref.rank(), 1);
  for (int d = ref.rank() - 2; d >= 0; --d) {
    start[d] = row % ref.shape()[d];
    row /= ref.shape()[d];
  }
  if (ref.rank() >= 2) size[ref.rank() - 2] = rows;
  for (const Run& run : runs) {
    start[ref.rank() - 1] = run.first;
    size[ref.rank() - 1] = run.count;
    visit(ref.UncheckedWindow(start, size, ref.overruns()));
  }
}

}  // namespace

void ForEachMaskedPart(const Ref& ref, const bool* mask, absl::FunctionRef<void(const Ref&)> visit) {
  const int64_t elements = ref.elements();
  if (std::find(mask, mask + elements, false) == mask + elements) return visit(ref);
  if (std::find(mask, mask + elements, true) == mask + elements) return;
  // Here the rank is not 0: of one element, all or nothing is taken.
  const MatrixSize size = MatrixSizeOf(ref.shape());
  const int64_t matrix_rows = ref.rank() < 2 ? 1 : ref.shape()[ref.rank() - 2];
  std::vector<Run> band;
  std::vector<Run> next;
  int64_t first = 0;
  for (int64_t row = 0; row < size.rows; ++row) {
    FindRuns(mask + row * size.columns, size.columns, &next);
    if (row % matrix_rows != 0 && next == band) continue;
    VisitBand(ref, first, row - first, band, visit);
    first = row;
    std::swap(band, next);
  }
  VisitBand(ref, first, size.rows - first, band, visit);
}

}  // namespace strandcore
