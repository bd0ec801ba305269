// The faulty kernels: small kernels with one fault each, and their repaired twins, one line apart: what to read to see
// what a fault is, and to run to see how the report about it reads (`strandcore run faulty/read_before_the_wait`).
//
// How to read them. Each has a file of its own and is made `repaired` or not: the line that asks for `repaired` is the
// fault. All of them take x, which they read, and y, which they write: 16 rows of 128 float32 each.
//
//   for (const FaultyKernel& kernel : FaultyKernels()) {
//     Simulator simulator({.cores = kernel.cores});
//     std::cout << simulator.Run(kernel.make(/*repaired=*/false), {In("x", x), Out("y", y)}) << "\n";
//   }
#ifndef STRANDCORE_KERNELS_FAULTY_FAULTY_H_
#define STRANDCORE_KERNELS_FAULTY_FAULTY_H_

#include "absl/types/span.h"
#include "runtime/strandcore.h"

namespace strandcore {

struct FaultyKernel {
  const char* name;     // its file's
  FaultKind fault;      // the only one that it has
  const char* summary;  // what is wrong with it
  RefFunction (*make)(bool repaired);
  int cores = 1;
};

absl::Span<const FaultyKernel> FaultyKernels();

inline Dims FaultyKernelShape() { return {16, 128}; }

RefFunction ReadBeforeTheWait(bool repaired);
RefFunction RefilledTile(bool repaired);
RefFunction TwoCopiesOneTile(bool repaired);
RefFunction SlotRefilledWhileDraining(bool repaired);
RefFunction WrongSemaphore(bool repaired);
RefFunction OneWaitForTwoCopies(bool repaired);
RefFunction TwoCoresOnePlace(bool repaired);
RefFunction MissingPrefetch(bool repaired);
RefFunction WaitForMore(bool repaired);
RefFunction SignalTooMany(bool repaired);
RefFunction NeverWaited(bool repaired);
RefFunction ScopeFreedUnderACopy(bool repaired);
RefFunction WriteOutOfBounds(bool repaired);
RefFunction NegativeIndex(bool repaired);
RefFunction SumNeverZeroed(bool repaired);
RefFunction RevisitedOutput(bool repaired);
RefFunction TooMuchVmem(bool repaired);
RefFunction KernelError(bool repaired);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_FAULTY_FAULTY_H_
