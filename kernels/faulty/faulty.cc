#include "kernels/faulty/faulty.h"

namespace strandcore {

absl::Span<const FaultyKernel> FaultyKernels() {
  static constexpr FaultyKernel kAll[] = {
      {FaultKind::kRace, RaceKernel},
      {FaultKind::kDeadlock, DeadlockKernel},
      {FaultKind::kSemaphoreNotZero, SemaphoreNotZeroKernel},
      {FaultKind::kTransferInFlightAtExit, TransferInFlightAtExitKernel},
      {FaultKind::kUseAfterScope, UseAfterScopeKernel},
      {FaultKind::kOutOfBounds, OutOfBoundsKernel},
      {FaultKind::kUninitialisedRead, UninitialisedReadKernel},
      {FaultKind::kRevisitedOutput, RevisitedOutputKernel},
      {FaultKind::kCapacity, CapacityKernel},
      {FaultKind::kKernelError, KernelErrorKernel},
  };
  return kAll;
}

}  // namespace strandcore
