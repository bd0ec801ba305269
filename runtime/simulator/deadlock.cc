#include "runtime/simulator/deadlock.h"

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/digits.h"

namespace strandcore {
namespace {

constexpr size_t kMostPayers = 4;

using Payers = std::optional<std::vector<Payer>>;

// A core that waits, in the report's words.
struct Waiting {
  int32_t core = 0;
  Place place;
  Stamp stamp;
  std::string semaphore;
  SemaphoreKind kind = SemaphoreKind::kRegular;
  int64_t has = 0;
  int64_t needs = 0;
  Payers payers;

  bool IsLike(const Waiting& other) const {
    return place.AfterCore() == other.place.AfterCore() && semaphore == other.semaphore && kind == other.kind &&
           has == other.has && needs == other.needs;
  }
};

Waiting WaitOf(const TensorCore& core, const Checker* checker) {
  const Request& request = core.request();
  const Semaphore& semaphore = request.semaphore.semaphore();
  Waiting wait;
  wait.core = core.id().core;
  wait.place = core.Where();
  wait.stamp = core.Stamped();
  wait.semaphore = request.semaphore.Name();
  wait.kind = request.semaphore.kind();
  // The wait has taken its units already: what is left below zero is what it misses.
  wait.has = semaphore.value() + request.amount;
  wait.needs = request.amount;
  if (checker != nullptr) wait.payers = checker->PayersOf(semaphore.monitored_as());
  return wait;
}

std::string UnitsText(int64_t units, SemaphoreKind kind) {
  return absl::StrCat(DigitsInGroups(units), kind == SemaphoreKind::kDma ? " bytes" : units == 1 ? " unit" : " units");
}

// "core 3", "cores 0–6", "cores 0–2, 5"
std::string CoresText(const std::vector<const Waiting*>& alike) {
  std::string text = alike.size() == 1 ? "core " : "cores ";
  for (size_t i = 0; i < alike.size();) {
    size_t last = i;
    while (last + 1 < alike.size() && alike[last + 1]->core == alike[last]->core + 1) ++last;
    absl::StrAppend(&text, i == 0 ? "" : ", ", alike[i]->core);
    if (last > i) absl::StrAppend(&text, "–", alike[last]->core);
    i = last + 1;
  }
  return text;
}

class Report {
 public:
  Report(const std::vector<TensorCore*>& waiting, const Checker* checker) {
    for (const TensorCore* core : waiting) waits_.push_back(WaitOf(*core, checker));
    for (size_t i = 0; i < waits_.size(); ++i) at_[waits_[i].core] = i;
  }

  Fault Make() {
    fault_.kind = FaultKind::kDeadlock;
    fault_.headline = "nothing can run";
    for (const Waiting& wait : waits_) fault_.places.push_back(wait.place);
    std::vector<bool> told(waits_.size());
    for (size_t i = 0; i < waits_.size(); ++i) {
      if (told[i]) continue;
      std::vector<const Waiting*> alike;
      for (size_t j = i; j < waits_.size(); ++j) {
        if (told[j] || !waits_[j].IsLike(waits_[i])) continue;
        told[j] = true;
        alike.push_back(&waits_[j]);
      }
      Tell(alike);
    }
    TellCycle();
    return std::move(fault_);
  }

 private:
  void Tell(const std::vector<const Waiting*>& alike) {
    const Waiting& wait = *alike.front();
    fault_.lines.push_back(absl::StrCat(CoresText(alike), wait.place.AfterCore(), ": ", wait.semaphore, " holds ",
                                        DigitsInGroups(wait.has), " of ", UnitsText(wait.needs, wait.kind)));
    fault_.lines.push_back(WhoCouldPay(alike));
    TellPayers(alike);
    if (LacksPrefetch(wait)) {
      fault_.lines.push_back(
          absl::StrCat("cycle ", wait.place.cycle - 1, " ended without a copy of ", wait.place.operand,
                       " for the next one: its prefetch callback did not prefetch ", wait.place.operand));
    }
  }

