#include "runtime/core/scope_keeper.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

// Takes the owner of `item` out of `owners`; scopes end in reverse order, so it is near the end.
template <typename T>
std::unique_ptr<T> TakeOut(std::vector<std::unique_ptr<T>>& owners, const T* item) {
  auto found = std::find_if(owners.rbegin(), owners.rend(), [item](const auto& owner) { return owner.get() == item; });
  STRANDCORE_CHECK(found != owners.rend());
  std::unique_ptr<T> owner = std::move(*found);
  owners.erase(std::next(found).base());
  return owner;
}

// Of what is kept for its name alone, only the last thousand: a kernel may open any number of scopes. Looked at when
// the list has doubled, so that it costs each scope the same.
template <typename T, typename IsNameAlone>
void ForgetOldest(std::vector<std::unique_ptr<T>>& kept, IsNameAlone&& is_name_alone) {
  constexpr size_t kMostNames = 1024;
  if (kept.size() < 2 * kMostNames || !std::has_single_bit(kept.size())) return;
  const T* const last = (kept.end() - kMostNames)->get();
  bool is_old = true;
  std::erase_if(kept, [&](const std::unique_ptr<T>& owner) {
    is_old = is_old && owner.get() != last;
    return is_old && is_name_alone(*owner);
  });
}

}  // namespace

absl::Status ScopeKeeper::Allocate(Scope& scope) {
  absl::Status status = scope.status_;
  scopes_.push_back(&scope);
  for (Scope::MemoryItem& item : scope.memory_) {
    if (status.ok()) status = AllocateMemory(item);
  }
  for (Scope::SemaphoreItem& item : scope.semaphores_) {
    if (status.ok()) status = AllocateSemaphores(item);
  }
  return status;
}

RoomList ScopeKeeper::Occupants(MemorySpace space) const {
  RoomList list(space, owner_, LimitOf(space));
  for (const Allocation* operand : operands_) list.Add(*operand);
  for (const Scope* scope : scopes_) {
    // Of the scope that is being allocated what is still to come, too.
    for (const Scope::MemoryItem& item : scope->memory_) list.Add(item.asked);
  }
  return list;
}

absl::Status ScopeKeeper::AllocateMemory(Scope::MemoryItem& item) {
  const ScopedMemory& asked = item.asked;
  if (asked.space != MemorySpace::kVmem && asked.space != MemorySpace::kSmem) {
    return Refuse("scoped memory ", asked.name, ": expected VMEM or SMEM, given ", MemorySpaceName(asked.space));
  }
  absl::StatusOr<int64_t> bytes = BytesOf(asked);
  if (!bytes.ok()) return bytes.status();
  if (!HasRoom(asked.space, *bytes)) return absl::ResourceExhaustedError(Occupants(asked.space).ToString());
  AllocationOptions options;
  options.id = next_id_++;
  options.name = asked.name;
  options.space = asked.space;
  options.dtype = asked.dtype;
  options.shape = asked.shape;
  options.owner = owner_;
  options.fill = fresh_;
  absl::StatusOr<std::unique_ptr<Allocation>> made = Allocation::Make(options);
  if (!made.ok()) return made.status();
  Count(asked.space, (*made)->physical_bytes());
  item.allocation = made->get();
  live_memory_.push_back(*std::move(made));
  return absl::OkStatus();
}

absl::Status ScopeKeeper::AllocateSemaphores(Scope::SemaphoreItem& item) {
  STRANDCORE_RETURN_IF_ERROR(ValidateShape(item.asked.name, item.asked.shape));
  constexpr int64_t kMostSemaphores = int64_t{1} << 20;
  if (item.asked.shape.Product() > kMostSemaphores) {
    return absl::ResourceExhaustedError(absl::StrCat("semaphores ", item.asked.name, ": ", item.asked.shape.ToString(),
                                                     " are more than ", kMostSemaphores));
  }
  live_semaphores_.push_back(
      std::make_unique<SemaphoreArray>(item.asked.name, item.asked.kind, owner_, item.asked.shape, waiter_));
  item.array = live_semaphores_.back().get();
  if (monitor_ != nullptr) TellBegin(*item.array);
  return absl::OkStatus();
}

void ScopeKeeper::TellBegin(SemaphoreArray& array) {
  for (int64_t i = 0; i < array.count(); ++i) {
    array.at(i).set_monitored_as(
        monitor_->AddSemaphore(owner_.core, OneSemaphore{&array, i}.Name(), array.kind() == SemaphoreKind::kDma));
  }
}

void ScopeKeeper::TellEnd(const SemaphoreArray& array, const Stamp& stamp) {
  EndingSemaphore ending;
  ending.dma = array.kind() == SemaphoreKind::kDma;
  ending.others_may_pay = OthersMayPay(array);
  for (int64_t i = 0; i < array.count(); ++i) {
    ending.semaphore = array.at(i).monitored_as();
    monitor_->EndSemaphore(owner_.core, ending, stamp);
  }
}

