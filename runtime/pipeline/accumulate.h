// The arithmetic a pipeline does itself on accumulators: clear, copy and add whole windows of equal shape and type.
// Each declares what it reads and writes.
//
// Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_PIPELINE_ACCUMULATE_H_
#define STRANDCORE_RUNTIME_PIPELINE_ACCUMULATE_H_

#include "runtime/memory/ref.h"

namespace strandcore {

void FillZeros(const Ref& window);
void CopyWindow(const Ref& from, const Ref& to);
// window += addend. Summed in int32 where the elements are int32, else in float32; a float that does not fit an
// integer type is rounded toward zero and saturates.
void AddWindow(const Ref& addend, const Ref& window);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_ACCUMULATE_H_
