// ScopeKeeper: what a core's scopes hold: its VMEM, its SMEM, its semaphores, and how much of them.
//
// Memory and semaphores whose scope has ended while a transfer still needs them are retired: kept until it is
// complete, so that a kernel that frees too early corrupts nothing of the host. Where there are other cores, what a
// kernel was given is kept to the end of the run, of memory that no other core has used only the name: the kernel may
// have handed it on, and who uses it too late is to be told so; a kernel that fails leaves its scopes while the others
// do not know yet.
//
// Ownership: owns all of it. Concurrency: the core's.
#ifndef STRANDCORE_RUNTIME_CORE_SCOPE_KEEPER_H_
#define STRANDCORE_RUNTIME_CORE_SCOPE_KEEPER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "runtime/base/ids.h"
#include "runtime/core/in_flight.h"
#include "runtime/core/room_list.h"
#include "runtime/core/scope.h"
#include "runtime/semaphore/semaphore.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

// Bytes a core may hold at once.
struct MemoryLimits {
  int64_t vmem_bytes = 0;
  int64_t smem_bytes = 0;
};

class ScopeKeeper {
 public:
  ScopeKeeper(CoreId owner, const MemoryLimits& limits, Waiter waiter, bool others_signal)
      : owner_(owner), limits_(limits), waiter_(waiter), others_signal_(others_signal) {}
  ScopeKeeper(const ScopeKeeper&) = delete;
  ScopeKeeper& operator=(const ScopeKeeper&) = delete;

  // Who is told of semaphores and of memory that ends; null: nobody.
  void set_monitor(Monitor* monitor) { monitor_ = monitor; }
  // What memory holds when it is allocated.
  void set_fresh(Fill fresh) { fresh_ = fresh; }
  // All items of the scope, or none. ResourceExhausted names what the memory is full of.
  absl::Status Allocate(Scope& scope);
  // `stamp`: where the scope is left.
  void Free(Scope& scope, const InFlight& in_flight, const Stamp& stamp);
  // Of a kernel that will not leave its scopes: what they hold.
  void FreeAll(const InFlight& in_flight);
  // Counts bytes that an operand occupies in a memory of this core.
  absl::Status Reserve(const Allocation& operand);
  void Unreserve(const Allocation& operand);
  // Gives back what was retired and is needed no more.
  void GiveBack(const InFlight& in_flight);
  // The same, and what others might have signalled or copied to.
  void EndRun(const InFlight& in_flight);
  // Allocations and semaphores that are not given back yet.
  int64_t held() const;
  int64_t bytes_used(MemorySpace space) const { return space == MemorySpace::kSmem ? smem_bytes_ : vmem_bytes_; }

 private:
  absl::Status AllocateMemory(Scope::MemoryItem& item);
  absl::Status AllocateSemaphores(Scope::SemaphoreItem& item);
  bool HasRoom(MemorySpace space, int64_t bytes) const { return bytes <= LimitOf(space) - bytes_used(space); }
  int64_t LimitOf(MemorySpace space) const {
    return space == MemorySpace::kSmem ? limits_.smem_bytes : limits_.vmem_bytes;
  }
  // What fills this memory, and what the scope that is being allocated asks for.
  RoomList Occupants(MemorySpace space) const;
  void TellBegin(SemaphoreArray& array);
  void TellEnd(const SemaphoreArray& array, const Stamp& stamp);
  // A DMA semaphore is paid by its owner's transfers, unless a remote copy names it.
  bool OthersMayPay(const SemaphoreArray& array) const {
    return others_signal_ && (array.kind() == SemaphoreKind::kRegular || array.lifetime().kept());
  }
  struct RetiredMemory {
    std::unique_ptr<Allocation> owner;
    bool handed_out;
  };
  void Retire(std::unique_ptr<SemaphoreArray> owner, bool handed_out, const InFlight& in_flight);
  void Retire(std::unique_ptr<Allocation> owner, bool handed_out, const InFlight& in_flight);
  // No transfer of this core needs it any more.
  void Bury(RetiredMemory retired);
  void Count(MemorySpace space, int64_t bytes) { (space == MemorySpace::kSmem ? smem_bytes_ : vmem_bytes_) += bytes; }

  const CoreId owner_;
  const MemoryLimits limits_;
  const Waiter waiter_;
  const bool others_signal_;
  Fill fresh_ = Fill::kPoison;
  Monitor* monitor_ = nullptr;
  int64_t vmem_bytes_ = 0;
  int64_t smem_bytes_ = 0;
  uint64_t next_id_ = 1;
  std::vector<const Scope*> scopes_;  // in the order of their beginning
  std::vector<std::unique_ptr<Allocation>> live_memory_;
  std::vector<std::unique_ptr<SemaphoreArray>> live_semaphores_;
  std::vector<RetiredMemory> retired_memory_;
  std::vector<std::unique_ptr<SemaphoreArray>> retired_semaphores_;
  // To the end of the run: others may still use them.
  std::vector<std::unique_ptr<Allocation>> kept_memory_;
  std::vector<std::unique_ptr<SemaphoreArray>> kept_semaphores_;
  std::vector<const Allocation*> operands_;  // that occupy room
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_SCOPE_KEEPER_H_
