#include "runtime/simulator/deadlock.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/grouped.h"

namespace strandcore {
namespace {

std::string UnitsText(int64_t units, SemaphoreKind kind) {
  return absl::StrCat(Grouped(units), kind == SemaphoreKind::kDma ? " bytes" : units == 1 ? " unit" : " units");
}

std::string WhoCouldPay(const TensorCore& core, size_t waiting) {
  const OneSemaphore& semaphore = core.request().semaphore;
  const std::string others =
      waiting == 1 ? "no other core is running" : absl::StrCat("all ", waiting, " cores that have not ended wait");
  if (semaphore.kind() == SemaphoreKind::kDma) {
    return absl::StrCat("who could pay ", semaphore.Name(), ": no copy on it is in flight, and ", others);
  }
  return absl::StrCat("who could pay ", semaphore.Name(), ": nobody, ", others);
}

// At the first step of a later cycle a pipeline waits for what the cycle before has prefetched.
bool LacksPrefetch(const Place& place, const Stamp& stamp) {
  return place.in_pipeline && place.phase == Phase::kWaitIn && stamp.step == 0 && place.cycle > 0;
}

}  // namespace

Fault DeadlockFault(const std::vector<TensorCore*>& waiting) {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.headline = "nothing can run";
  for (const TensorCore* core : waiting) {
    const Request& request = core->request();
    const SemaphoreKind kind = request.semaphore.kind();
    // The wait has taken its units already: what is left below zero is what it misses.
    const int64_t has = request.semaphore.semaphore().value() + request.amount;
    fault.places.push_back(core->Where());
    fault.lines.push_back(absl::StrCat(core->Where().ToString(), ": ", request.semaphore.Name(), " holds ",
                                       Grouped(has), " of ", UnitsText(request.amount, kind)));
    fault.lines.push_back(WhoCouldPay(*core, waiting.size()));
    if (const Place place = core->Where(); LacksPrefetch(place, core->Stamped())) {
      fault.lines.push_back(absl::StrCat("cycle ", place.cycle - 1, " ended without a copy of ", place.operand,
                                         " for the next one: its prefetch callback did not prefetch ", place.operand));
    }
  }
  return fault;
}

}  // namespace strandcore
