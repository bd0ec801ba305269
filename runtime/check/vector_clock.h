// VectorClock: how much of every agent's past is known: one entry a core, one entry a transfer slot.
//
// An entry that was never set is 0, so a clock is only as long as its last known slot. Up to eight entries lie in the
// clock itself.
//
// A value. Concurrency: none of its own; a core's clock belongs to its strand, a label to the semaphore that holds it.
#ifndef STRANDCORE_RUNTIME_CHECK_VECTOR_CLOCK_H_
#define STRANDCORE_RUNTIME_CHECK_VECTOR_CLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace strandcore {

using ClockEntry = uint32_t;

class VectorClock {
 public:
  size_t size() const { return values_.size(); }
  uint64_t Get(ClockEntry entry) const { return entry < values_.size() ? values_[entry] : 0; }

  void Set(ClockEntry entry, uint64_t value) {
    if (entry >= values_.size()) values_.resize(entry + 1);
    values_[entry] = value;
  }
  // At least `value` from now on. True if that is news.
  bool Raise(ClockEntry entry, uint64_t value) {
    if (value <= Get(entry)) return false;
    Set(entry, value);
    return true;
  }
  // Keeps its memory, for the next use; values_.clear() would not.
  void Clear() { values_.resize(0); }

  void Join(const VectorClock& other);
  // Whether all that `other` knows is known here.
  bool Contains(const VectorClock& other) const;

 private:
  absl::InlinedVector<uint64_t, 8> values_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_VECTOR_CLOCK_H_
