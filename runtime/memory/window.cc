#include "runtime/memory/window.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"

namespace strandcore::internal {

bool LayoutAsMatrix(const Dims& shape, const Dims& strides, MatrixLayout* layout) {
  const int rank = shape.size();
  const MatrixSize size = MatrixSizeOf(shape);
  *layout = {size.rows, size.columns, size.columns};
  if (size.rows == 0 || size.columns == 0) return true;
  if (size.columns > 1 && strides[rank - 1] != 1) return false;
  int64_t merged = 1;  // rows so far, from the innermost dimension outwards
  for (int d = rank - 2; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (merged == 1) layout->row_stride = strides[d];
    if (strides[d] != layout->row_stride * merged) return false;
    merged *= shape[d];
  }
  return true;
}

absl::Status NoMatrix(const std::string& title, const Dims& shape, const Dims& strides) {
  if (shape.back() > 1 && strides.back() != 1) {
    return Refuse(title, ": the elements of a row of the view ", shape.ToString(), " lie ", strides.back(),
                  " apart, so it has no map; use Load or Store");
  }
  return Refuse(title, ": the rows of ", shape.ToString(),
                " do not follow each other evenly in memory, so they are no matrix; take a part (x.At(i)), or use "
                "Load or Store");
}

void CheckAccess(const Ref& ref, DType asked, AccessMode mode) {
  if (ref.dtype() != asked) {
    throw Stop{Refuse(ref.allocation()->Title(), ": expected an access as ", DTypeName(ref.dtype()), "; given ",
                      DTypeName(asked))};
  }
  const bool allowed = ref.port() == nullptr || ref.port()->hbm_allowed;
  if (!allowed && (ref.space() == MemorySpace::kHbm || ref.space() == MemorySpace::kAny)) {
    const char* const instead = mode == AccessMode::kRead    ? "load it directly; copy it to VMEM"
                                : mode == AccessMode::kWrite ? "store to it directly; copy to it from VMEM"
                                                             : "load and store it directly; copy it to VMEM and back";
    throw Stop{Refuse(ref.allocation()->Title(), " lives in ", MemorySpaceName(ref.space()), ": a kernel cannot ",
                      instead, " (MakeAsyncCopy, SyncCopy or a pipeline)")};
  }
  if (mode != AccessMode::kRead && ref.allocation()->read_only()) {
    throw Stop{Refuse("store into ", ref.allocation()->Title(),
                      ": expected an operand given with Out or InOut, it was given with In")};
  }
}

MatrixLayout CheckAnyMap(const Ref& ref, DType asked, AccessMode mode) {
  CheckAccess(ref, asked, mode);
  Dims extent;
  if (ref.overruns() && (!MemoryExtent(ref, &extent) || !(extent == ref.shape())) && ref.elements() > 0) {
    throw Stop{absl::OutOfRangeError(absl::StrCat(
        ref.allocation()->Title(), ": only ", extent.ToString(), " of the view ", ref.shape().ToString(),
        " lies within its ", ref.reaches_out() ? "array" : "memory", ", so it has no map; use Load or Store"))};
  }
  MatrixLayout layout;
  if (!LayoutAsMatrix(ref.shape(), ref.strides(), &layout)) {
    throw Stop{NoMatrix(ref.allocation()->Title(), ref.shape(), ref.strides())};
  }
  return layout;
}

void CheckSize(const Ref& ref, const char* what, int64_t rows, int64_t columns) {
  const MatrixSize size = MatrixSizeOf(ref.shape());
  if (size == MatrixSize{rows, columns}) return;
  throw Stop{Refuse(ref.allocation()->Title(), ": expected ", what, " of ", size.rows, " x ", size.columns,
                    " for the view ", ref.shape().ToString(), "; given ", rows, " x ", columns)};
}

Ref ElementPart(const Ref& ref, const Dims& index) {
  if (index.overflowed()) {
    throw Stop{absl::OutOfRangeError(absl::StrCat(ref.allocation()->Title(), ": more than ", kMaxRank,
                                                  " indices given for ", ref.rank(), " dimensions"))};
  }
  Index indices[kMaxRank];
  for (int d = 0; d < index.size(); ++d) indices[d] = Index(index[d]);
  const Ref part = ref.Slice(absl::MakeConstSpan(indices, index.size()), Site{});
  if (part.elements() != 1) {
    throw Stop{Refuse(ref.allocation()->Title(), ": expected an index of one element of ", ref.shape().ToString(),
                      "; given ", index.ToString(), ", which has ", part.elements())};
  }
  if (part.overruns() && !part.reaches_out() && (part.outside() || PhysicalExtent(part).Product() != 1)) {
    throw Stop{absl::OutOfRangeError(absl::StrCat(ref.allocation()->Title(), ": element ", index.ToString(), " of ",
                                                  ref.shape().ToString(), " lies past the end of its memory"))};
  }
  return part;
}

}  // namespace strandcore::internal
