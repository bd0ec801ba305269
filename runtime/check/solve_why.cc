// Why the solved order leaves two accesses unordered, for a report. (solve.cc finds the order.)
#include <algorithm>
#include <optional>

#include "runtime/check/solve.h"

namespace strandcore {

std::optional<UnsureWait> SolvedOrder::WhyUnordered(const AccessName& first, const AccessName& second) {
  RequestName later{second.core, second.number};
  if (second.part != AccessName::Part::kCore) later = StartOf(second.number);
  for (int32_t i = 0; i < log_.SemaphoresOf(later.core); ++i) {
    UnsureWait unsure;
    unsure.semaphore = log_.NameOf(later.core, i);
    const std::vector<int64_t>& waits = semaphores_[static_cast<size_t>(unsure.semaphore)].waits;
    const auto next = std::lower_bound(waits.begin(), waits.end(), later.number);
    if (next == waits.begin()) continue;
    unsure.wait = {later.core, *std::prev(next)};
    if (FindUnsure(first, unsure)) return unsure;
  }
  return std::nullopt;
}

// Looks at what may have been posted before the wait: all but what its poster did after it had heard of the wait.
bool SolvedOrder::FindUnsure(const AccessName& first, UnsureWait& unsure) {
  const Known& after_wait = KnownFrom(AccessName::OfCore(unsure.wait.core, unsure.wait.number + 1));
  const Known& known = KnownFrom(first);
  const OwnPosts own = OwnPostsOf(first);
  bool found = false;
  for (const PostsOfCore& posts : semaphores_[static_cast<size_t>(unsure.semaphore)].posts) {
    const auto core = static_cast<size_t>(posts.core);
    const int64_t end = posts.core == unsure.wait.core ? unsure.wait.number : after_wait[core];
    std::optional<RequestName> other;
    for (const int64_t number : posts.numbers) {
      if (number >= end) break;
      const bool is_own = posts.core == own.core && number == own.number &&
                          (own.semaphores[0] == unsure.semaphore || own.semaphores[1] == unsure.semaphore);
      const bool shows = is_own || number >= known[core];
      if (shows && !(found && unsure.post == RequestName{own.core, own.number})) {
        found = true;
        unsure.post = {posts.core, number};
      } else if (!shows) {
        other = RequestName{posts.core, number};
      }
    }
    if (other.has_value()) unsure.instead.push_back(*other);
  }
  return found;
}

std::optional<SemaphoreTotals> SolvedOrder::TotalsBefore(LoggedSemaphore semaphore, int64_t number) const {
  const History& history = semaphores_[static_cast<size_t>(semaphore)];
  const int32_t owner = semaphore % log_.cores();
  if (history.posts.size() != 1 || history.posts[0].core != owner) return std::nullopt;
  SemaphoreTotals totals;
  const PostsOfCore& posts = history.posts[0];
  const auto end = std::lower_bound(posts.numbers.begin(), posts.numbers.end(), number) - posts.numbers.begin();
  totals.posted = posts.units_before[static_cast<size_t>(end)];
  for (const int64_t wait : history.waits) {
    if (wait >= number) break;
    const LoggedRequest& request = log_.Of(owner, static_cast<size_t>(wait));
    if (request.kind == LoggedRequest::Kind::kWait) totals.waited += request.units;
  }
  return totals;
}

bool SolvedOrder::PostsFrom(int32_t core, int64_t number) const {
  for (size_t i = log_.CountOf(core); i-- > static_cast<size_t>(number);) {
    const LoggedRequest::Kind kind = log_.Of(core, i).kind;
    if (kind == LoggedRequest::Kind::kSignal || kind == LoggedRequest::Kind::kStart) return true;
  }
  return false;
}

}  // namespace strandcore
