// ThreadsExecutor: a pool of N threads; each Strand is an Asio strand on it. Real concurrency.
//
// It counts the steps that are posted or running. When the count falls to zero nothing can run any more, since only a
// step posts another: the run has ended, or is stuck for ever. No timer is involved.
//
// Ownership: owns its threads; they end with it.
// Concurrency: self-synchronised.
#ifndef STRANDCORE_RUNTIME_EXEC_THREADS_EXECUTOR_H_
#define STRANDCORE_RUNTIME_EXEC_THREADS_EXECUTOR_H_

#include <memory>

#include "runtime/exec/executor.h"

namespace strandcore {

// REQUIRES: threads >= 1.
std::unique_ptr<Executor> MakeThreadsExecutor(int threads);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_THREADS_EXECUTOR_H_
