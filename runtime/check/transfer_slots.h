// TransferSlots: the clock entries that one core's transfers use, one after another.
//
//   use n of a slot: tick 2n + 1, the source is read; tick 2n + 2, the target is written, too
//
// A slot is used again only when its core knows the last use's second tick. So whoever knows a tick of the next use
// knows the last one, and reuse orders nothing that is not ordered anyway.
//
// Concurrency: owned by the core's strand; the count of entries is the launch's, shared by all cores.
#ifndef STRANDCORE_RUNTIME_CHECK_TRANSFER_SLOTS_H_
#define STRANDCORE_RUNTIME_CHECK_TRANSFER_SLOTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/check/order_names.h"
#include "runtime/check/vector_clock.h"

namespace strandcore {

class TransferSlots {
 public:
  // The epoch of the first tick of a slot that is free by `clock`, the core's. The second is one more.
  AccessEpoch Take(const VectorClock& clock, std::atomic<uint32_t>& entries) {
    const size_t probes = slots_.size() < kProbes ? slots_.size() : kProbes;
    for (size_t i = 0; i < probes; ++i) {
      if (++next_ >= slots_.size()) next_ = 0;
      Slot& slot = slots_[next_];
      if (clock.Get(slot.entry) >= slot.ticks) return Use(slot);
    }
    slots_.push_back({entries.fetch_add(1, std::memory_order_relaxed), 0});
    return Use(slots_.back());
  }

 private:
  // Bounds the search where many transfers are in flight.
  static constexpr size_t kProbes = 8;

  struct Slot {
    ClockEntry entry;
    uint64_t ticks;  // of all uses so far
  };

  static AccessEpoch Use(Slot& slot) {
    slot.ticks += 2;
    return {slot.entry, slot.ticks - 1};
  }

  std::vector<Slot> slots_;
  size_t next_ = 0;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_TRANSFER_SLOTS_H_
