// KernelContext: what a kernel sees of its core. A kernel is a plain function on a fiber; everything but touching
// emulated memory is a method here.
//
//   void Kernel(KernelContext& core, Ref x, Ref y) {
//     core.RunScoped(
//         [&](Ref tile, SemaphoreRef done) {
//           AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
//           copy.Start();
//           copy.Wait();
//         },
//         Vmem({8, 128}, DType::kFloat32), DmaSemaphore());
//   }
//
// A mistake in a call (a wrong shape, an index outside) throws `Stop`, which ends the kernel and the run with a status
// that says what was expected; when another core has failed, the next call throws to unwind this kernel. Let both
// pass: a kernel needs no try, and should not wait in a destructor.
//
// Ownership: belongs to its TensorCore. Concurrency: used only by the kernel, on its fiber.
#ifndef STRANDCORE_RUNTIME_CORE_KERNEL_CONTEXT_H_
#define STRANDCORE_RUNTIME_CORE_KERNEL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/site.h"
#include "runtime/core/async_copy.h"
#include "runtime/core/chip_spec.h"
#include "runtime/core/counters.h"
#include "runtime/core/request.h"
#include "runtime/core/scope.h"
#include "runtime/dma/transfer.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/exec/fiber.h"
#include "runtime/memory/access_port.h"
#include "runtime/memory/window.h"
#include "runtime/trace/event.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

// The grid that program ids refer to. A launch's own is (cores); a pipeline's body sees that pipeline's.
struct GridEnv {
  Dims ids;
  Dims sizes;
  const std::vector<std::string>* names = nullptr;  // of its axes, where they have names
};

// What a pipeline knows of the windows that its body is given.
class BodyWindows {
 public:
  // The part of a window that lies within its array; nothing if it is none of these windows.
  virtual std::optional<Ref> FilledPart(const Ref& window) const = 0;

 protected:
  ~BodyWindows() = default;
};

// Where a pipeline stands; kept for reports.
struct PipelineFrame {
  const BodyWindows* windows = nullptr;
  const Dims* grid_point = nullptr;
  const GridInfo* grid = nullptr;
  int64_t step = 0;
  int64_t cycle = 0;
  int64_t invocation = 0;  // filled in by PushFrame: a number of its own on this core
  Phase phase = Phase::kKernel;
  int32_t operand = -1;
  const std::string* operand_name = nullptr;
  Site site;  // where the pipeline was called
};

// What Check throws: the author's own condition does not hold.
struct CheckFailure {
  std::string text;
};

class KernelContext final : public AccessPort {
 public:
  KernelContext(CoreId id, int num_cores, const ChipSpec& chip) : id_(id), num_cores_(num_cores), chip_(&chip) {}
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

  CoreId id() const { return id_; }
  int core_index() const { return id_.core; }
  int num_cores() const { return num_cores_; }
  const ChipSpec& chip() const { return *chip_; }

  // Position and extent in the innermost grid around the caller. Stops the kernel where there is no such axis.
  int64_t ProgramId(int axis) const;
  int64_t NumPrograms(int axis) const;
  // The same by an axis's name, in the innermost grid that has it. The launch's axis is called "core".
  int64_t ProgramId(const std::string& axis) const;
  int64_t NumPrograms(const std::string& axis) const;

  // In a body: the part of a window that lies within its array. A block at the array's edge may be partial; what its
  // window holds beyond is undefined. Other views, a scratch say, are returned as they are. Stops the kernel if given
  // a part of a window.
  //
  //   core.Filled(y).Write<float>() = 2.0f * core.Filled(x).Read<float>();
  Ref Filled(const Ref& window) const;

  // A copy from one memory to another, to be started and waited. Equal shapes and element types (not bool); `done` is
  // one DMA semaphore of this core, which the copy's bytes are counted on. From generation 6 (v6e) on it may be a
  // regular semaphore, which each copy adds 1 to, and which is waited for by Wait.
  AsyncCopy MakeAsyncCopy(const Ref& source, const Ref& target, SemaphoreRef done, Site site = Site::Here());
  // A copy that also pays `receive`, one semaphore of the same kind of any core of the device, when its target is
  // written.
  AsyncCopy MakeAsyncRemoteCopy(const Ref& source, const Ref& target, SemaphoreRef send, SemaphoreRef receive,
                                Site site = Site::Here());
  // Copies and waits.
  void SyncCopy(const Ref& source, const Ref& target, Site site = Site::Here());

