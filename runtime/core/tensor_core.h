// TensorCore: one emulated core: a strand, the fiber its kernel runs on, its memory and semaphores. Every interaction
// of a kernel passes here, as a request.
//
//             Post                 request served
//   idle ───────────► running ◄─────────────────┐
//                      │  └───────────────────────┘
//                      ├─ wait not granted ─► waiting ── the semaphore wakes it ─► running
//                      └─ the kernel returns, or is unwound ─► ended
//
// Ownership: owns its fiber, scopes and transfers. Concurrency: all of it belongs to the core's strand; between runs,
// and once the machine is quiet, to the simulator.
// Ordering: program order; launch -> first instruction; last instruction -> the report. Strand and host threads add
// none that ThreadSanitizer sees (exec/agent_identity.h).
#ifndef STRANDCORE_RUNTIME_CORE_TENSOR_CORE_H_
#define STRANDCORE_RUNTIME_CORE_TENSOR_CORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/core/in_flight.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/launch_state.h"
#include "runtime/core/scope_keeper.h"
#include "runtime/dma/engine.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/exec/executor.h"
#include "runtime/exec/stack_pool.h"

namespace strandcore {

// The DMA engines a core starts its transfers on, by direction.
struct CoreEngines {
  DmaEngine* in = nullptr;   // out of HBM, and all that does not touch HBM
  DmaEngine* out = nullptr;  // into HBM
};

class TensorCore final : public Agent {
 public:
  enum class State : uint8_t { kIdle, kRunning, kWaiting, kEnded };

  TensorCore(CoreId id, int num_cores, const ChipSpec& chip, const MemoryLimits& limits, Executor& executor,
             CoreEngines engines);
  ~TensorCore() = default;

  // Makes the kernel ready to run over these operands; the first step is posted by Post.
  absl::Status Launch(LaunchState& launch, std::vector<Ref> operands, const std::vector<std::string>& operand_names,
                      StackPool& stacks);
  void Post() { strand_->Post(*this); }
  // After a Launch that was not followed by Post: the kernel never begins.
  void DropUnstarted();
  void Step() override;
  bool IsYielding() const override { return yielding_; }

  // Once the machine is quiet:
  State state() const { return state_; }
  const Request& request() const { return context_.request_; }
  // Where the last request was made.
  Place Where() const;
  Stamp Stamped() const;
  // Where the kernel was when it was told to unwind; empty if it ended by itself.
  const std::optional<Place>& unwound_at() const { return context_.unwound_at_; }
  // Unwinds a kernel that waits and will never be woken; post it afterwards.
  void Cancel();
  // Once the kernel has ended: gives back what it held. A failed run's transfers count as waited for.
  void Finish(bool failed);
  Counters TakeCounters();
  // Allocations, semaphores and fibers that are still there; 0 after Finish.
  int64_t held() const { return scopes_.held() + (context_.fiber_.alive() ? 1 : 0); }

  CoreId id() const { return context_.id(); }
  InFlight& in_flight() { return in_flight_; }
  ScopeKeeper& scopes() { return scopes_; }
  KernelContext& context() { return context_; }

 private:
  enum class Served : uint8_t { kGoOn, kPark, kYield, kEnd };

  static void RunKernel(void* core);
  void RunKernelHere();
  void ReportThrown();
  void EnterKernel(Fiber::ExceptionState* thread);
  void As(OrderToken& token, bool acquire);
  bool GrantWait();
  Served Serve();
  Served ServeStart();
  Served ServeWait(Request& request);
  Served ServeScope(Request& request);
  Served ServeEnd();
  Served GiveUp();
  void CountCopy(const Transfer::Request& copy);
  void WakeEngine(DmaEngine& engine);
  void HelpEngines();
  void GiveWay();
  void FlushEvents();
  // `started`: the transfer, of kStart.
  void EmitRequest(Event::Kind kind, const Transfer* started);
  bool WithinStepLimit();

  // Constant after construction.
  const std::unique_ptr<Strand> strand_;
  const int steps_per_turn_;
  const bool picks_transfers_;
  const CoreEngines engines_;
  // The strand's.
  KernelContext context_;
  ScopeKeeper scopes_;
  InFlight in_flight_;
  Transfer::Home home_;
  LaunchState* launch_ = nullptr;
  std::vector<Ref> operands_;
  Counters counters_;
  State state_ = State::kIdle;
  bool yielding_ = false;
  bool entered_ = false;
  int64_t delay_left_ = 0;
  int64_t requests_ = 0;
  int64_t swallowed_ = 0;  // requests made after the kernel was told to unwind
  int idle_engines_ = 0;   // engines this core has given work to and must help or wake
  DmaEngine* idle_engine_[2] = {};
  AgentIdentity identity_;
  OrderToken launch_token_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_TENSOR_CORE_H_
