#include "runtime/dma/engine.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/exec/stored_handler.h"

namespace strandcore {

namespace asio = boost::asio;

class DmaEngine::Worker {
 public:
  // The context starts and ends the coroutine, here; in between whoever owns the wake-up resumes it in place.
  explicit Worker(DmaEngine& engine) : engine_(engine) {
    asio::co_spawn(context_, Run(), asio::detached);
    context_.poll();
    STRANDCORE_CHECK(handler_.stored());
  }
  ~Worker() {
    stopping_ = true;
    handler_.Call();
    context_.restart();
    context_.poll();
  }

  void Resume() { handler_.Call(); }

 private:
  using Awaitable = asio::awaitable<void, asio::io_context::executor_type>;

  Awaitable Run() {
    int chunks_left = engine_.chunks_per_turn_;
    while (!stopping_) {
      Transfer* transfer = engine_.TakeNext();
      if (transfer == nullptr) {
        co_await asio::async_initiate<const asio::deferred_t, void()>(
            [this](auto handler) { Sleep(std::move(handler)); }, asio::deferred);
        chunks_left = engine_.chunks_per_turn_;
        continue;
      }
      if (transfer->CopyChunk()) {
        transfer->Complete(engine_.helper_);
      } else {
        engine_.PutBack(*transfer);
      }
      if (engine_.picks_transfers_ || --chunks_left > 0) continue;
      co_await asio::async_initiate<const asio::deferred_t, void()>(
          [this](auto handler) { GiveWay(std::move(handler)); }, asio::deferred);
      chunks_left = engine_.chunks_per_turn_;
    }
  }

  // From the moment the engine is idle another thread may resume the coroutine, so nothing here is touched after.
  template <typename Handler>
  void Sleep(Handler handler) {
    handler_.Store(std::move(handler));
    DmaEngine& engine = engine_;
    if (!engine.picks_transfers_ && !engine.GoIdle()) engine.Wake();
  }

  template <typename Handler>
  void GiveWay(Handler handler) {
    handler_.Store(std::move(handler));
    engine_.Wake();
  }

  DmaEngine& engine_;
  asio::io_context context_;
  StoredHandler handler_;
  bool stopping_ = false;
};

DmaEngine::DmaEngine(Executor& executor, int number)
    : Agent(Kind::kEngine, number),
      picks_transfers_(executor.PicksTransfers()),
      chunks_per_turn_(executor.StepsPerTurn()),
      strand_(executor.MakeStrand()),
      worker_(std::make_unique<Worker>(*this)) {}

DmaEngine::~DmaEngine() {
  STRANDCORE_CHECK(picks_transfers_ || queue_.load(std::memory_order_acquire) == Idle());
  queue_.store(nullptr, std::memory_order_relaxed);
  worker_.reset();
}

bool DmaEngine::Submit(Transfer& transfer) {
  transfer.set_engine(this);
  if (picks_transfers_) {
    strand_->Post(transfer);
    return false;
  }
  Transfer* head = queue_.load(std::memory_order_relaxed);
  while (true) {
    if (head == Idle()) {
      // Acquire pairs with the release in GoIdle: who finds the engine idle owns it and resumes its coroutine.
      if (!queue_.compare_exchange_weak(head, nullptr, std::memory_order_acquire, std::memory_order_relaxed)) continue;
      transfer.next = nullptr;
      taken_ = &transfer;
      return true;
    }
    transfer.next = head;
    // Release pairs with the acquire in TakeNext.
    if (queue_.compare_exchange_weak(head, &transfer, std::memory_order_release, std::memory_order_relaxed))
      return false;
  }
}

Transfer* DmaEngine::TakeNext() {
  if (picks_transfers_) return std::exchange(picked_, nullptr);
  if (taken_ == nullptr) {
    if (queue_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    // The queue is a stack; turned over it is oldest first.
    Transfer* newest = queue_.exchange(nullptr, std::memory_order_acquire);
    while (newest != nullptr) {
      Transfer* older = newest->next;
      newest->next = taken_;
      taken_ = newest;
      newest = older;
    }
  }
  Transfer* oldest = taken_;
  taken_ = oldest->next;
  return oldest;
}

void DmaEngine::PutBack(Transfer& transfer) {
  if (picks_transfers_) return strand_->Post(transfer);
  transfer.next = taken_;
  taken_ = &transfer;
}

bool DmaEngine::GoIdle() {
  Transfer* nothing = nullptr;
  // Release pairs with the acquire in Submit: whoever resumes the coroutine sees its frame.
  return queue_.compare_exchange_strong(nothing, Idle(), std::memory_order_acq_rel, std::memory_order_relaxed);
}

void DmaEngine::Step() {
  helper_ = nullptr;
  worker_->Resume();
}

void DmaEngine::Help(const ReturnStack& helper) {
  helper_ = &helper;
  worker_->Resume();
}

void DmaEngine::StepTransfer(Transfer& transfer) {
  picked_ = &transfer;
  worker_->Resume();
}

}  // namespace strandcore
