// Copy: the body y = x, for windows of any element type that a pipeline copies. Shows how a body looks at its type.
//
// How to read it. A window's element type is a run-time value; `VisitDType` calls a lambda with the C++ type of it, so
// that one body serves all. gather.h, scatter.h and nested_copy.h put it under pipelines of their own.
#ifndef STRANDCORE_KERNELS_COPY_H_
#define STRANDCORE_KERNELS_COPY_H_

#include "runtime/strandcore.h"

namespace strandcore {

void CopyBody(KernelContext& core, Ref x, Ref y);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_COPY_H_