  std::string WhoCouldPay(const std::vector<const Waiting*>& alike) const {
    const Waiting& wait = *alike.front();
    std::string text =
        absl::StrCat("who could pay ", wait.semaphore, ": ",
                     wait.kind == SemaphoreKind::kDma ? "no copy on it is in flight, and " : "nobody, ",
                     waits_.size() == 1 ? "no other core is running"
                                        : absl::StrCat("all ", waits_.size(), " cores that have not ended wait"));
    bool unpaid = wait.kind == SemaphoreKind::kRegular;
    for (const Waiting* other : alike) unpaid = unpaid && other->payers.has_value() && other->payers->empty();
    if (unpaid) absl::StrAppend(&text, "; no other core has ever signalled it");
    return text;
  }

  // Of each core that waits so: whose signals have come before, and what they do now.
  void TellPayers(const std::vector<const Waiting*>& alike) {
    size_t lines = 0;
    for (const Waiting* wait : alike) {
      if (!wait->payers.has_value()) continue;
      for (const Payer& payer : *wait->payers) {
        if (++lines > kMostPayers) continue;
        const std::string whose = alike.size() == 1 ? "it" : absl::StrCat("that of core ", wait->core);
        fault_.lines.push_back(absl::StrCat("core ", payer.core,
                                            wait->kind == SemaphoreKind::kDma ? " copied to " : " signalled ", whose,
                                            " ", payer.posts, payer.posts == 1 ? " time" : " times", ", last at ",
                                            PlaceOf(payer.last, CoreId{0, payer.core}, "").ToString(),
                                            at_.contains(payer.core) ? ", and waits itself" : ", and has ended"));
      }
    }
    if (lines > kMostPayers) fault_.lines.push_back(absl::StrCat("and ", lines - kMostPayers, " more have"));
  }

  // At the first step of a later cycle a pipeline waits for what the cycle before has prefetched.
  static bool LacksPrefetch(const Waiting& wait) {
    return wait.place.in_pipeline && wait.place.phase == Phase::kWaitIn && wait.stamp.step == 0 && wait.place.cycle > 0;
  }

  // A core waits for those who have paid its semaphore before. The first cycle of that, from the lowest core on.
  void TellCycle() {
    std::vector<Mark> marks(waits_.size(), Mark::kNew);
    std::vector<size_t> way;
    for (size_t i = 0; i < waits_.size(); ++i) {
      if (marks[i] == Mark::kNew && FindCycle(i, marks, way)) break;
    }
    if (way.empty()) return;
    std::string text = "who waits for whom: ";
    for (const size_t at : way) absl::StrAppend(&text, "core ", waits_[at].core, " –", waits_[at].semaphore, "→ ");
    fault_.lines.push_back(absl::StrCat(text, "core ", waits_[way.front()].core));
  }

  enum class Mark : uint8_t { kNew, kOnTheWay, kDone };

  // One edge after another, without recursion on the host's stack: there may be thousands of cores. Leaves the cycle in
  // `way`, or nothing.
  bool FindCycle(size_t from, std::vector<Mark>& marks, std::vector<size_t>& way) const {
    way = {from};
    marks[from] = Mark::kOnTheWay;
    while (!way.empty()) {
      const std::optional<size_t> next = NextOf(way.back(), marks);
      if (!next.has_value()) {
        marks[way.back()] = Mark::kDone;
        way.pop_back();
        continue;
      }
      if (marks[*next] == Mark::kOnTheWay) {
        while (way.front() != *next) way.erase(way.begin());
        return true;
      }
      marks[*next] = Mark::kOnTheWay;
      way.push_back(*next);
    }
    return false;
  }

  std::optional<size_t> NextOf(size_t at, const std::vector<Mark>& marks) const {
    if (!waits_[at].payers.has_value()) return std::nullopt;
    for (const Payer& payer : *waits_[at].payers) {
      const auto found = at_.find(payer.core);
      if (found != at_.end() && marks[found->second] != Mark::kDone) return found->second;
    }
    return std::nullopt;
  }

  std::vector<Waiting> waits_;
  std::map<int32_t, size_t> at_;  // by core
  Fault fault_;
};

}  // namespace

Fault DeadlockFault(const std::vector<TensorCore*>& waiting, const Checker* checker) {
  return Report(waiting, checker).Make();
}

}  // namespace strandcore
