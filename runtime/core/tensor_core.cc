#include "runtime/core/tensor_core.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

// Transfers of this size and more are never copied in place by their core: handing them over wins.
constexpr int64_t kAlwaysOverlapBytes = 64 * 1024;
// A kernel that catches everything, its own unwinding too, is given up after this many requests.
constexpr int64_t kMostSwallowed = 1000;

// Set around every stay on a kernel's stack; never read by a kernel across a request.
thread_local const KernelContext* current_kernel = nullptr;

}  // namespace

const KernelContext* CurrentKernel() { return current_kernel; }

TensorCore::TensorCore(CoreId id, int num_cores, const ChipSpec& chip, const MemoryLimits& limits, Executor& executor,
                       CoreEngines engines)
    : Agent(Kind::kCore, id.core),
      strand_(executor.MakeStrand()),
      steps_per_turn_(executor.StepsPerTurn()),
      engines_(engines),
      context_(id, num_cores, chip),
      scopes_(id, limits, Waiter{strand_.get(), this}, /*others_signal=*/num_cores > 1) {}

absl::Status TensorCore::Launch(LaunchState& launch, std::vector<Ref> operands,
                                const std::vector<std::string>& operand_names, StackPool& stacks) {
  launch_ = &launch;
  operands_ = std::move(operands);
  counters_ = Counters();
  for (const std::string& name : operand_names) counters_.operands.push_back({name});
  context_.launch_env_ = {{id().core}, {context_.num_cores()}, &launch.axis_names};
  context_.envs_ = {&context_.launch_env_};
  context_.frames_.clear();
  context_.events_.clear();
  context_.observed = launch.observer != nullptr;
  context_.cancelled_.store(false, std::memory_order_relaxed);
  context_.unwound_at_.reset();
  context_.writable_ = &launch.writable;
  context_.dry_ = launch.dry;
  context_.hbm_allowed = launch.hbm_allowed;
  context_.bounds = launch.bounds;
  context_.out_of_range_reads = launch.out_of_range_reads;
  scopes_.set_fresh(launch.fresh);
  context_.bodies_ = 0;
  context_.steps_ = 0;
  context_.request_.kind = Request::Kind::kNone;
  yielding_ = false;
  entered_ = false;
  delay_left_ = 0;
  requests_ = 0;
  swallowed_ = 0;
  in_flight_.Restart();
  context_.next_copy_ = &in_flight_.Next().request();
  home_ = {&in_flight_.returns(), &context_.body_epoch_, launch.observer, id()};
  identity_.Renew();
  STRANDCORE_RETURN_IF_ERROR(context_.fiber_.Start(stacks, &TensorCore::RunKernel, this));
  state_ = State::kRunning;
  SC_RELEASE(&launch_token_);
  return absl::OkStatus();
}

void TensorCore::RunKernel(void* core) { static_cast<TensorCore*>(core)->RunKernelHere(); }

// On the fiber. Begins and ends with what surrounds every switch of stacks.
void TensorCore::RunKernelHere() {
  SC_IGNORE_END();
  try {
    if (!context_.cancelled_.load(std::memory_order_relaxed)) launch_->kernel(context_, operands_);
  } catch (...) {
    ReportThrown();
  }
  context_.thrown_ = nullptr;
  SC_RELEASE(&context_.trap_token_);
  SC_IGNORE_BEGIN();
  context_.request_.kind = Request::Kind::kDone;
}

// In the handler of what the kernel threw.
void TensorCore::ReportThrown() {
  Failure failure;
  try {
    throw;
  } catch (KernelContext::Unwound&) {
    return;
  } catch (Stop& stop) {
    failure.status = std::move(stop.status);
  } catch (CheckFailure& check) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError(check.text), {}};
  } catch (std::exception& error) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError(error.what()), {}};
  } catch (...) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError("an exception that is no std::exception"), {}};
  }
  failure.place = context_.ThrownAt();
  launch_->Fail(std::move(failure));
}

void TensorCore::EnterKernel() {
  Fiber& fiber = context_.fiber_;
  const bool first = !entered_;
  entered_ = true;
  SC_IGNORE_BEGIN();
  void* host = CurrentIdentity();
  SC_SWITCH(identity_.get());
  if (first) {
    SC_IGNORE_BEGIN();
    SC_ACQUIRE(&launch_token_);
  }
  // A kernel may run another simulator, so they nest.
  const KernelContext* outer = std::exchange(current_kernel, &context_);
  const bool ended = fiber.Resume();
  current_kernel = outer;
  if (ended) SC_IGNORE_END();
  SC_SWITCH(host);
  SC_IGNORE_END();
  SC_ACQUIRE(&context_.trap_token_);
}

// Acquires or releases a token in the kernel's name.
void TensorCore::As(OrderToken& token, bool acquire) {
  void* host = CurrentIdentity();
  SC_SWITCH(identity_.get());
  if (acquire) {
    SC_ACQUIRE(&token);
  } else {
    SC_RELEASE(&token);
  }
  SC_SWITCH(host);
}

