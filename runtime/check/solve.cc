#include "runtime/check/solve.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace strandcore {
namespace {

bool IsTransfer(const AccessName& access) { return access.part != AccessName::Part::kCore; }

}  // namespace

SolvedOrder::SolvedOrder(const RequestLog& log, const OrderRules& rules) : log_(log), rules_(rules), run_(log, rules) {
  STRANDCORE_CHECK(!log.cut());
  for (int32_t core = 0; core < log.cores(); ++core) {
    for (int32_t i = 0; i < log.SemaphoresOf(core); ++i) {
      const LoggedSemaphore semaphore = log.NameOf(core, i);
      const auto at = static_cast<size_t>(semaphore);
      if (at >= semaphores_.size()) semaphores_.resize(at + 1);
      semaphores_[at].units = log.HeldAtFirst(semaphore);
    }
  }
  for (int32_t core = 0; core < log.cores(); ++core) Read(core);
}

void SolvedOrder::Read(int32_t core) {
  std::map<LoggedSemaphore, int64_t> waited;
  for (size_t i = 0; i < log_.CountOf(core); ++i) {
    const LoggedRequest& request = log_.Of(core, i);
    const auto number = static_cast<int64_t>(i);
    switch (request.kind) {
      case LoggedRequest::Kind::kStart:
        if (request.receive != kNotLogged) AddPost(core, number, request.receive, request.receive_units);
        [[fallthrough]];
      case LoggedRequest::Kind::kSignal:
        AddPost(core, number, request.semaphore, request.units);
        break;
      case LoggedRequest::Kind::kWait:
      case LoggedRequest::Kind::kWaitWithoutDecrement:
        AddWait(request, number, waited[request.semaphore]);
        break;
    }
  }
}

void SolvedOrder::AddPost(int32_t core, int64_t number, LoggedSemaphore semaphore, int64_t units) {
  History& history = semaphores_[static_cast<size_t>(semaphore)];
  history.units += units;
  if (history.posts.empty() || history.posts.back().core != core) history.posts.push_back({core, {}, {0}});
  PostsOfCore& posts = history.posts.back();
  posts.numbers.push_back(number);
  posts.units_before.push_back(posts.units_before.back() + units);
}

void SolvedOrder::AddWait(const LoggedRequest& request, int64_t number, int64_t& waited) {
  History& history = semaphores_[static_cast<size_t>(request.semaphore)];
  const int64_t need = waited + request.units;
  if (request.kind == LoggedRequest::Kind::kWait) waited = need;
  // What an earlier wait needed has been paid, whatever this one needs.
  history.need.push_back(history.need.empty() ? need : std::max(need, history.need.back()));
  history.waits.push_back(number);
}

bool SolvedOrder::Ordered(const AccessName& first, const AccessName& second) {
  if (IsTransfer(first) && IsTransfer(second) && first.number == second.number) return first.part <= second.part;
  const auto core = IsTransfer(second) ? static_cast<int32_t>(second.number % log_.cores()) : second.core;
  const int64_t number = IsTransfer(second) ? run_.StartOf(second.number) : second.number;
  return KnownFrom(first)[static_cast<size_t>(core)] <= number;
}

const SolvedOrder::Known& SolvedOrder::KnownFrom(const AccessName& access) {
  if (const auto found = solved_.find(access); found != solved_.end()) return found->second;
  const Known* earlier = EarlierKnown(access);
  Known known;
  for (int32_t core = 0; core < log_.cores(); ++core) {
    known.push_back(run_.KnownFrom(access, core));
    // Who knows of an access knows of what is before it in program order.
    if (earlier != nullptr) known.back() = std::max(known.back(), (*earlier)[static_cast<size_t>(core)]);
  }
  ++stats_.accesses;
  if (rules_.solve) Solve(access, known);
  return solved_.emplace(access, std::move(known)).first->second;
}

