#include "runtime/check/order.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace strandcore {

LaunchOrder::LaunchOrder(int32_t cores, RequestLog* log, const OrderRules& rules)
    : rules_(rules),
      log_(log),
      shared_(cores > 1),
      cores_(static_cast<size_t>(cores)),
      entries_(static_cast<uint32_t>(cores)) {}

SemaphoreId LaunchOrder::AddSemaphore(int32_t owner, int64_t units) {
  Core& self = cores_[static_cast<size_t>(owner)];
  SemaphoreId id = kNoSemaphore;
  if (self.ended.empty()) {
    id = semaphores_.Add();
  } else {
    id = self.ended.back();
    self.ended.pop_back();
  }
  const LoggedSemaphore logged_as = log_ == nullptr ? kNotLogged : log_->AddSemaphore(owner, units);
  semaphores_[id].Begin(owner, units, logged_as, shared_, &rules_);
  self.semaphores.push_back(id);
  return id;
}

std::optional<UnsurePost> LaunchOrder::EndSemaphore(int32_t owner, SemaphoreId id, bool use_again) {
  Core& self = cores_[static_cast<size_t>(owner)];
  std::optional<UnsurePost> unsure(std::in_place);
  unsure->semaphore = id;
  if (!semaphores_[id].FindOpen(self.clock, *unsure)) unsure.reset();
  // From the back: scopes end in the reverse order of their beginning.
  const auto found = std::find(self.semaphores.rbegin(), self.semaphores.rend(), id);
  STRANDCORE_CHECK(found != self.semaphores.rend());
  self.semaphores.erase(std::next(found).base());
  if (use_again) self.ended.push_back(id);
  return unsure;
}

void LaunchOrder::Tick(Core& self, int32_t core) {
  self.tick_due = false;
  self.clock.Set(static_cast<ClockEntry>(core), ++self.own);
}

void LaunchOrder::Signal(int32_t core, SemaphoreId semaphore, int64_t units) {
  Core& self = cores_[static_cast<size_t>(core)];
  Log(core, LoggedRequest::Kind::kSignal, {semaphore, units});
  Post(semaphore, {core, 0, self.requests++}, units, {}, self.clock);
  if (rules_.tick_after_posts) self.tick_due = true;
}

StartedTransfer LaunchOrder::Start(int32_t core, SemaphoreUnits send, SemaphoreUnits receive) {
  Core& self = cores_[static_cast<size_t>(core)];
  Log(core, LoggedRequest::Kind::kStart, send, receive);
  ++self.requests;
  StartedTransfer started;
  started.serial = self.started++ * cores() + core;
  if (send.units == 0 && receive.units == 0) {
    // It copies nothing, and no wait would ever give its slot back.
    started.read = started.written = {static_cast<ClockEntry>(core), self.own};
    return started;
  }
  const AccessEpoch read = self.slots.Take(self.clock, entries_);
  const AccessEpoch written = {read.entry, read.value + 1};
  if (receive.semaphore == kNoSemaphore) {
    Post(send.semaphore, {core, 3, started.serial}, send.units, written, self.clock);
  } else {
    Post(send.semaphore, {core, 1, started.serial}, send.units, read, self.clock);
    Post(receive.semaphore, {core, 2, started.serial}, receive.units, written, self.clock);
  }
  if (rules_.tick_after_posts) self.tick_due = true;
  started.read = read;
  started.written = written;
  return started;
}

void LaunchOrder::Wait(int32_t core, SemaphoreId semaphore, int64_t units, bool decrement) {
  Core& self = cores_[static_cast<size_t>(core)];
  SemaphoreOrder& waited = semaphores_[semaphore];
  STRANDCORE_CHECK(waited.owner() == core);
  using Kind = LoggedRequest::Kind;
  Log(core, decrement ? Kind::kWait : Kind::kWaitWithoutDecrement, {semaphore, units});
  waited.Wait({core, self.requests++}, units, decrement, self.clock);
}

void LaunchOrder::Post(SemaphoreId semaphore, PostName name, int64_t units, AccessEpoch proven,
                       const VectorClock& clock) {
  const SemaphoreOrder::PostNews news = semaphores_[semaphore].Post(name, units, proven, clock);
  if (__builtin_expect(news.late || news.capped, 0)) Note(news, name, semaphore);
}

void LaunchOrder::Note(SemaphoreOrder::PostNews news, PostName post, SemaphoreId semaphore) {
  if (news.late) any_late_.store(true, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(notes_mutex_);
  if (news.late && late_posts_.size() < kMaxNotes) {
    late_posts_.push_back({semaphore, post, semaphores_[semaphore].late_after()});
  }
  if (news.capped && capped_.size() < kMaxNotes) capped_.push_back(semaphore);
}

void LaunchOrder::Log(int32_t core, LoggedRequest::Kind kind, SemaphoreUnits paid, SemaphoreUnits receive) {
  if (log_ == nullptr) return;
  LoggedRequest* request = log_->Append(core);
  if (request == nullptr) return;
  request->kind = kind;
  request->semaphore = semaphores_[paid.semaphore].logged_as();
  request->units = paid.units;
  const bool remote = receive.semaphore != kNoSemaphore;
  request->receive = remote ? semaphores_[receive.semaphore].logged_as() : kNotLogged;
  request->receive_units = receive.units;
}

bool LaunchOrder::IsOpen(int32_t owner, SemaphoreId id) const {
  return semaphores_[id].IsOpen(cores_[static_cast<size_t>(owner)].clock);
}

std::optional<UnsurePost> LaunchOrder::WhyUnordered(const AccessEpoch& epoch, int32_t core) const {
  const Core& self = cores_[static_cast<size_t>(core)];
  std::optional<UnsurePost> unsure(std::in_place);
  for (const SemaphoreId id : self.semaphores) {
    unsure->semaphore = id;
    if (semaphores_[id].FindUnsure(self.clock, epoch, *unsure)) return unsure;
  }
  return std::nullopt;
}

std::optional<SemaphoreTotals> LaunchOrder::TotalsFor(const AccessEpoch& epoch, int32_t core) const {
  SemaphoreTotals totals;
  for (const SemaphoreId id : cores_[static_cast<size_t>(core)].semaphores) {
    if (semaphores_[id].FindTotals(epoch, totals)) return totals;
  }
  return std::nullopt;
}

}  // namespace strandcore
