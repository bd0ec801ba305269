// The small values in which the order of a launch is told: who posted, who waited, when an access was, what is unsure.
//
// A core's *request number* counts its signals, starts and waits, from 0. An access has the number of requests its core
// made before it: between two requests nothing of a core is ordered with anybody else, so that is all there is to say.
// A transfer's *serial* names it in the launch. Both are the same in every schedule of an input, unlike clocks.
#ifndef STRANDCORE_RUNTIME_CHECK_ORDER_NAMES_H_
#define STRANDCORE_RUNTIME_CHECK_ORDER_NAMES_H_

#include <cstdint>
#include <vector>

#include "runtime/check/vector_clock.h"

namespace strandcore {

// Dense, from 0; used again after its semaphore has ended.
using SemaphoreId = int32_t;
inline constexpr SemaphoreId kNoSemaphore = -1;

// An access in the run's clocks: it is ordered before whoever's clock has `value` or more in `entry`.
struct AccessEpoch {
  ClockEntry entry = 0;
  uint64_t value = 0;
  friend bool operator==(const AccessEpoch&, const AccessEpoch&) = default;
};

// An access by name, for the solved order.
struct AccessName {
  enum class Part : uint8_t { kCore, kTransferRead, kTransferWrite };
  static AccessName OfCore(int32_t core, int64_t number) { return {Part::kCore, core, number}; }
  static AccessName OfTransfer(int64_t serial, bool write) {
    return {write ? Part::kTransferWrite : Part::kTransferRead, 0, serial};
  }

  Part part = Part::kCore;
  int32_t core = 0;    // not used for a transfer's
  int64_t number = 0;  // a core's request number, a transfer's serial
  friend auto operator<=>(const AccessName&, const AccessName&) = default;
};

// A post: a core's signal, or a transfer's completion.
struct PostName {
  int32_t core = 0;    // who signalled, or started the transfer
  int32_t tick = 0;    // 0: a signal; a remote transfer: 1: source read, 2: target written too; 3: a local one, both
  int64_t number = 0;  // of a signal: its request number; of a transfer: its serial
  friend bool operator==(const PostName&, const PostName&) = default;
};

struct WaitName {
  int32_t core = -1;  // -1: none
  int64_t number = 0;
  friend bool operator==(const WaitName&, const WaitName&) = default;
};

// A post that was made after a wait but could have been made before: the run's order is too strong.
struct LatePost {
  SemaphoreId semaphore = kNoSemaphore;
  PostName post;
  WaitName wait;
};

// Why something is not ordered although its semaphore was waited on: `post` need not have paid for `wait`, since each
// of `instead` could have paid in its place.
struct UnsurePost {
  SemaphoreId semaphore = kNoSemaphore;
  PostName post;
  WaitName wait;  // the owner's last on this semaphore
  std::vector<PostName> instead;
};

// Parts of the rule that a test may take away, to show that they are needed.
struct OrderRules {
  bool tick_after_posts = true;  // a core's entry advances after a post, not only at its first access
  bool see_late_posts = true;    // late posts are looked for
  bool learn_per_entry = true;   // a wait learns from posts of which none is proven whole
  bool check_chain = true;       // posts are a chain only where each label contains the last
  bool solve = true;             // the solved order goes beyond the run's pass
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_ORDER_NAMES_H_
