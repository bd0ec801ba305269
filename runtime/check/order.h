// LaunchOrder: what is ordered before what in a launch, as far as one run shows. Every signal, start, wait and access
// of its cores is told to it; it says whether an earlier access is ordered before what a core does now.
//
//   const AccessEpoch wrote = order.Access(0);  // kept where the access was
//   order.Signal(0, ready, 1);
//   order.Wait(1, ready, 1);
//   order.Ordered(wrote, 1);  // true
//
// Where a post was late, the run's order is stronger than what holds in every schedule; then the log tells SolvedOrder
// what is. Without a late post the answers here are final.
//
// A transfer's accesses are ordered as its start is: check both when it is started, with the issuing core and
// the epochs that Start returns. Nothing is told to LaunchOrder when a transfer completes.
//
// Concurrency: what names a core first is called on that core's strand, for different cores at once. Ordering: the
// caller tells a post before it lets any wait through, and a wait only when it has been let through.
// Nothing is allocated in steady state, but for the log.
#ifndef STRANDCORE_RUNTIME_CHECK_ORDER_H_
#define STRANDCORE_RUNTIME_CHECK_ORDER_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/check/order_names.h"
#include "runtime/check/request_log.h"
#include "runtime/check/semaphore_order.h"
#include "runtime/check/semaphore_table.h"
#include "runtime/check/transfer_slots.h"
#include "runtime/check/vector_clock.h"

namespace strandcore {

// What a transfer pays, and where. A remote one pays the issuing core's `send` when its source is read and the other
// core's `receive` when its target is written; a local one has no `receive` and pays when both are done.
struct SemaphoreUnits {
  SemaphoreId semaphore = kNoSemaphore;
  int64_t units = 0;
};

struct StartedTransfer {
  int64_t serial = 0;
  AccessEpoch read;
  AccessEpoch written;
};

class LaunchOrder {
 public:
  // With a log every request is written to it. One core alone needs none: nothing that it posts is late.
  explicit LaunchOrder(int32_t cores, RequestLog* log = nullptr, const OrderRules& rules = {});
  LaunchOrder(const LaunchOrder&) = delete;
  LaunchOrder& operator=(const LaunchOrder&) = delete;

  int32_t cores() const { return static_cast<int32_t>(cores_.size()); }

  // A semaphore that holds `units` of which everybody knows. May be called before the launch, from one thread.
  SemaphoreId AddSemaphore(int32_t owner, int64_t units = 0);
  // The semaphore ends, and with it what is unsure about it, which is returned (see IsOpen). With `use_again` its id
  // stands for the next one. REQUIRES: nobody posts to one whose id is used again; a transfer in flight has posted.
  std::optional<UnsurePost> EndSemaphore(int32_t owner, SemaphoreId id, bool use_again = true);
  // All that was posted to it less what was waited with decrement.
  int64_t UnitsOf(SemaphoreId id) const { return semaphores_[id].units(); }

  // What the caller knows a semaphore by; from whoever was handed it.
  void SetTag(SemaphoreId id, int32_t tag) { semaphores_[id].set_tag(tag); }
  int32_t TagOf(SemaphoreId id) const { return semaphores_[id].tag(); }
  int32_t LoggedAs(SemaphoreId id) const { return semaphores_[id].logged_as(); }
  int32_t OwnerOf(SemaphoreId id) const { return semaphores_[id].owner(); }

  // Calls of a core in program order. REQUIRES: units >= 0.
  AccessEpoch Access(int32_t core) {
    Core& self = cores_[static_cast<size_t>(core)];
    if (self.tick_due) Tick(self, core);
    return {static_cast<ClockEntry>(core), self.own};
  }
  void Signal(int32_t core, SemaphoreId semaphore, int64_t units);
  StartedTransfer Start(int32_t core, SemaphoreUnits send, SemaphoreUnits receive = {});
  void Wait(int32_t core, SemaphoreId semaphore, int64_t units, bool decrement = true);

  // Whether an earlier access is ordered before what `core` does now.
  bool Ordered(const AccessEpoch& epoch, int32_t core) const {
    return cores_[static_cast<size_t>(core)].clock.Get(epoch.entry) >= epoch.value;
  }
  // How many requests `core` has made: the number of an access that it makes now.
  int64_t RequestsOf(int32_t core) const { return cores_[static_cast<size_t>(core)].requests; }
  const VectorClock& ClockOf(int32_t core) const { return cores_[static_cast<size_t>(core)].clock; }

  // Whether posts have paid on the semaphore of which its owner cannot know which; called on the owner's strand.
  bool IsOpen(int32_t owner, SemaphoreId id) const;
  // Why `core` does not know `epoch`, if that is because a wait of its own need not have been paid by its post.
  std::optional<UnsurePost> WhyUnordered(const AccessEpoch& epoch, int32_t core) const;

  // What was posted and waited on the semaphore of `core` that the transfer with this epoch pays, if it is still there.
  std::optional<SemaphoreTotals> TotalsFor(const AccessEpoch& epoch, int32_t core) const;

  // Whether some post was late: then only the solved order is exact.
  bool late() const { return any_late_.load(std::memory_order_relaxed); }
  // Whether the answers given are what holds in every schedule; after the run.
  bool IsExact() const { return !late() && capped_.empty(); }
  // The first late post of each semaphore that had one, at most kMaxNotes; after the run.
  const std::vector<LatePost>& late_posts() const { return late_posts_; }
  // Semaphores that passed kMaxLivePosts; after the run. On them the run's order may be too strong.
  const std::vector<SemaphoreId>& capped() const { return capped_; }

  static constexpr size_t kMaxNotes = 64;

 private:
  // Owned by the core's strand.
  struct alignas(64) Core {
    VectorClock clock;
    uint64_t own = 0;      // the clock's entry of this core
    bool tick_due = true;  // at the next access
    int64_t requests = 0;
    int64_t started = 0;
    TransferSlots slots;
    std::vector<SemaphoreId> semaphores;  // that it owns now
    std::vector<SemaphoreId> ended;       // to be used again
  };

  static void Tick(Core& self, int32_t core);
  void Post(SemaphoreId semaphore, PostName name, int64_t units, AccessEpoch proven, const VectorClock& clock);
  void Note(SemaphoreOrder::PostNews news, PostName post, SemaphoreId semaphore);
  void Log(int32_t core, LoggedRequest::Kind kind, SemaphoreUnits paid, SemaphoreUnits receive = {});

  // Constant after construction.
  const OrderRules rules_;
  RequestLog* const log_;
  const bool shared_;

  std::vector<Core> cores_;
  SemaphoreTable semaphores_;
  std::atomic<uint32_t> entries_;  // of clocks, given out so far
  std::atomic<bool> any_late_{false};

  std::mutex notes_mutex_;
  // Under notes_mutex_ during the run.
  std::vector<LatePost> late_posts_;
  std::vector<SemaphoreId> capped_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_ORDER_H_
