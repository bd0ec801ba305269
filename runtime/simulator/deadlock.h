// The report of a deadlock: nothing can run, some cores wait. Who waits where, on what, has and needs how much, and
// who could pay.
//
// Concurrency: pure; called once the machine is quiet.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_
#define STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_

#include <vector>

#include "runtime/core/tensor_core.h"
#include "runtime/trace/fault.h"

namespace strandcore {

// REQUIRES: `waiting` is not empty; no transfer is in flight.
Fault DeadlockFault(const std::vector<TensorCore*>& waiting);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_DEADLOCK_H_
