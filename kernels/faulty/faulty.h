// The faulty kernels: for each fault that the checker knows, a small kernel that has it, and its repaired twin, one
// line apart. What to read to see what a fault is, and how a report about it looks.
//
// How to read them. Each function gives one kernel, `repaired` or not: the line that asks for `repaired` is the fault.
// All of them take x, which they read, and y, which they write: 16 rows of 128 float32 each.
//
//   for (const FaultyKernel& kernel : FaultyKernels()) {
//     std::cout << simulator.Run(kernel.make(/*repaired=*/false), {In("x", x), Out("y", y)}) << "\n";
//   }
#ifndef STRANDCORE_KERNELS_FAULTY_FAULTY_H_
#define STRANDCORE_KERNELS_FAULTY_FAULTY_H_

#include "absl/types/span.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct FaultyKernel {
  FaultKind fault;  // the only one that it has
  RefFunction (*make)(bool repaired);
};

// Loads the next rows into the tile that it still works on.
RefFunction RaceKernel(bool repaired);
// Runs a pipeline twice over the same buffers; the second time waits for what nobody has prefetched.
RefFunction DeadlockKernel(bool repaired);
// Takes fewer units from its semaphore than it has put there.
RefFunction SemaphoreNotZeroKernel(bool repaired);
// Returns without waiting for its last copy.
RefFunction TransferInFlightAtExitKernel(bool repaired);
// Gives a tile back while a copy still reads it.
RefFunction UseAfterScopeKernel(bool repaired);
// Goes one block too far.
RefFunction OutOfBoundsKernel(bool repaired);
// Adds to a sum that it never set to zero.
RefFunction UninitialisedReadKernel(bool repaired);
// Comes back to blocks of its output that it has left.
RefFunction RevisitedOutputKernel(bool repaired);
// Asks for more VMEM than a core has.
RefFunction CapacityKernel(bool repaired);
// Throws.
RefFunction KernelErrorKernel(bool repaired);

// All of them, in the order above.
absl::Span<const FaultyKernel> FaultyKernels();

inline Dims FaultyKernelShape() { return {16, 128}; }

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_FAULTY_FAULTY_H_
