// ShadowCell: which accesses a piece of memory has seen that a later one may still race with.
//
// An access goes when a later one is ordered after it and would meet everything that it would meet: a write, or a read
// after a read. So in a program without races there are a write and the reads after it, and every place that has a
// race keeps a pair of it.
//
// A value. Concurrency: its allocation's shadow guards it.
#ifndef STRANDCORE_RUNTIME_CHECK_SHADOW_CELL_H_
#define STRANDCORE_RUNTIME_CHECK_SHADOW_CELL_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "runtime/check/order_names.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

// One access as the shadow keeps it.
struct SeenAccess {
  AccessEpoch epoch;
  AccessName name;
  Stamp stamp;                   // of the access, or of the transfer's start
  int32_t core = 0;              // which made it, or started the transfer
  int32_t pays = -1;             // the semaphore that the transfer pays
  int32_t pays_on_arrival = -1;  // of a remote one
  int32_t semaphore = -1;        // tags of the two: what they are called
  int32_t receive = -1;
  int16_t receiver = -1;  // whose the second is
  bool write = false;
  bool ends = false;  // the memory's end, which counts as a write of all of it

  bool by_transfer() const { return name.part != AccessName::Part::kCore; }
  bool remote() const { return receiver >= 0; }
};

// Whether the two cannot race whatever orders them: reads, or of one transfer, or of one core.
inline bool CannotConflict(const SeenAccess& a, const SeenAccess& b) {
  if (!a.write && !b.write) return true;
  if (a.by_transfer() != b.by_transfer()) return false;
  return a.by_transfer() ? a.name.number == b.name.number : a.core == b.core;
}

struct ShadowCell {
  // A program that never waits would pile them up: then the oldest goes, and the run proves nothing.
  static constexpr size_t kMostAccesses = 256;

  absl::InlinedVector<SeenAccess, 2> accesses;

  // The memory ends: `race(earlier)` as below. All are kept, so that an access that nothing orders before the end still
  // meets them.
  template <typename Ordered, typename Race>
  void End(const SeenAccess& end, Ordered&& ordered, Race&& race) {
    for (const SeenAccess& earlier : accesses) {
      if (!CannotConflict(earlier, end) && !ordered(earlier)) race(earlier);
    }
    accesses.push_back(end);
  }

  // Meets `access` with all that are kept, and keeps it. `ordered(earlier)`: whether that is over before `access`;
  // `race(earlier)` is called for those that nothing orders. False: there were too many, and one was dropped.
  template <typename Ordered, typename Race>
  bool Meet(const SeenAccess& access, Ordered&& ordered, Race&& race) {
    size_t kept = 0;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const SeenAccess& earlier = accesses[i];
      const bool before = ordered(earlier);
      if (!before && !CannotConflict(earlier, access)) race(earlier);
      if (before && (access.write || !earlier.write)) continue;
      if (kept != i) accesses[kept] = earlier;
      ++kept;
    }
    const bool all = kept < kMostAccesses;
    if (__builtin_expect(!all, 0)) {
      accesses.erase(accesses.begin());
      --kept;
    }
    if (kept == accesses.size()) {
      accesses.push_back(access);
      return all;
    }
    accesses[kept] = access;
    if (kept + 1 < accesses.size()) accesses.resize(kept + 1);
    return all;
  }

  // As if a later access replaced all, or a read were enough; for tests (CheckerRules).
  void KeepLast() { accesses.erase(accesses.begin(), accesses.end() - 1); }
  void KeepReads() {
    if (!accesses.back().write) KeepLast();
  }
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SHADOW_CELL_H_
