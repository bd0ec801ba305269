// SemaphoreOrder: what a wait on one semaphore orders. The semaphore counts and does not know who paid, so a wait
// learns what every way of paying implies.
//
// `slack` is what was posted or started here less what was waited: so many units may still be unpaid, and nobody knows
// whose. For each clock entry apart, with the posts in the order of that entry, latest first, the wait passes over
// `slack` units and learns the entry of the next one. The ways to the same answer, cheapest first:
//
//   slack 0                                  all labels
//   no more live units than slack            nothing
//   live posts all of the owner's transfers  the entry of each that is larger than the slack
//   a chain: each label contains the last    the label of the post behind the slack, counted from the last
//   else                                     entry by entry
//
// A post is *live* until its owner knows its whole label. At kMaxLivePosts the oldest counts as proven (`capped`).
// `taught` is the join of what waits here learned; a post whose label lacks some of it could have come before the wait
// that learned it: it is *late*.
//
// Concurrency: self-synchronised by a lock of its own where Begin is told that others share it. A wait also changes the
// owner's clock, which is the owner's strand's. Ordering: the caller makes each post known here before it lets any wait
// through; a transfer's posts are made known at its start.
#ifndef STRANDCORE_RUNTIME_CHECK_SEMAPHORE_ORDER_H_
#define STRANDCORE_RUNTIME_CHECK_SEMAPHORE_ORDER_H_

#include <cstdint>
#include <vector>

#include "runtime/check/brief_lock.h"
#include "runtime/check/live_posts.h"
#include "runtime/check/order_names.h"
#include "runtime/check/vector_clock.h"

namespace strandcore {

inline constexpr size_t kMaxLivePosts = 1024;

struct SemaphoreTotals {
  int64_t posted = 0;
  int64_t waited = 0;
};

class alignas(64) SemaphoreOrder {
 public:
  // What a post brought to light, each for the first time here.
  struct PostNews {
    bool late = false;
    bool capped = false;
  };

  SemaphoreOrder() = default;
  SemaphoreOrder(const SemaphoreOrder&) = delete;
  SemaphoreOrder& operator=(const SemaphoreOrder&) = delete;

  // A semaphore begins its life here, holding `units` that everybody knows of. REQUIRES: the last one has ended.
  void Begin(int32_t owner, int64_t units, int32_t logged_as, bool shared, const OrderRules* rules);
  // What whoever reports calls it; given before anybody else knows of it.
  void set_tag(int32_t tag) { tag_ = tag; }
  int32_t tag() const { return tag_; }
  int32_t owner() const { return owner_; }
  int32_t logged_as() const { return logged_as_; }

  // A signal, or a post of a transfer that proves `proven`; `clock` is the poster's. REQUIRES: units >= 0.
  PostNews Post(PostName name, int64_t units, AccessEpoch proven, const VectorClock& clock);
  // `clock` is the owner's. REQUIRES: the units have been posted.
  void Wait(WaitName name, int64_t units, bool decrement, VectorClock& clock);
  // All that was posted less what was waited with decrement.
  int64_t units();
  // The wait that the first late post may have come before.
  WaitName late_after();
  // If a live post here is of the transfer of `sought`: all units that were posted here, and those that waits took.
  bool FindTotals(const AccessEpoch& sought, SemaphoreTotals& totals);

  // Whether the live posts exceed the slack: some of them paid, and the owner does not know which.
  bool IsOpen(const VectorClock& clock);
  // If it is open: the first such post into `unsure`.
  bool FindOpen(const VectorClock& clock, UnsurePost& unsure);
  // If there is one: the post that would prove `sought` but need not have paid for the last wait, into `unsure`.
  bool FindUnsure(const VectorClock& clock, const AccessEpoch& sought, UnsurePost& unsure);

 private:
  static constexpr int64_t kRecent = 4;

  struct Unknown {
    ClockEntry entry;
    uint64_t value;
    int64_t units;
  };

  void AddLive(PostName name, int64_t units, AccessEpoch proven, const VectorClock& clock);
  bool IsAfterLast(PostName name, const VectorClock& clock) const;
  void ForceOldest();
  bool OwnTransfersOnly() const { return live_.labelled() == 0 && !two_of_one_; }

  void LearnAll(VectorClock& clock);
  void LearnLarger(int64_t slack, VectorClock& clock);
  void LearnChain(int64_t slack, VectorClock& clock);
  void LearnPerEntry(int64_t slack, VectorClock& clock);
  void GatherUnknown(int64_t slack, const VectorClock& clock);
  void MarkWeighed(int64_t slack);
  void LearnPost(const LivePost& post, VectorClock& clock);
  void Learn(const VectorClock& label, VectorClock& clock);
  void Learn(ClockEntry entry, uint64_t value, VectorClock& clock);

  bool IsKnown(const LivePost& post, const VectorClock& clock) const;
  bool Proves(const LivePost& post, const AccessEpoch& epoch) const;
  void Explain(const LivePost& post, UnsurePost& unsure) const;
  void Purge(const VectorClock& clock);

  // Constant from Begin on.
  int32_t owner_ = 0;
  bool shared_ = false;
  int32_t logged_as_ = 0;
  int32_t tag_ = -1;
  const OrderRules* rules_ = nullptr;

  // Under lock_.
  BriefLock lock_;
  int64_t slack_ = 0;
  int64_t waited_ = 0;
  bool chain_ = true;
  bool two_of_one_ = false;  // among the live posts may be two of one transfer
  bool learned_ = false;     // by the wait that is being served
  bool late_ = false;
  bool capped_ = false;
  size_t purge_at_ = 0;
  LivePosts live_;
  VectorClock taught_;
  VectorClock forced_;  // of posts that count as proven; learned by the next wait
  WaitName last_taught_;
  WaitName late_after_;
  WaitName last_wait_;
  // For explanations: how many posts there were, up to now, up to the last wait, up to the last that took all.
  int64_t arrivals_ = 0;
  int64_t waited_arrivals_ = 0;
  int64_t paid_arrivals_ = 0;
  PostName recent_[kRecent];  // the last posts; number i is at i % kRecent
  // Of LearnPerEntry, kept for their memory.
  std::vector<Unknown> unknown_;
  std::vector<uint8_t> weighed_;       // by live post: all of it, or only its transfer's entry
  std::vector<int64_t> units_behind_;  // by core
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SEMAPHORE_ORDER_H_
