// SolvedOrder: what is ordered before what in every schedule of the input that a run's log shows.
//
// A run in which a post was late makes some waits learn too much. So each wait weighs all posts of the run, later ones
// too, with what each of them knows by the newest answer, and with slack = all units of the run on its semaphore less
// those waited up to and including this wait; again, until nothing changes. What is known can only shrink.
//
// Clock entries do not mix in this rule, so each is solved alone and only if asked for: its state is, for each core,
// from which request number on the core knows of the access. A transfer has an entry of its own, not a slot. The first
// pass repeats a run with LaunchOrder; it may be any run of these requests.
//
//   known[c]   the core c's accesses and requests from this number on know of the access in question
//
// Concurrency: none; used when the run is over. What has been solved is kept.
#ifndef STRANDCORE_RUNTIME_CHECK_SOLVE_H_
#define STRANDCORE_RUNTIME_CHECK_SOLVE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/check/order_names.h"
#include "runtime/check/request_log.h"
#include "runtime/check/run_again.h"
#include "runtime/check/semaphore_order.h"

namespace strandcore {

struct SolveStats {
  int64_t accesses = 0;  // that were solved
  int64_t weakened = 0;  // of which the repeated run claimed more than holds
  int32_t passes = 1;    // at most, for one access; the repeated run is the first, the last one changes nothing
};

// A request of a core, by its number.
struct RequestName {
  int32_t core = 0;
  int64_t number = 0;
  friend bool operator==(const RequestName&, const RequestName&) = default;
};

// Why a core's waits do not order an access: all of them up to `wait` may have been paid by others than `post`, the
// last that would show it. `instead`: of each core that may have, the last such post before the wait.
struct UnsureWait {
  LoggedSemaphore semaphore = kNotLogged;
  RequestName wait;
  RequestName post;
  std::vector<RequestName> instead;
};

class SolvedOrder {
 public:
  // REQUIRES: the log is not cut, and outlives this.
  explicit SolvedOrder(const RequestLog& log, const OrderRules& rules = {});

  // Whether `first` is over before `second` begins, in every schedule. The two are not of one agent, or first in its
  // order.
  bool Ordered(const AccessName& first, const AccessName& second);
  // REQUIRES: not Ordered(first, second). Which wait that the core of `second` made before it might have shown it, if
  // posts after `first` could have come before one; the first such semaphore.
  std::optional<UnsureWait> WhyUnordered(const AccessName& first, const AccessName& second);
  // What its owner posted and waited on a semaphore before its request `number`; nothing where others post on it.
  std::optional<SemaphoreTotals> TotalsBefore(LoggedSemaphore semaphore, int64_t number) const;
  // Whether a core signals or starts anything from its request `number` on.
  bool PostsFrom(int32_t core, int64_t number) const;
  // Whether `core` learns at some time that `access` is over.
  bool EverKnown(const AccessName& access, int32_t core) {
    return KnownFrom(access)[static_cast<size_t>(core)] != RunAgain::kNever;
  }
  // Which request started a transfer.
  RequestName StartOf(int64_t serial) const {
    return {static_cast<int32_t>(serial % log_.cores()), run_.StartOf(serial)};
  }
  const SolveStats& stats() const { return stats_; }

 private:
  using Known = std::vector<int64_t>;

  // The posts of one core on a semaphore, in its order.
  struct PostsOfCore {
    int32_t core;
    std::vector<int64_t> numbers;
    std::vector<int64_t> units_before;  // one more than numbers
  };
  struct History {
    int64_t units = 0;  // of the whole run
    std::vector<PostsOfCore> posts;
    std::vector<int64_t> waits;  // their request numbers
    std::vector<int64_t> need;   // waited up to and including each; never less than before it
  };
  // The units that prove an access: a transfer's own posts, besides those of cores that know of it.
  struct OwnPosts {
    int32_t core = 0;
    int64_t number = 0;
    LoggedSemaphore semaphores[2] = {kNotLogged, kNotLogged};
    int64_t units[2] = {0, 0};
  };

  void Read(int32_t core);
  void AddPost(int32_t core, int64_t number, LoggedSemaphore semaphore, int64_t units);
  void AddWait(const LoggedRequest& request, int64_t number, int64_t& waited);

  const Known& KnownFrom(const AccessName& access);
  const Known* EarlierKnown(const AccessName& access);
  OwnPosts OwnPostsOf(const AccessName& access) const;
  void Solve(const AccessName& access, Known& known);
  // From which number on `core` learns of the access, if others know of it from `known` on.
  int64_t Learned(int32_t core, const OwnPosts& own, const Known& known) const;
  bool StillLearns(int32_t core, const OwnPosts& own, const Known& known) const;
  int64_t KnowingUnits(LoggedSemaphore semaphore, const OwnPosts& own, const Known& known) const;
  bool FindUnsure(const AccessName& first, UnsureWait& unsure);

  const RequestLog& log_;
  const OrderRules rules_;
  const RunAgain run_;
  std::vector<History> semaphores_;  // by LoggedSemaphore
  std::map<AccessName, Known> solved_;
  SolveStats stats_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SOLVE_H_
