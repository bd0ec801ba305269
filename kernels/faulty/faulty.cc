#include "kernels/faulty/faulty.h"

namespace strandcore {

absl::Span<const FaultyKernel> FaultyKernels() {
  using enum FaultKind;
  static constexpr FaultyKernel kAll[] = {
      {"read_before_the_wait", kRace, "reads a tile before it waits for the copy that fills it", ReadBeforeTheWait},
      {"refilled_tile", kRace, "loads the next rows into the tile that it still works on", RefilledTile},
      {"two_copies_one_tile", kRace, "starts two copies that fill one tile", TwoCopiesOneTile},
      {"slot_refilled_while_draining", kRace, "fills a slot that a copy out still reads", SlotRefilledWhileDraining},
      {"wrong_semaphore", kRace, "waits for the one copy and reads what the other fills", WrongSemaphore},
      {"one_wait_for_two_copies", kRace, "waits once where two copies pay one semaphore", OneWaitForTwoCopies},
      {"two_cores_one_place", kRace, "has each of two cores write all of y", TwoCoresOnePlace, /*cores=*/2},
      {"missing_prefetch", kDeadlock, "waits in the second cycle for what the first did not prefetch", MissingPrefetch},
      {"wait_for_more", kDeadlock, "waits for more units than are ever signalled", WaitForMore},
      {"signal_too_many", kSemaphoreNotZero, "signals once more than it waits", SignalTooMany},
      {"never_waited", kTransferInFlightAtExit, "returns without waiting for its last copy", NeverWaited},
      {"scope_freed_under_a_copy", kUseAfterScope, "gives a tile back while a copy reads it", ScopeFreedUnderACopy},
      {"write_out_of_bounds", kOutOfBounds, "writes one block past the end", WriteOutOfBounds},
      {"negative_index", kOutOfBounds, "reads the block before the first", NegativeIndex},
      {"sum_never_zeroed", kUninitialisedRead, "adds to a sum that was never set", SumNeverZeroed},
      {"revisited_output", kRevisitedOutput, "comes back to output blocks that it has left", RevisitedOutput},
      {"too_much_vmem", kCapacity, "asks for more VMEM than a core has", TooMuchVmem},
      {"kernel_error", kKernelError, "throws", KernelError},
  };
  return kAll;
}

}  // namespace strandcore