  // Adds `units` >= 0 to a regular semaphore, of any core.
  void Signal(SemaphoreRef semaphore, int64_t units = 1, Site site = Site::Here());
  // Blocks until the regular semaphore of this core holds at least `units`, then subtracts them.
  void Wait(SemaphoreRef semaphore, int64_t units = 1, Site site = Site::Here());
  // The same without subtracting.
  void WaitUntil(SemaphoreRef semaphore, int64_t units = 1, Site site = Site::Here());
  // What a semaphore of this core holds (bytes, on a DMA semaphore). Orders nothing.
  int64_t ReadSemaphore(SemaphoreRef semaphore, Site site = Site::Here());

  // Calls body(refs and semaphores in the order asked for) and frees them when it is left.
  template <typename Body, typename... Items>
  void RunScoped(Body&& body, const Items&... items);

  // Gives others `turns` turns before this core goes on.
  void Delay(int64_t turns, Site site = Site::Here());
  // A line on the launch's output, with core, grid point and phase before it.
  void Print(std::string text, Site site = Site::Here());
  // Ends the run with a kernel-error that says `text` unless `condition` holds.
  void Check(bool condition, const std::string& text, Site site = Site::Here());

  // --- For the pipeline, which runs inside the kernel.

  // A copy whose shapes are known to be right, and a wait for `bytes` of such copies. `write` writes the request in
  // place: a view is larger than all else that a request carries.
  template <typename Write>
  void StartCopy(Write&& write, Site site);
  // Marks what the copy names of other cores as used; stops the kernel where it is gone with its scope.
  void UseFromElsewhere(const Ref& source, const Ref& target, const SemaphoreRef& receive) const;
  // Stops the kernel if `target` is an operand that the launch was given with In.
  void RefuseReadOnly(const Ref& target) const;
  void WaitForBytes(const SemaphoreRef& done, int64_t bytes, Site site);
  // Runs body() with these program ids; counts it as a step, during which transfers can overlap.
  template <typename Body>
  void RunBody(const GridEnv& env, Body&& body);
  // Bodies are not called: a pipeline declares their accesses to whole windows instead.
  bool dry() const { return dry_; }
  void PushFrame(PipelineFrame* frame) {
    frame->invocation = invocations_++;
    frames_.push_back(frame);
  }
  void PopFrame() { frames_.pop_back(); }
  // In a handler of what leaves a pipeline: remembers where the kernel stood. The innermost pipeline's word counts.
  void NoteThrow();
  const std::vector<const GridEnv*>& grid_envs() const { return envs_; }
  // Events: made only where somebody observes. Place and core are filled in here.
  bool observing() const { return emits_; }
  void Emit(Event event);

  // What only a checker is told, of the operand whose phase it is.
  bool watched() const { return monitor_ != nullptr; }
  void TellBlockLeft(const Dims& block, int64_t number, int64_t first_step) const;
  void TellIndexChange(const Dims& was, const Stamp& started, const Dims& is) const;

  // Where the kernel stands.
  Place Where(Site site) const;
  Stamp StampOf(Site site) const;
  // The grid, kept for the stamps of this launch.
  const GridInfo* KeepGrid(const Dims& sizes, const Dims& offsets);
  void OnAccess(const Ref& part, AccessMode mode, Site site) override;
  // For the monitor, if there is one: see there.
  void TellUndefined(const Ref& part, WhyUndefined why) const {
    if (monitor_ != nullptr) Tell([&](Monitor& monitor) { monitor.OnUndefine(id_.core, part, why); });
  }
  void TellCarried(const Ref& from, const Ref& to, bool adds) const {
    if (monitor_ != nullptr) Tell([&](Monitor& monitor) { monitor.OnCarry(id_.core, from, to, adds); });
  }

 private:
  friend class TensorCore;
  friend class ScopeKeeper;
  friend class Scope;

  // Thrown to unwind a kernel that was abandoned because another failed or nothing can run.
  struct Unwound {};

