// DmaEngine: copies transfers, chunk by chunk, on a coroutine of its own.
//
// The coroutine (an asio::awaitable) takes a transfer, copies it in chunks, gives way between turns, completes it and
// takes the next; with nothing to do it is suspended and its handler stored here.
//
//   queue head   meaning                                             who resumes the coroutine
//   Idle()       the coroutine is suspended, nothing queued          the submitter that finds it so
//   nullptr      it is running or about to, nothing new              nobody
//   a transfer   it is running or about to, these are new (LIFO)     nobody
//
// The submitter that finds Idle() owns the engine: it hands over its transfer directly, and wakes the engine on the
// engine's strand (`Wake`), or resumes it in place just before its own core parks (`Help`), which is fast but hides
// overlap.
//
// On an executor that picks transfers there is no queue: each transfer is posted by itself, and its step resumes the
// coroutine for one chunk.
//
// Concurrency: Submit is self-synchronised; the rest belongs to whoever owns the wake-up.
#ifndef STRANDCORE_RUNTIME_DMA_ENGINE_H_
#define STRANDCORE_RUNTIME_DMA_ENGINE_H_

#include <atomic>
#include <memory>

#include "runtime/dma/transfer.h"
#include "runtime/exec/executor.h"

namespace strandcore {

class DmaEngine final : public Agent {
 public:
  DmaEngine(Executor& executor, int number);
  // REQUIRES: nothing queued (the machine is quiet).
  ~DmaEngine();

  // Queues the transfer. True: the engine was idle and the caller must Wake() or Help() it.
  bool Submit(Transfer& transfer);
  void Wake() { strand_->Post(*this); }
  // By the core that these transfers go back to.
  void Help(const ReturnStack& helper);

  // Resumes the coroutine.
  void Step() override;
  // One chunk of this transfer, for an executor that picks transfers.
  void StepTransfer(Transfer& transfer);

 private:
  class Worker;

  static Transfer* Idle() { return reinterpret_cast<Transfer*>(alignof(Transfer)); }
  // The oldest queued transfer; null when none is.
  Transfer* TakeNext();
  // A transfer that is not complete: it goes on before the others, or when it is picked again.
  void PutBack(Transfer& transfer);
  // True: the engine is idle now. False: something was queued meanwhile.
  bool GoIdle();

  const bool picks_transfers_;
  const int chunks_per_turn_;
  const std::unique_ptr<Strand> strand_;
  Transfer* picked_ = nullptr;
  Transfer* taken_ = nullptr;            // taken from the queue, oldest first
  const ReturnStack* helper_ = nullptr;  // of the core that resumed the coroutine; null: it runs on its strand
  std::atomic<Transfer*> queue_{nullptr};
  std::unique_ptr<Worker> worker_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_DMA_ENGINE_H_
