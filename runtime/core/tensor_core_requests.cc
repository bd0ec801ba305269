// How a TensorCore serves its kernel's requests, and what the launch's observer is told of them. (tensor_core.cc holds
// its life from launch to end.)
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/core/tensor_core.h"

namespace strandcore {
namespace {

// Transfers of this size and more are never copied in place by their core: handing them over wins.
constexpr int64_t kAlwaysOverlapBytes = 64 * 1024;
// A kernel that catches everything, its own unwinding too, is given up after this many requests.
constexpr int64_t kMostSwallowed = 1000;

}  // namespace

// Engines that were idle when this core gave them work run here, in place: nothing is posted for a small transfer.
void TensorCore::HelpEngines() {
  const int count = std::exchange(idle_engines_, 0);
  for (int i = 0; i < count; ++i) idle_engine_[i]->Help(in_flight_.returns());
}

TensorCore::Served TensorCore::Serve() {
  Request& request = context_.request_;
  if (!context_.events_.empty()) FlushEvents();
  if (request.kind == Request::Kind::kDone) return ServeEnd();
  if (request.kind == Request::Kind::kFree) return ServeScope(request);
  bool served = true;
  if (context_.cancelled_.load(std::memory_order_relaxed)) {
    // The kernel is being unwound: what it still asks for has no effect.
    if (++swallowed_ >= kMostSwallowed) return GiveUp();
    served = false;
  } else if (launch_->step_limit > 0) {
    served = WithinStepLimit();
  }
  // A destructor that runs while the kernel is unwound is not stopped, so it gets what it asks for.
  if (request.kind == Request::Kind::kAllocate) return ServeScope(request);
  if (!served) return Served::kGoOn;
  switch (request.kind) {
    case Request::Kind::kStart:
      return ServeStart();
    case Request::Kind::kWait:
      return ServeWait(request);
    case Request::Kind::kSignal:
      if (context_.emits_) EmitRequest(Event::Kind::kSignal, nullptr);
      if (launch_->monitor != nullptr) {
        launch_->monitor->OnSignal(id().core, request.semaphore.semaphore().monitored_as(), request.amount, Stamped());
      }
      As(request.semaphore.semaphore().token(), /*acquire=*/false);
      request.semaphore.semaphore().Signal(request.amount);
      return Served::kGoOn;
    case Request::Kind::kRead:
      if (launch_->monitor != nullptr) {
        launch_->monitor->OnReadSemaphore(id().core, request.semaphore.semaphore().monitored_as(), Stamped());
      }
      request.amount = request.semaphore.semaphore().value();
      // Reading may be a poll: others must be able to change what is read.
      return Served::kYield;
    case Request::Kind::kDelay:
      delay_left_ = request.amount;
      return Served::kYield;
    case Request::Kind::kPrint:
      launch_->Print(std::move(request.text));
      return Served::kGoOn;
    default:
      STRANDCORE_CHECK(false && "a request that nobody serves");
  }
  return Served::kEnd;
}

TensorCore::Served TensorCore::ServeStart() {
  const uint64_t number = in_flight_.next_number();
  Transfer& transfer = in_flight_.Take();
  const Transfer::Request& copy = transfer.request();
  transfer.Prepare(home_, number, picks_transfers_ ? ++launch_->started : 0);
  As(transfer.start_token(), /*acquire=*/false);
  CountCopy(copy);
  if (context_.emits_) EmitRequest(Event::Kind::kStart, &transfer);
  if (launch_->monitor != nullptr) {
    const OneSemaphore& receive = copy.receive;
    launch_->monitor->OnStart(id().core, copy.source, copy.target, copy.semaphore.semaphore().monitored_as(),
                              receive.array == nullptr ? -1 : receive.semaphore().monitored_as(), transfer.units(),
                              Stamped());
  }
  context_.next_copy_ = &in_flight_.Next().request();
  if (launch_->dma == DmaMode::kSynchronous) {
    while (!transfer.CopyChunk()) continue;
    transfer.Complete(&in_flight_.returns());
    return Served::kGoOn;
  }
  const bool out = copy.target.space() == MemorySpace::kHbm;
  DmaEngine& engine = out ? *engines_.out : *engines_.in;
  const bool overlap = launch_->dma == DmaMode::kOverlap || transfer.bytes() >= kAlwaysOverlapBytes;
  if (engine.Submit(transfer)) idle_engine_[idle_engines_++] = &engine;
  if (overlap) WakeEngine(engine);
  return Served::kGoOn;
}

// If it is left to this core to wake it: also where a small transfer, that could have waited, found it idle.
void TensorCore::WakeEngine(DmaEngine& engine) {
  for (int i = 0; i < idle_engines_; ++i) {
    if (idle_engine_[i] != &engine) continue;
    idle_engine_[i] = idle_engine_[--idle_engines_];
    return engine.Wake();
  }
}

void TensorCore::CountCopy(const Transfer::Request& copy) {
  ++counters_.transfers;
  const OperandId source = copy.source.allocation()->operand();
  const OperandId target = copy.target.allocation()->operand();
  if (source != kNoOperand) {
    OperandCounters& operand = counters_.operands[static_cast<size_t>(source)];
    ++operand.copies_in;
    operand.bytes_in += copy.source.bytes();
  }
  if (target != kNoOperand) {
    OperandCounters& operand = counters_.operands[static_cast<size_t>(target)];
    ++operand.copies_out;
    operand.bytes_out += copy.target.bytes();
  }
}

TensorCore::Served TensorCore::ServeWait(Request& request) {
  ++counters_.waits;
  if (context_.emits_) EmitRequest(Event::Kind::kWait, nullptr);
  Semaphore& semaphore = request.semaphore.semaphore();
  if (idle_engines_ > 0 && !semaphore.Holds(request.amount)) HelpEngines();
  // Before Take: from then on a signal may post this core's next step.
  state_ = State::kWaiting;
  if (!semaphore.Take(request.amount)) {
    ++counters_.blocked_waits;
    return Served::kPark;
  }
  state_ = State::kRunning;
  GrantWait();
  return Served::kGoOn;
}

// The units of the wait are taken: the kernel learns what their posts bring.
bool TensorCore::GrantWait() {
  Request& request = context_.request_;
  if (context_.cancelled_.load(std::memory_order_relaxed)) return false;
  if (!request.subtract) request.semaphore.semaphore().GiveBack(request.amount);
  As(request.semaphore.semaphore().token(), /*acquire=*/true);
  if (context_.emits_) EmitRequest(Event::Kind::kWaitDone, nullptr);
  if (launch_->monitor != nullptr) {
    launch_->monitor->OnWait(id().core, request.semaphore.semaphore().monitored_as(), request.amount, request.subtract,
                             Stamped());
  }
  return true;
}

TensorCore::Served TensorCore::ServeScope(Request& request) {
  // The kernel reads what is made here without an order that the sanitizer knows.
  HiddenFromSanitizer hidden;
  Scope& scope = *request.scope;
  in_flight_.Collect();
  if (request.kind == Request::Kind::kFree) {
    scopes_.Free(scope, in_flight_, Stamped());
  } else {
    scope.status_ = scopes_.Allocate(scope);
  }
  return Served::kGoOn;
}

// The kernel will not return: it is left where it is, without what it held.
TensorCore::Served TensorCore::GiveUp() {
  HiddenFromSanitizer hidden;
  in_flight_.Collect();
  scopes_.FreeAll(in_flight_);
  context_.fiber_.Abandon();
  // It never comes back from its last request: what surrounds the switch of stacks is ended for it.
  void* host = CurrentIdentity();
  SC_SWITCH(identity_.get());
  SC_IGNORE_END();
  SC_SWITCH(host);
  return ServeEnd();
}

TensorCore::Served TensorCore::ServeEnd() {
  HelpEngines();
  if (context_.fiber_.alive()) context_.fiber_.Finish();
  if (context_.emits_) EmitRequest(Event::Kind::kKernelEnd, nullptr);
  if (launch_->monitor != nullptr) launch_->monitor->OnEnd(id().core);
  state_ = State::kEnded;
  return Served::kEnd;
}

void TensorCore::FlushEvents() {
  HiddenFromSanitizer hidden;
  std::vector<Event> events = std::move(context_.events_);
  context_.events_.clear();
  for (const Event& event : events) launch_->observer->OnEvent(event);
}

void TensorCore::EmitRequest(Event::Kind kind, const Transfer* started) {
  const Request& request = context_.request_;
  Event event;
  event.kind = kind;
  event.place = Where();
  if (started != nullptr) {
    event.transfer = started->number();
    event.amount = started->bytes();
    event.semaphore = started->request().semaphore.Name();
  } else if (kind != Event::Kind::kKernelEnd) {
    event.amount = request.amount;
    event.semaphore = request.semaphore.Name();
  }
  launch_->observer->OnEvent(event);
}

// The kernel goes on to write what is read here, without an order that the sanitizer knows.
Stamp TensorCore::Stamped() const {
  HiddenFromSanitizer hidden;
  return context_.StampOf(context_.request_.site);
}

bool TensorCore::WithinStepLimit() {
  if (++requests_ <= launch_->step_limit) return true;
  Failure failure;
  failure.cause = Failure::Cause::kStepLimit;
  failure.place = Where();
  failure.status = absl::DeadlineExceededError(absl::StrCat("the step limit of ", launch_->step_limit, " is reached"));
  launch_->Fail(std::move(failure));
  return false;
}

}  // namespace strandcore
