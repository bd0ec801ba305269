// MaskedParts: what a mask takes of a view, as parts of the view: so that only what is read or written is declared.
#ifndef STRANDCORE_RUNTIME_MEMORY_MASKED_PARTS_H_
#define STRANDCORE_RUNTIME_MEMORY_MASKED_PARTS_H_

#include "absl/functional/function_ref.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// Calls visit(part) for disjoint parts of `ref` that are together the elements where `mask` is true: the view itself if
// it is true everywhere, nothing if it is nowhere; else runs of columns, of as many rows as have the same ones. The
// mask is dense, in row-major order.
void ForEachMaskedPart(const Ref& ref, const bool* mask, absl::FunctionRef<void(const Ref&)> visit);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_MASKED_PARTS_H_