void ScopeKeeper::Free(Scope& scope, const InFlight& in_flight, const Stamp& stamp) {
  // Scopes end in reverse order, so it is near the end.
  if (auto found = std::find(scopes_.rbegin(), scopes_.rend(), &scope); found != scopes_.rend()) {
    scopes_.erase(std::next(found).base());
  }
  for (auto item = scope.semaphores_.rbegin(); item != scope.semaphores_.rend(); ++item) {
    if (item->array == nullptr) continue;
    item->array->lifetime().End();
    if (monitor_ != nullptr) TellEnd(*item->array, stamp);
    Retire(TakeOut(live_semaphores_, item->array), item->asked.handed_out, in_flight);
  }
  for (auto item = scope.memory_.rbegin(); item != scope.memory_.rend(); ++item) {
    if (item->allocation == nullptr) continue;
    item->allocation->lifetime().End();
    if (monitor_ != nullptr) monitor_->OnFree(owner_.core, *item->allocation, stamp);
    Retire(TakeOut(live_memory_, item->allocation), item->asked.handed_out(), in_flight);
  }
  if (!retired_memory_.empty() || !retired_semaphores_.empty()) GiveBack(in_flight);
}

void ScopeKeeper::FreeAll(const InFlight& in_flight) {
  for (auto& owner : live_semaphores_) {
    owner->lifetime().End();
    Retire(std::move(owner), /*handed_out=*/true, in_flight);
  }
  for (auto& owner : live_memory_) {
    owner->lifetime().End();
    Retire(std::move(owner), /*handed_out=*/true, in_flight);
  }
  live_semaphores_.clear();
  live_memory_.clear();
  scopes_.clear();
}

void ScopeKeeper::Retire(std::unique_ptr<SemaphoreArray> owner, bool handed_out, const InFlight& in_flight) {
  if (OthersMayPay(*owner) || (others_signal_ && handed_out)) {
    kept_semaphores_.push_back(std::move(owner));
    ForgetOldest(kept_semaphores_,
                 [&](const SemaphoreArray& array) { return !OthersMayPay(array) && !in_flight.Pays(array); });
  } else if (in_flight.Pays(*owner)) {
    retired_semaphores_.push_back(std::move(owner));
  }
}

void ScopeKeeper::Retire(std::unique_ptr<Allocation> owner, bool handed_out, const InFlight& in_flight) {
  Count(owner->space(), -owner->physical_bytes());
  if (owner->lifetime().kept()) {
    kept_memory_.push_back(std::move(owner));
  } else if (in_flight.Touches(*owner)) {
    retired_memory_.push_back({std::move(owner), handed_out});
  } else {
    Bury({std::move(owner), handed_out});
  }
}

void ScopeKeeper::Bury(RetiredMemory retired) {
  if (!others_signal_ || !retired.handed_out) return;
  retired.owner->GiveBackBytes();
  kept_memory_.push_back(std::move(retired.owner));
  ForgetOldest(kept_memory_, [](const Allocation& memory) { return memory.data() == nullptr; });
}

absl::Status ScopeKeeper::Reserve(const Allocation& operand) {
  if (!HasRoom(operand.space(), operand.physical_bytes())) {
    RoomList list = Occupants(operand.space());
    list.Add(operand);
    return absl::ResourceExhaustedError(list.ToString());
  }
  Count(operand.space(), operand.physical_bytes());
  operands_.push_back(&operand);
  return absl::OkStatus();
}

void ScopeKeeper::Unreserve(const Allocation& operand) {
  Count(operand.space(), -operand.physical_bytes());
  std::erase(operands_, &operand);
}

void ScopeKeeper::GiveBack(const InFlight& in_flight) {
  for (RetiredMemory& retired : retired_memory_) {
    if (!in_flight.Touches(*retired.owner)) Bury(std::move(retired));
  }
  std::erase_if(retired_memory_,
                [&](const auto& retired) { return retired.owner == nullptr || !in_flight.Touches(*retired.owner); });
  std::erase_if(retired_semaphores_, [&](const auto& owner) { return !in_flight.Pays(*owner); });
}

void ScopeKeeper::EndRun(const InFlight& in_flight) {
  GiveBack(in_flight);
  kept_semaphores_.clear();
  kept_memory_.clear();
}

int64_t ScopeKeeper::held() const {
  return static_cast<int64_t>(live_memory_.size() + live_semaphores_.size() + retired_memory_.size() +
                              retired_semaphores_.size() + kept_semaphores_.size() + kept_memory_.size());
}

}  // namespace strandcore
