// Simulator: one device with TensorCores and DMA engines, and the executor they run on. The only room that knows all
// others.
//
//   Simulator simulator({.cores = 2, .threads = 2});
//   RunReport report = simulator.Run(kernel, {In("x", x), Out("y", y)});
//
// A run that fails, whatever the reason, ends with a report; everything the kernels held is given back and the
// simulator can be used again. Any number of simulators may live in a process.
//
// Ownership: owns its cores, engines, stacks and threads. Concurrency: one run at a time; a second one that is asked
// for meanwhile is refused.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_SIMULATOR_H_
#define STRANDCORE_RUNTIME_SIMULATOR_SIMULATOR_H_

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "runtime/core/chip_spec.h"
#include "runtime/core/ref_function.h"
#include "runtime/core/tensor_core.h"
#include "runtime/dma/engine.h"
#include "runtime/exec/executor.h"
#include "runtime/exec/pick_policy.h"
#include "runtime/exec/stack_pool.h"
#include "runtime/simulator/operand.h"
#include "runtime/simulator/run_report.h"
#include "runtime/trace/event.h"

namespace strandcore {

class CheckerHook;

struct SimulatorOptions {
  Chip chip = Chip::kV5e;
  int cores = 1;
  int engines = 0;  // DMA engines; 0: two a core, 16 at most
  // Real concurrency on this many threads; or, with 0, one thread and a policy (eager if none is given).
  int threads = 0;
  std::optional<Policy> policy = std::nullopt;
  DmaMode dma = DmaMode::kOverlap;
  // Bytes of memory, per core but for HBM; 0: the chip's.
  int64_t vmem_bytes = 0;
  int64_t smem_bytes = 0;
  int64_t hbm_bytes = 0;
  // What memory holds at first: scoped memory, scratch operands, and operands given with Out.
  Fill fresh = Fill::kPoison;
  // Direct loads and stores of HBM in kernels: refused, with advice to copy, or allowed.
  bool allow_hbm_access = false;
  // Where indices and slices may reach in kernels, and what a read that reaches further gives (bounds.h). An index
  // map's blocks are checked by the pipeline, which does not ask for these.
  Bounds bounds = Bounds::kLogical;
  OutOfRangeReads out_of_range_reads = OutOfRangeReads::kFault;
  // Bodies are not called; each counts as reading its input windows and writing its output windows whole. Outputs come
  // back as poison.
  bool dry = false;
  int64_t stack_bytes = 256 * 1024;  // of a kernel; Eigen may take half of it
  // Requests that a core may make in a run; 0: any number. A kernel that makes none cannot be stopped.
  int64_t step_limit = 0;
  // Whether the checker watches: races, memory freed under a copy, copies that nobody waited for (Verdict).
  bool check = true;
  // Faults that a report holds of those that the checker finds, and notes; 0: any number. More are counted alone.
  int max_faults = 100;
  Observer* observer = nullptr;  // must outlive the simulator
};

class Simulator {
 public:
  explicit Simulator(const SimulatorOptions& options = {});
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // Refused options, if any; every run then reports them.
  const absl::Status& status() const { return status_; }
  const SimulatorOptions& options() const { return options_; }

  // Runs `kernel` once on every core, over these operands, and returns when all have ended.
  RunReport Run(const RefFunction& kernel, const Operands& operands);

  // What is still held: allocations, semaphores, fibers, stacks. 0 between runs.
  int64_t held() const;

 private:
  friend class CheckerHook;

  void Build();
  absl::Status Start(const RefFunction& kernel, const Operands& operands, class OperandMemory& memory,
                     LaunchState& launch);
  void RunToTheEnd(LaunchState& launch, const class Checker* checker, RunReport& report);
  void AddVerdict(class Checker& checker, RunReport& report) const;
  // Kernels that wait for ever are unwound.
  void UnwindWaiting();
  void ReportFailure(LaunchState& launch, RunReport& report) const;
  absl::Status StillRunning(const absl::Status& status) const;

  // Constant after construction.
  const SimulatorOptions options_;
  absl::Status status_;
  MemoryLimits limits_;
  int64_t hbm_bytes_ = 0;
  std::unique_ptr<StackPool> stacks_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::unique_ptr<DmaEngine>> engines_;
  std::vector<std::unique_ptr<TensorCore>> cores_;
  CheckerHook* hook_ = nullptr;  // for the runtime's own tests
  // Self-synchronised.
  std::atomic<bool> running_{false};
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_SIMULATOR_H_
