// The body that every golden case runs: reads the first element of each input window and fills each output window with
// a number made of them and of the grid point (golden/README.md, "A case").
//
// Concurrency: pure but for the windows.
#ifndef STRANDCORE_RUNTIME_CLI_CASE_BODY_H_
#define STRANDCORE_RUNTIME_CLI_CASE_BODY_H_

#include "runtime/core/kernel_context.h"
#include "runtime/core/ref_function.h"

namespace strandcore {

void RunCaseBody(KernelContext& core, Refs windows, size_t inputs, int grid_rank);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_CASE_BODY_H_
