// NestedCopy: y = x through three pipelines, one inside the other (any element type). Shows that a pipeline may be the
// body of another.
//
// How to read it. A pipeline is called with a core and refs, as a body is, so it can be given where a body is asked
// for. The outer one cuts x by columns and brings a wide window from HBM; the middle one cuts that window, which is in
// VMEM, into narrower ones; the inner one cuts those again, and its body copies. On the way out each level copies its
// window back into the one around it. Every level has buffers of its own, twice a window for each operand, which live
// as long as its invocation.
//
//   x in HBM  ─ widths[0] columns ─►  ─ widths[1] ─►  ─ widths[2] ─►  body  ─►  ...  ─►  y in HBM
//
// In the innermost body ProgramId and NumPrograms mean the innermost grid.
#ifndef STRANDCORE_KERNELS_NESTED_COPY_H_
#define STRANDCORE_KERNELS_NESTED_COPY_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct NestedCopyShape {
  int64_t rows = 16;
  int64_t columns = 0;
  std::array<int64_t, 3> widths = {512, 256, 128};  // each divides the one before, the first `columns`
  bool dynamic_grid = false;                        // sizes known only when the kernel runs
};

// Takes the operands x, y, or views of them.
absl::StatusOr<Pipeline> NestedCopyPipeline(const NestedCopyShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_NESTED_COPY_H_
