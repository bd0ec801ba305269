#include "runtime/core/in_flight.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace strandcore {

Transfer& InFlight::MakeFree() {
  Collect();
  if (free_ == nullptr) {
    all_.push_back(std::make_unique<Transfer>());
    all_.back()->next = nullptr;
    free_ = all_.back().get();
  }
  return *free_;
}

Transfer& InFlight::Take() {
  Transfer* transfer = &Next();
  free_ = transfer->next;
  transfer->in_flight_previous = nullptr;
  transfer->in_flight_next = first_;
  if (first_ != nullptr) first_->in_flight_previous = transfer;
  first_ = transfer;
  ++count_;
  ++started_;
  return *transfer;
}

void InFlight::Collect() {
  TakeBack(returns_.TakeOwn());
  TakeBack(returns_.TakeAll());
}

void InFlight::TakeBack(Transfer* transfer) {
  while (transfer != nullptr) {
    Transfer* following = transfer->next;
    Transfer* before = transfer->in_flight_previous;
    Transfer* after = transfer->in_flight_next;
    (before == nullptr ? first_ : before->in_flight_next) = after;
    if (after != nullptr) after->in_flight_previous = before;
    overlapped_ += transfer->overlapped() ? 1 : 0;
    --count_;
    // Behind the first one: Next() stays what it was, somebody may be writing a request into it.
    Transfer*& place = free_ == nullptr ? free_ : free_->next;
    transfer->next = place;
    place = transfer;
    transfer = following;
  }
}

bool InFlight::Touches(const Allocation& allocation) const {
  for (const Transfer* t = first_; t != nullptr; t = t->in_flight_next) {
    if (t->request().source.allocation() == &allocation || t->request().target.allocation() == &allocation) return true;
  }
  return false;
}

bool InFlight::Pays(const SemaphoreArray& semaphores) const {
  for (const Transfer* t = first_; t != nullptr; t = t->in_flight_next) {
    if (t->request().semaphore.array == &semaphores || t->request().receive.array == &semaphores) return true;
  }
  return false;
}

std::vector<const Transfer*> InFlight::List() const {
  std::vector<const Transfer*> list;
  for (const Transfer* t = first_; t != nullptr; t = t->in_flight_next) list.push_back(t);
  std::reverse(list.begin(), list.end());
  return list;
}

void InFlight::Restart() {
  Collect();
  STRANDCORE_CHECK(count_ == 0);
  started_ = 0;
  overlapped_ = 0;
}

void InFlight::AcquireAll() {
  for (const std::unique_ptr<Transfer>& transfer : all_) SC_ACQUIRE(&transfer->end_token());
}

}  // namespace strandcore
