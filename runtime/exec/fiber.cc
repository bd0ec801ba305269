#include "runtime/exec/fiber.h"

#include <cxxabi.h>

#include <new>

#include "runtime/base/check.h"

#ifdef STRANDCORE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace strandcore {
namespace {

// Boost.Context asks for a stack and gives it back through this; the pool's bookkeeping is Fiber's.
struct GivenStack {
  std::byte* lowest;
  size_t bytes;
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.size = bytes;
    context.sp = lowest + bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Fiber::~Fiber() { STRANDCORE_CHECK(!alive()); }

absl::Status Fiber::Start(StackPool& pool, Body body, void* argument) {
  STRANDCORE_CHECK(!alive());
  absl::StatusOr<std::byte*> stack = pool.Take();
  if (!stack.ok()) return stack.status();
  pool_ = &pool;
  stack_ = *stack;
  exceptions_ = ExceptionState();
  fiber_ = boost::context::fiber(std::allocator_arg, GivenStack{stack_, pool.stack_bytes()},
                                 [this, body, argument](boost::context::fiber&& host) {
                                   host_ = std::move(host);
                                   OnFirstEntry();
                                   body(argument);
                                   OnLastExit();
                                   return std::move(host_);
                                 });
  return absl::OkStatus();
}

void Fiber::Finish() {
  STRANDCORE_CHECK(alive() && !fiber_);
#ifdef STRANDCORE_ASAN
  // The outermost frames were never returned from: their red zones must not outlive the stack.
  __asan_unpoison_memory_region(stack_, pool_->stack_bytes());
#endif
  pool_->Return(stack_);
  pool_ = nullptr;
}

void Fiber::Abandon() {
  // The destructor of a suspended boost fiber would throw through the body; a leaked one does not.
  [[maybe_unused]] const auto* leaked = new boost::context::fiber(std::move(fiber_));
#ifdef STRANDCORE_ASAN
  __lsan_ignore_object(leaked);
  __lsan_register_root_region(stack_, pool_->stack_bytes());
#endif
  pool_->Lose();
  pool_ = nullptr;
}

// Not inlined: the address is the current thread's, and the fiber may have moved to another one.
__attribute__((noinline)) Fiber::ExceptionState* Fiber::ThreadExceptionState() {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

ExceptionsSetAside::ExceptionsSetAside() : own_(*Fiber::ThreadExceptionState()) {
  *Fiber::ThreadExceptionState() = Fiber::ExceptionState();
}

ExceptionsSetAside::~ExceptionsSetAside() { *Fiber::ThreadExceptionState() = own_; }

#ifdef STRANDCORE_ASAN
void Fiber::EnterStack() { __sanitizer_start_switch_fiber(&host_fake_stack_, stack_, pool_->stack_bytes()); }
void Fiber::LeaveStack() { __sanitizer_finish_switch_fiber(host_fake_stack_, nullptr, nullptr); }
void Fiber::BeforeSuspend() { __sanitizer_start_switch_fiber(&fiber_fake_stack_, host_bottom_, host_bytes_); }
void Fiber::AfterSuspend() { __sanitizer_finish_switch_fiber(fiber_fake_stack_, &host_bottom_, &host_bytes_); }
void Fiber::OnFirstEntry() { __sanitizer_finish_switch_fiber(nullptr, &host_bottom_, &host_bytes_); }
void Fiber::OnLastExit() { __sanitizer_start_switch_fiber(nullptr, host_bottom_, host_bytes_); }
#endif

}  // namespace strandcore
