// InFlight: the transfers a core has started: a pool of them, which are not back yet, and what they touch.
//
// Ownership: owns its transfers for as long as the core lives. Concurrency: the core's; engines only push completed
// transfers onto the ReturnStack.
#ifndef STRANDCORE_RUNTIME_CORE_IN_FLIGHT_H_
#define STRANDCORE_RUNTIME_CORE_IN_FLIGHT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/dma/transfer.h"

namespace strandcore {

class InFlight {
 public:
  InFlight() = default;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  ReturnStack& returns() { return returns_; }
  // The free transfer that Take will give.
  Transfer& Next() { return free_ != nullptr ? *free_ : MakeFree(); }
  // A free transfer, now counted as in flight.
  Transfer& Take();
  uint64_t next_number() const { return started_ + 1; }
  // Takes back what has completed.
  void Collect();
  // REQUIRES: Collect() was called for the answer to be exact.
  int64_t count() const { return count_; }
  bool Touches(const Allocation& allocation) const;
  bool Pays(const SemaphoreArray& semaphores) const;
  // In the order of their starts.
  std::vector<const Transfer*> List() const;
  int64_t overlapped() const { return overlapped_; }
  // For the next run: counts from nothing. REQUIRES: none in flight.
  void Restart();
  // The host is ordered after every transfer, waited for or not: its run has failed and said so.
  void AcquireAll();

 private:
  Transfer& MakeFree();
  void TakeBack(Transfer* list);

  std::vector<std::unique_ptr<Transfer>> all_;
  Transfer* free_ = nullptr;
  Transfer* first_ = nullptr;  // in flight, newest first
  int64_t count_ = 0;
  uint64_t started_ = 0;
  int64_t overlapped_ = 0;
  ReturnStack returns_;  // self-synchronised
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_IN_FLIGHT_H_
