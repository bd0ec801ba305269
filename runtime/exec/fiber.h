// Fiber: a kernel's own stack, entered and left by plain calls.
//
//   host                                   fiber
//   Resume() ───────────────────────────►  body() starts, or Suspend() returns
//   Resume() returns false  ◄───────────   Suspend()
//   Resume() returns true   ◄───────────   body() has returned
//
// A fiber may be resumed on another thread than before. What the C++ runtime keeps per thread for exceptions is
// carried along, so a kernel may wait inside a catch block. A fiber is never destroyed half-way: who owns it makes
// its body return (for a kernel: by an exception thrown out of its next request), so user code needs no special
// care with catch (...).
//
// Ownership: takes a stack from the pool when started and returns it when the body has returned.
// Concurrency: owned by one strand; Suspend only from inside.
#ifndef STRANDCORE_RUNTIME_EXEC_FIBER_H_
#define STRANDCORE_RUNTIME_EXEC_FIBER_H_

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "runtime/exec/stack_pool.h"

#if defined(__SANITIZE_ADDRESS__)
#define STRANDCORE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRANDCORE_ASAN 1
#endif
#endif

namespace strandcore {

class Fiber {
 public:
  using Body = void (*)(void* argument);
  // The state of the C++ runtime's exceptions, of one thread, as the Itanium ABI lays it out.
  struct ExceptionState {
    void* caught = nullptr;
    unsigned uncaught = 0;
  };
  // That of the calling thread: who resumes many times on one thread asks once.
  static ExceptionState* ThreadExceptionState();

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares `body(argument)` on a stack of `pool`; nothing runs before Resume().
  absl::Status Start(StackPool& pool, Body body, void* argument);

  // Host's side: runs the fiber until it suspends (false) or its body has returned (true). `thread`: the exceptions of
  // the calling thread.
  __attribute__((always_inline)) bool Resume(ExceptionState* thread = ThreadExceptionState()) {
    thread_ = thread;
    EnterStack();
    fiber_ = std::move(fiber_).resume();
    LeaveStack();
    return !fiber_;
  }
  // Fiber's side: back to the host, until it resumes.
  __attribute__((always_inline)) void Suspend() {
    exceptions_ = std::exchange(*thread_, ExceptionState());
    BeforeSuspend();
    host_ = std::move(host_).resume();
    AfterSuspend();
    if (__builtin_expect(exceptions_.caught != nullptr || exceptions_.uncaught != 0, 0)) *thread_ = exceptions_;
  }

  bool alive() const { return pool_ != nullptr; }
  // After the body has returned: gives the stack back.
  void Finish();
  // Gives up a fiber whose body will not return; its stack and what lives on it are lost on purpose.
  void Abandon();

 private:
#ifdef STRANDCORE_ASAN
  // AddressSanitizer must know which stack is current.
  void EnterStack();
  void LeaveStack();
  void BeforeSuspend();
  void AfterSuspend();
  void OnFirstEntry();
  void OnLastExit();
  void* host_fake_stack_ = nullptr;
  void* fiber_fake_stack_ = nullptr;
  const void* host_bottom_ = nullptr;
  size_t host_bytes_ = 0;
#else
  void EnterStack() {}
  void LeaveStack() {}
  void BeforeSuspend() {}
  void AfterSuspend() {}
  void OnFirstEntry() {}
  void OnLastExit() {}
#endif

  boost::context::fiber fiber_;       // the kernel, while the host runs
  boost::context::fiber host_;        // the host, while the kernel runs
  ExceptionState exceptions_;         // the kernel's, while the host runs
  ExceptionState* thread_ = nullptr;  // of the thread that resumed it last
  StackPool* pool_ = nullptr;
  std::byte* stack_ = nullptr;
};

// While it lives, the exceptions that its thread is handling are set aside: whoever resumes fibers may stand in a catch
// block, or in a destructor while a stack is unwound, which is no business of theirs.
class ExceptionsSetAside {
 public:
  ExceptionsSetAside();
  ~ExceptionsSetAside();
  ExceptionsSetAside(const ExceptionsSetAside&) = delete;
  ExceptionsSetAside& operator=(const ExceptionsSetAside&) = delete;

 private:
  const Fiber::ExceptionState own_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_FIBER_H_
