// The report of a deadlock: nothing can run, some cores wait. Who waits where, on what, has and needs how much, who
// could pay, and who waits for whom.
//
// Concurrency: pure; called once the machine is quiet.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_
#define STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_

#include <vector>

#include "runtime/check/checker.h"
#include "runtime/core/tensor_core.h"
#include "runtime/trace/fault.h"

namespace strandcore {

// `checker`, if there is one, knows who has signalled what. REQUIRES: `waiting` is not empty, in the order of the
// cores; the machine is quiet, so no transfer is in flight.
Fault DeadlockFault(const std::vector<TensorCore*>& waiting, const Checker* checker);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_