  // Hands the request to the core and returns when it is served. `fill` writes it, `take` reads the reply.
  template <typename Fill, typename Take>
  __attribute__((always_inline)) void Trap(Fill fill, Take take) {
    SwitchToCore(fill, take);
    if (__builtin_expect(cancelled_.load(std::memory_order_relaxed), 0)) Unwind();
  }
  template <typename Fill, typename Take>
  __attribute__((always_inline)) void SwitchToCore(Fill fill, Take take) {
    ToggleBody();
    SC_RELEASE(&trap_token_);
    SC_IGNORE_BEGIN();
    fill(request_);
    fiber_.Suspend();
    take(request_);
    SC_IGNORE_END();
    ToggleBody();
  }
  void Unwind();
  // Calls tell(monitor). REQUIRES: there is one.
  template <typename TellIt>
  void Tell(TellIt&& tell) const;
  void EmitAccess(const Ref& part, AccessMode mode, Site site);
  // The innermost grid that has this axis, and its position there.
  std::pair<const GridEnv*, int> AxisOf(const char* call, const std::string& name) const;
  // In a handler: where the exception was thrown, as far as is known.
  Place ThrownAt() const;
  void RefuseUnless(bool condition, const char* what, const SemaphoreRef& semaphore, const char* expected);
  bool CountsOnRegular() const { return chip_->generation >= 6; }
  bool MayCount(const SemaphoreRef& semaphore) const;
  void CheckCopy(const Ref& source, const Ref& target, const SemaphoreRef& done);
  void CheckUnits(const char* call, const SemaphoreRef& semaphore, int64_t units);
  void WaitFor(const SemaphoreRef& semaphore, int64_t units, bool subtract, Site site);

  // While a body runs the epoch is odd; a request inside it is no part of the body's running. On entering and leaving
  // either. Relaxed: the kernel alone writes it, and who reads it orders nothing by it (Transfer::CopyChunk).
  void ToggleBody() {
    if (bodies_ > 0) body_epoch_.store(body_epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Constant after construction.
  const CoreId id_;
  const int num_cores_;
  const ChipSpec* const chip_;
  // Owned by the core's strand; the kernel's while it runs.
  Fiber fiber_;
  Request request_;
  GridEnv launch_env_;
  std::vector<const GridEnv*> envs_;        // innermost last
  Transfer::Request* next_copy_ = nullptr;  // of the core's next free transfer
  std::vector<PipelineFrame*> frames_;
  const std::vector<bool>* writable_ = nullptr;  // by operand of the launch
  std::optional<Place> unwound_at_;
  std::exception_ptr thrown_;  // what NoteThrow was last called for
  Place thrown_at_;
  std::vector<Event> events_;  // not yet handed to the observer
  std::deque<GridInfo> grids_;
  Monitor* monitor_ = nullptr;
  void* host_identity_ = nullptr;  // of the thread that runs the kernel
  bool emits_ = false;             // somebody observes
  bool dry_ = false;
  int bodies_ = 0;  // nested bodies the kernel is in
  int64_t steps_ = 0;
  int64_t invocations_ = 0;
  OrderToken trap_token_;
  // The strand's like all above: it orders every load and store, so all are relaxed. Atomic for the sanitizer alone,
  // to which the core and its kernel are two agents.
  std::atomic<bool> cancelled_{false};
  // Self-synchronised.
  BodyEpoch body_epoch_{0};
};

// The kernel whose code this thread is running, or null: for host code that is called from kernels, such as a test's
// assertions.
const KernelContext* CurrentKernel();

template <typename Write>
void KernelContext::StartCopy(Write&& write, Site site) {
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kStart;
        request.site = site;
        write(*next_copy_);
      },
      [](Request&) {});
}

// The monitor's own synchronisation is none of the kernel's: it runs under the host's identity.
template <typename TellIt>
void KernelContext::Tell(TellIt&& tell) const {
  HiddenFromSanitizer hidden;
  [[maybe_unused]] void* kernel = CurrentIdentity();
  SC_SWITCH(host_identity_);
  {
    HiddenFromSanitizer hidden_from_host;
    tell(*monitor_);
  }
  SC_SWITCH(kernel);
}

template <typename Body, typename... Items>
void KernelContext::RunScoped(Body&& body, const Items&... items) {
  Scope scope(*this);
  const int indices[] = {scope.Add(items)..., 0};
  scope.Allocate(Site{});
  auto item = [&]<typename Item>(const Item*, int i) {
    if constexpr (std::is_same_v<Item, ScopedMemory>) {
      return scope.ref(i);
    } else {
      return scope.semaphore(i);
    }
  };
  [&]<size_t... I>(std::index_sequence<I...>) { body(item(static_cast<const Items*>(nullptr), indices[I])...); }
  (std::index_sequence_for<Items...>());
}

template <typename Body>
void KernelContext::RunBody(const GridEnv& env, Body&& body) {
  // Undone however the body is left.
  struct Inside {
    KernelContext& core;
    Inside(KernelContext& core, const GridEnv& env) : core(core) {
      core.envs_.push_back(&env);
      if (core.bodies_++ == 0) core.ToggleBody();
    }
    ~Inside() {
      if (core.bodies_ == 1) core.ToggleBody();
      --core.bodies_;
      core.envs_.pop_back();
    }
  };
  Inside inside(*this, env);
  ++steps_;
  body();
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_KERNEL_CONTEXT_H_
