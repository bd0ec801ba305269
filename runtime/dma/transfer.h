// Transfer: one copy in flight, an agent of its own.
//
//   free ── request written, Prepare ──► queued ── chunks ──► complete: signals its semaphore, goes back to its
//                                                             core's ReturnStack
//
// A transfer carries all that a report needs: where it was started, what it copies, whom it pays.
//
// Ownership: pooled by the core that starts it. Concurrency: between Prepare and its return to the core it belongs to
// the engine that copies it. Ordering: start -> its read and write -> the signal; nothing orders two transfers.
#ifndef STRANDCORE_RUNTIME_DMA_TRANSFER_H_
#define STRANDCORE_RUNTIME_DMA_TRANSFER_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "runtime/dma/copy_plan.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/exec/executor.h"
#include "runtime/memory/ref.h"
#include "runtime/semaphore/semaphore_ref.h"
#include "runtime/trace/event.h"

namespace strandcore {

class DmaEngine;
class ReturnStack;

// Whether a kernel is inside a body right now: odd while it is, another odd number for each stretch.
using BodyEpoch = std::atomic<uint32_t>;

class Transfer final : public Agent {
 public:
  struct Request {
    Ref source;
    Ref target;
    OneSemaphore semaphore;
    // Of another core and the same kind, which is paid too when the target is written (a remote copy); none for a
    // local one.
    OneSemaphore receive = {};
  };
  // What stays the same for all transfers of a core.
  struct Home {
    ReturnStack* returns = nullptr;
    const BodyEpoch* body_epoch = nullptr;
    Observer* observer = nullptr;
    CoreId core;
  };

  Transfer() : Agent(Kind::kTransfer, 0) {}

  // What it will copy; whoever asks for the copy writes it in place, before Prepare.
  Request& request() { return request_; }
  const Request& request() const { return request_; }
  // `home` outlives the transfer's way back. `number`: counts the transfers of the core, from 1; `rank`: of all cores,
  // for who picks transfers.
  void Prepare(const Home& home, uint64_t number, int64_t rank);
  // Copies one chunk; true when all is copied.
  bool CopyChunk();
  // Signals the semaphore and goes back to the core; `helper`: the stack of the core that runs this, if one does. Touch
  // nothing of it afterwards.
  void Complete(const ReturnStack* helper);

  // Of an executor that picks transfers: one chunk, on the engine's coroutine.
  void Step() override;
  bool IsAwaited() const override { return request_.semaphore.semaphore().awaited(); }

  uint64_t number() const { return number_; }
  int64_t bytes() const { return bytes_; }
  // What it adds to its semaphores: bytes to a DMA semaphore, 1 to a regular one (primitives.md 2.1).
  int64_t units() const { return request_.semaphore.kind() == SemaphoreKind::kDma ? bytes_ : 1; }
  bool overlapped() const { return overlapped_; }
  void set_engine(DmaEngine* engine) { engine_ = engine; }
  OrderToken& start_token() { return start_token_; }
  OrderToken& end_token() { return end_token_; }

  // Links of the queues a transfer stands in: its engine's or its core's ReturnStack, and its core's list of those
  // in flight (the core's alone).
  Transfer* next = nullptr;
  Transfer* in_flight_next = nullptr;
  Transfer* in_flight_previous = nullptr;

 private:
  Request request_;
  const Home* home_ = nullptr;
  CopyPlan plan_;
  DmaEngine* engine_ = nullptr;
  uint64_t number_ = 0;
  int64_t bytes_ = 0;
  bool overlapped_ = false;  // a chunk was copied while its core's body ran
  AgentIdentity identity_;
  OrderToken start_token_;
  OrderToken end_token_;
};

// Transfers that are complete, on their way back to their core. Any engine pushes, the core takes all; what the core
// completes itself while it helps an engine goes a way of its own, without atomics.
class ReturnStack {
 public:
  void PushOwn(Transfer& transfer) {
    transfer.next = own_;
    own_ = &transfer;
  }
  Transfer* TakeOwn() { return std::exchange(own_, nullptr); }
  void Push(Transfer& transfer) {
    Transfer* top = top_.load(std::memory_order_relaxed);
    do {
      transfer.next = top;
      // Release pairs with the acquire in TakeAll: the core sees all that the engine wrote.
    } while (!top_.compare_exchange_weak(top, &transfer, std::memory_order_release, std::memory_order_relaxed));
  }
  Transfer* TakeAll() {
    if (top_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return top_.exchange(nullptr, std::memory_order_acquire);
  }

 private:
  Transfer* own_ = nullptr;  // the core's
  std::atomic<Transfer*> top_{nullptr};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_DMA_TRANSFER_H_
