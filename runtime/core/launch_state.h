// LaunchState: what the cores of one run share: the kernel, the options, and the first thing that went wrong.
//
// Ownership: the simulator's, for one run. Concurrency: constant while the run is on, but for what is guarded.
#ifndef STRANDCORE_RUNTIME_CORE_LAUNCH_STATE_H_
#define STRANDCORE_RUNTIME_CORE_LAUNCH_STATE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/core/ref_function.h"
#include "runtime/memory/access_port.h"
#include "runtime/memory/storage.h"
#include "runtime/trace/event.h"
#include "runtime/trace/monitor.h"
#include "runtime/trace/place.h"

namespace strandcore {

// Who copies a transfer's bytes, and when.
enum class DmaMode : uint8_t {
  kOverlap,  // engines on their own strands, beside the bodies: what stress runs use
  kHelp,     // a core that is about to park copies in place, without a post: for speed; a transfer of 64 KiB or more
             // wakes its engine
  kSynchronous,  // each copy is complete when its start returns: what still goes wrong is the body's fault
};

// Why a kernel ended before its end.
struct Failure {
  enum class Cause { kRefusal, kKernelError, kStepLimit };
  Cause cause = Cause::kRefusal;
  absl::Status status;  // the refusal's, or the kernel's own error as a status
  Place place;
  Site after = {};  // of a kernel error whose line is not known: where the kernel made its last request
};

class LaunchState {
 public:
  RefFunction kernel;
  std::vector<bool> writable;                      // by operand
  std::vector<std::string> axis_names = {"core"};  // of the launch's own grid
  Observer* observer = nullptr;
  Monitor* monitor = nullptr;
  DmaMode dma = DmaMode::kOverlap;
  bool dry = false;          // bodies are not called
  bool hbm_allowed = false;  // kernels load and store HBM directly
  Bounds bounds = Bounds::kLogical;
  OutOfRangeReads out_of_range_reads = OutOfRangeReads::kFault;
  Fill fresh = Fill::kPoison;  // what scoped memory holds at first
  int64_t step_limit = 0;      // requests a core may make; 0: any number
  int64_t started = 0;         // transfers, of all cores; counted only where one thread picks them

  // The first failure is kept; every core ends at its next request.
  void Fail(Failure failure) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!first_.has_value()) first_ = std::move(failure);
    // Relaxed: it says only that somebody failed; what failed is read under the mutex or after the run.
    stopping_.store(true, std::memory_order_relaxed);
  }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  void Print(std::string line) {
    std::lock_guard<std::mutex> lock(mutex_);
    printed_.push_back(std::move(line));
  }

  // After the run.
  const std::optional<Failure>& first_failure() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return first_;
  }
  std::vector<std::string>& printed() { return printed_; }

 private:
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::optional<Failure> first_;      // guarded by mutex_
  std::vector<std::string> printed_;  // guarded by mutex_
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_LAUNCH_STATE_H_
