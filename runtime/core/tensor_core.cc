#include "runtime/core/tensor_core.h"

#include <exception>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

// Set around every stay on a kernel's stack; never read by a kernel across a request.
thread_local const KernelContext* current_kernel = nullptr;

}  // namespace

const KernelContext* CurrentKernel() { return current_kernel; }

TensorCore::TensorCore(CoreId id, int num_cores, const ChipSpec& chip, const MemoryLimits& limits, Executor& executor,
                       CoreEngines engines)
    : Agent(Kind::kCore, id.core),
      strand_(executor.MakeStrand()),
      steps_per_turn_(executor.StepsPerTurn()),
      picks_transfers_(executor.PicksTransfers()),
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
  context_.emits_ = launch.observer != nullptr;
  context_.monitor_ = launch.monitor;
  context_.observed = context_.emits_ || context_.monitor_ != nullptr;
  context_.grids_.clear();
  scopes_.set_monitor(launch.monitor);
  context_.cancelled_.store(false, std::memory_order_relaxed);
  context_.unwound_at_.reset();
  context_.writable_ = &launch.writable;
  context_.dry_ = launch.dry;
  context_.hbm_allowed = launch.hbm_allowed;
  context_.bounds = launch.bounds;
  context_.out_of_range_reads = launch.out_of_range_reads;
  scopes_.set_fresh(launch.fresh);
  context_.bodies_ = 0;
  context_.body_epoch_.store(0, std::memory_order_relaxed);
  context_.steps_ = 0;
  context_.request_.kind = Request::Kind::kNone;
  context_.request_.site = {};
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
  Site site;
  bool told = false;  // its text says where
  try {
    throw;
  } catch (KernelContext::Unwound&) {
    return;
  } catch (Stop& stop) {
    failure.status = std::move(stop.status);
    site = stop.site;
  } catch (CheckFailure& check) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError(check.text), {}};
    told = true;
  } catch (std::exception& error) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError(error.what()), {}};
  } catch (...) {
    failure = {Failure::Cause::kKernelError, absl::UnknownError("an exception that is no std::exception"), {}};
  }
  failure.place = context_.ThrownAt();
  if (site.known()) failure.place.site = site;
  if (!failure.place.site.known() && !told) failure.after = context_.request_.site;
  launch_->Fail(std::move(failure));
}

void TensorCore::EnterKernel(Fiber::ExceptionState* thread) {
  Fiber& fiber = context_.fiber_;
  const bool first = !entered_;
  entered_ = true;
  SC_IGNORE_BEGIN();
  void* host = CurrentIdentity();
  context_.host_identity_ = host;
  SC_SWITCH(identity_.get());
  if (first) {
    SC_IGNORE_BEGIN();
    SC_ACQUIRE(&launch_token_);
  }
  // A kernel may run another simulator, so they nest.
  const KernelContext* outer = std::exchange(current_kernel, &context_);
  const bool ended = fiber.Resume(thread);
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
  Fiber::ExceptionState* const thread = Fiber::ThreadExceptionState();
  for (int left = steps_per_turn_; left > 0; --left) {
    if (delay_left_ > 0 && !launch_->stopping()) {
      // Each further turn counts as a request: a step limit ends a long delay too.
      if (--delay_left_ > 0 && launch_->step_limit > 0) WithinStepLimit();
      return GiveWay();
    }
    yielding_ = false;
    if (launch_->stopping()) context_.cancelled_.store(true, std::memory_order_relaxed);
    EnterKernel(thread);
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

Place TensorCore::Where() const {
  // The kernel goes on to write what is read here, without an order that the sanitizer knows.
  HiddenFromSanitizer hidden;
  return context_.Where(context_.request_.site);
}

void TensorCore::DropUnstarted() {
  if (state_ != State::kRunning) return;
  context_.cancelled_.store(true, std::memory_order_relaxed);
  EnterKernel(Fiber::ThreadExceptionState());
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