// What has been solved of an access that is before this one on its core, to begin from: of the start of a transfer, and
// else of the nearest that was asked for. So what many accesses of a core have lost is found out once.
const SolvedOrder::Known* SolvedOrder::EarlierKnown(const AccessName& access) {
  if (IsTransfer(access)) {
    const auto core = static_cast<int32_t>(access.number % log_.cores());
    return &KnownFrom(AccessName::OfCore(core, run_.StartOf(access.number)));
  }
  const auto next = solved_.lower_bound(access);
  if (next == solved_.begin()) return nullptr;
  const auto& [name, known] = *std::prev(next);
  return name.core == access.core ? &known : nullptr;
}

SolvedOrder::OwnPosts SolvedOrder::OwnPostsOf(const AccessName& access) const {
  OwnPosts own;
  if (!IsTransfer(access)) return own;
  own.core = static_cast<int32_t>(access.number % log_.cores());
  own.number = run_.StartOf(access.number);
  const LoggedRequest& start = log_.Of(own.core, static_cast<size_t>(own.number));
  const bool remote = start.receive != kNotLogged;
  // A remote transfer's first post says that its source was read, and no more.
  if (!remote || access.part == AccessName::Part::kTransferRead) {
    own.semaphores[0] = start.semaphore;
    own.units[0] = start.units;
  }
  if (remote) {
    own.semaphores[1] = start.receive;
    own.units[1] = start.receive_units;
  }
  return own;
}

void SolvedOrder::Solve(const AccessName& access, Known& known) {
  const OwnPosts own = OwnPostsOf(access);
  int32_t passes = 1;
  bool weakened = false;
  for (bool changed = true; changed;) {
    changed = false;
    ++passes;
    for (int32_t core = 0; core < log_.cores(); ++core) {
      int64_t& from = known[static_cast<size_t>(core)];
      const bool its_own = !IsTransfer(access) && access.core == core;
      if (its_own || from == RunAgain::kNever || from == 0 || StillLearns(core, own, known)) continue;
      from = Learned(core, own, known);
      changed = weakened = true;
    }
  }
  stats_.weakened += weakened ? 1 : 0;
  stats_.passes = std::max(stats_.passes, passes);
}

// Whether the wait that taught `core` still does. (An earlier one cannot: less is known than before.)
bool SolvedOrder::StillLearns(int32_t core, const OwnPosts& own, const Known& known) const {
  const int64_t wait = known[static_cast<size_t>(core)] - 1;
  const LoggedSemaphore semaphore = log_.Of(core, static_cast<size_t>(wait)).semaphore;
  const History& history = semaphores_[static_cast<size_t>(semaphore)];
  const auto at = std::lower_bound(history.waits.begin(), history.waits.end(), wait) - history.waits.begin();
  return history.need[static_cast<size_t>(at)] > history.units - KnowingUnits(semaphore, own, known);
}

int64_t SolvedOrder::Learned(int32_t core, const OwnPosts& own, const Known& known) const {
  int64_t learned = RunAgain::kNever;
  for (int32_t i = 0; i < log_.SemaphoresOf(core); ++i) {
    const LoggedSemaphore semaphore = log_.NameOf(core, i);
    const History& history = semaphores_[static_cast<size_t>(semaphore)];
    if (history.waits.empty() || history.waits.back() < known[static_cast<size_t>(core)]) continue;
    const int64_t others = history.units - KnowingUnits(semaphore, own, known);
    const auto first = std::upper_bound(history.need.begin(), history.need.end(), others);
    if (first == history.need.end()) continue;
    learned = std::min(learned, history.waits[static_cast<size_t>(first - history.need.begin())] + 1);
  }
  return learned;
}

// How many units on the semaphore are of posts that know of the access.
int64_t SolvedOrder::KnowingUnits(LoggedSemaphore semaphore, const OwnPosts& own, const Known& known) const {
  int64_t units = 0;
  for (const PostsOfCore& posts : semaphores_[static_cast<size_t>(semaphore)].posts) {
    const int64_t from = known[static_cast<size_t>(posts.core)];
    const auto first = std::lower_bound(posts.numbers.begin(), posts.numbers.end(), from) - posts.numbers.begin();
    units += posts.units_before.back() - posts.units_before[static_cast<size_t>(first)];
  }
  if (own.number >= known[static_cast<size_t>(own.core)]) return units;
  for (const int i : {0, 1}) {
    if (own.semaphores[i] == semaphore) units += own.units[i];
  }
  return units;
}

}  // namespace strandcore
