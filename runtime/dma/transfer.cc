#include "runtime/dma/transfer.h"

#include "runtime/dma/engine.h"

namespace strandcore {
namespace {

// A transfer gives way after this much: long enough to cost nothing, short enough that others are not held up.
constexpr int64_t kChunkBytes = 32 * 1024;

// One chunk under the transfer's identity. Not instrumented: only the bytes that memcpy moves are seen.
SC_UNSEEN __attribute__((noinline)) bool CopyAs(void* identity, CopyPlan& plan, OrderToken* start, OrderToken* done,
                                                OrderToken* received, OrderToken* end) {
  void* host = CurrentIdentity();
  SC_SWITCH(identity);
  SC_ACQUIRE(start);
  const bool complete = plan.CopyChunk(kChunkBytes);
  if (complete) {
    SC_RELEASE(done);
    if (received != nullptr) SC_RELEASE(received);
    SC_RELEASE(end);
  }
  SC_SWITCH(host);
  return complete;
}

}  // namespace

void Transfer::Prepare(const Home& home, uint64_t number, int64_t rank) {
  home_ = &home;
  number_ = number;
  bytes_ = request_.target.bytes();
  overlapped_ = false;
  set_rank(rank);
  plan_.Prepare(request_.source, request_.target);
  identity_.Renew();
}

bool Transfer::CopyChunk() {
  // Relaxed, on both sides, and without a partner: a statistic, which nothing is concluded from but the count. What the
  // two loads saw may be late; on one thread they are the program's own order.
  const uint32_t before = home_->body_epoch->load(std::memory_order_relaxed);
  const OneSemaphore& receive = request_.receive;
  const bool complete = CopyAs(identity_.get(), plan_, &start_token_, &request_.semaphore.semaphore().token(),
                               receive.array == nullptr ? nullptr : &receive.semaphore().token(), &end_token_);
  // Odd and unchanged: the same stretch of the body ran all the while.
  const uint32_t after = home_->body_epoch->load(std::memory_order_relaxed);
  if ((before & 1) != 0 && before == after) overlapped_ = true;
  return complete;
}

void Transfer::Complete(const ReturnStack* helper) {
  if (home_->observer != nullptr) {
    Event event;
    event.kind = Event::Kind::kTransferDone;
    event.place.core = home_->core;
    event.place.operand = request_.target.name();
    event.transfer = number_;
    event.amount = bytes_;
    home_->observer->OnEvent(event);
  }
  Semaphore& semaphore = request_.semaphore.semaphore();
  ReturnStack& returns = *home_->returns;
  const int64_t units = this->units();
  const OneSemaphore receive = request_.receive;
  // The signal first: the core frees a semaphore only when every transfer on it has come back.
  semaphore.Signal(units);
  if (receive.array != nullptr) receive.semaphore().Signal(units);
  if (&returns == helper) {
    returns.PushOwn(*this);
  } else {
    returns.Push(*this);
  }
}

void Transfer::Step() { engine_->StepTransfer(*this); }

}  // namespace strandcore