void TensorCore::Step() {
  if (state_ == State::kWaiting) {
    state_ = State::kRunning;
    GrantWait();
  }
  for (int left = steps_per_turn_; left > 0; --left) {
    if (delay_left_ > 0 && !launch_->stopping()) {
      --delay_left_;
      return GiveWay();
    }
    yielding_ = false;
    if (launch_->stopping()) context_.cancelled_.store(true, std::memory_order_relaxed);
    EnterKernel();
    switch (Serve()) {
      case Served::kGoOn:
        break;
      case Served::kYield:
        yielding_ = true;
        return GiveWay();
      case Served::kPark:
      case Served::kEnd:
        return;
    }
  }
  GiveWay();
}

void TensorCore::GiveWay() {
  HelpEngines();
  Post();
}

// Engines that were idle when this core gave them work run here, in place: nothing is posted for a small transfer.
void TensorCore::HelpEngines() {
  const int count = std::exchange(idle_engines_, 0);
  for (int i = 0; i < count; ++i) idle_engine_[i]->Help();
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
      if (context_.observed) EmitRequest(Event::Kind::kSignal, nullptr);
      As(request.semaphore.semaphore().token(), /*acquire=*/false);
      request.semaphore.semaphore().Signal(request.amount);
      return Served::kGoOn;
    case Request::Kind::kRead:
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
  transfer.Prepare(home_, number);
  As(transfer.start_token(), /*acquire=*/false);
  CountCopy(copy);
  if (context_.observed) EmitRequest(Event::Kind::kStart, &transfer);
  context_.next_copy_ = &in_flight_.Next().request();
  if (launch_->dma == DmaMode::kSynchronous) {
    while (!transfer.CopyChunk()) continue;
    transfer.Complete();
    return Served::kGoOn;
  }
  const bool out = copy.target.space() == MemorySpace::kHbm;
  DmaEngine& engine = out ? *engines_.out : *engines_.in;
  const bool overlap = launch_->dma == DmaMode::kOverlap || transfer.bytes() >= kAlwaysOverlapBytes;
  if (engine.Submit(transfer)) {
    if (overlap) {
      engine.Wake();
    } else {
      idle_engine_[idle_engines_++] = &engine;
    }
  }
  return Served::kGoOn;
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
  if (context_.observed) EmitRequest(Event::Kind::kWait, nullptr);
  Semaphore& semaphore = request.semaphore.semaphore();
  if (idle_engines_ > 0 && !semaphore.Holds(request.amount)) HelpEngines();
  // Before Take: from then on a signal may post this core's next step.
  state_ = State::kWaiting;
  if (!semaphore.Take(request.amount)) {
    ++counters_.blocked_waits;
    return HelpEngines(), Served::kPark;
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
  if (context_.observed) EmitRequest(Event::Kind::kWaitDone, nullptr);
  return true;
}

TensorCore::Served TensorCore::ServeScope(Request& request) {
  // The kernel reads what is made here without an order that the sanitizer knows.
  HiddenFromSanitizer hidden;
  Scope& scope = *request.scope;
  in_flight_.Collect();
  if (request.kind == Request::Kind::kFree) {
    scopes_.Free(scope, in_flight_);
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
  return ServeEnd();
}

TensorCore::Served TensorCore::ServeEnd() {
  HelpEngines();
  if (context_.fiber_.alive()) context_.fiber_.Finish();
  if (context_.observed) EmitRequest(Event::Kind::kKernelEnd, nullptr);
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

Place TensorCore::Where() const {
  // The kernel goes on to write what is read here, without an order that the sanitizer knows.
  HiddenFromSanitizer hidden;
  return context_.Where(context_.request_.site);
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

void TensorCore::DropUnstarted() {
  if (state_ != State::kRunning) return;
  context_.cancelled_.store(true, std::memory_order_relaxed);
  EnterKernel();
  Serve();
}

void TensorCore::Cancel() {
  STRANDCORE_CHECK(state_ == State::kWaiting);
  context_.request_.semaphore.semaphore().CancelTake(context_.request_.amount);
  context_.cancelled_.store(true, std::memory_order_relaxed);
}

void TensorCore::Finish(bool failed) {
  HiddenFromSanitizer hidden;
  in_flight_.Collect();
  if (failed) in_flight_.AcquireAll();
  scopes_.EndRun(in_flight_);
  operands_.clear();
  launch_ = nullptr;
  state_ = State::kIdle;
}

Counters TensorCore::TakeCounters() {
  if (state_ == State::kIdle) return {};  // it was not launched
  HiddenFromSanitizer hidden;
  // The last transfers may have come back after the kernel's last look at them.
  in_flight_.Collect();
  counters_.steps = context_.steps_;
  counters_.overlapped_transfers = in_flight_.overlapped();
  return std::move(counters_);
}

}  // namespace strandcore
