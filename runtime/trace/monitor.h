// Monitor: who is told of everything that touches emulated memory or makes order between cores, as it happens: the
// checker. (An Observer is told what happened, in words; a Monitor is called for every access, so what it is given
// costs next to nothing to make.)
//
// Ownership: outlives the launch. Concurrency: calls that name a core come from that core's strand or its kernel, in
// program order; those of different cores come at once. Ordering: a post is told before it lets a wait through, a wait
// after it was let through, a start before the transfer copies.
#ifndef STRANDCORE_RUNTIME_TRACE_MONITOR_H_
#define STRANDCORE_RUNTIME_TRACE_MONITOR_H_

#include <cstdint>
#include <string>

#include "runtime/base/dims.h"
#include "runtime/base/site.h"
#include "runtime/trace/place.h"

namespace strandcore {

class Allocation;
class Ref;

// The grid of a pipeline; outlives the launch.
struct GridInfo {
  Dims sizes;
  Dims offsets;
  friend bool operator==(const GridInfo&, const GridInfo&) = default;
};

// Stamp: where in its program a core is, small enough to be kept for every access. A Place is made of it for a report.
struct Stamp {
  Site site;
  const GridInfo* grid = nullptr;  // null outside a pipeline
  int64_t step = 0;
  int64_t cycle = 0;
  int32_t operand = -1;  // position among the pipeline's operands
  Phase phase = Phase::kKernel;
};

// The grid point of a step, offsets included.
Dims GridPointOf(const GridInfo& grid, int64_t step);
Place PlaceOf(const Stamp& stamp, CoreId core, const std::string& operand);

// Why an element holds nothing that the program put there.
enum class WhyUndefined : uint8_t {
  kDefined,       // it does
  kNeverWritten,  // nothing was written there since its memory was made
  kNewVisit,      // what an output window holds when it begins a block is left from another one
  kBeyondArray,   // beyond the end of an array: its padding, or what a window holds behind a partial block
};

// A semaphore whose scope ends.
struct EndingSemaphore {
  int32_t semaphore = -1;
  bool dma = false;  // its units are bytes
  // Whether cores that do not know yet may pay it after its end.
  bool others_may_pay = false;
};

// A visit of a pipeline to a block of a plain output; the stamp that comes with it says where and when it ends.
struct BlockVisit {
  int64_t invocation = 0;  // of the core: each has a number of its own
  int32_t depth = 0;       // how many pipelines it runs inside of
  int64_t first_step = 0;
  int64_t number = 0;  // the block's, row-major
  const Dims* block = nullptr;
  const std::string* operand = nullptr;
};

// An index map that answers one thing where a copy is started and another where it is waited for.
struct IndexChange {
  const std::string* operand = nullptr;
  const Dims* was = nullptr;
  const Dims* is = nullptr;
  const Stamp* started = nullptr;
};

class Monitor {
 public:
  static constexpr int32_t kNoSemaphore = -1;

  virtual ~Monitor() = default;

  // A semaphore of `core` begins and ends; what it is called, and whether its units are bytes. Ends when its scope
  // does: a transfer that was started on it has been told.
  virtual int32_t AddSemaphore(int32_t core, const std::string& name, bool dma) = 0;
  virtual void EndSemaphore(int32_t core, const EndingSemaphore& ending, const Stamp& stamp) = 0;
  virtual void OnSignal(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) = 0;
  virtual void OnWait(int32_t core, int32_t semaphore, int64_t units, bool subtract, const Stamp& stamp) = 0;

  // A transfer is started: it reads `source`, writes `target` and pays `send` when it is complete; a remote one pays
  // `send` when its source is read and `receive` when its target is written.
  virtual void OnStart(int32_t core, const Ref& source, const Ref& target, int32_t send, int32_t receive, int64_t units,
                       const Stamp& stamp) = 0;

  // The kernel reads or writes a part of memory.
  virtual void OnRead(int32_t core, const Ref& part, const Stamp& stamp) = 0;
  virtual void OnWrite(int32_t core, const Ref& part, const Stamp& stamp) = 0;

  // A pipeline leaves a block of a plain output, one that is neither an accumulator nor an alias.
  virtual void OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp) = 0;
  virtual void OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp) = 0;
  // The kernel asks what a semaphore of its core holds, and may act on it.
  virtual void OnReadSemaphore(int32_t core, int32_t semaphore, const Stamp& stamp) = 0;

  // Scoped memory of `core` ends.
  virtual void OnFree(int32_t core, const Allocation& allocation, const Stamp& stamp) = 0;

  // Before the run: memory of an operand, and whether it holds a value. `same`: of an operand before it that is the
  // same memory, in the same layout; else null.
  virtual void OnOperand(const Allocation& allocation, bool defined, const Allocation* same) = 0;
  // A part of memory holds nothing of use any more.
  virtual void OnUndefine(int32_t core, const Ref& part, WhyUndefined why) = 0;
  // The pipeline itself has made `to` a copy of `from`, or `adds` the one to the other: no use of either, and the
  // result is as defined as they are. Its access was told before.
  virtual void OnCarry(int32_t core, const Ref& from, const Ref& to, bool adds) = 0;
  // After the run: the host gets what an operand holds.
  virtual void OnHandOver(const Allocation& allocation) = 0;

  // The kernel has returned.
  virtual void OnEnd(int32_t core) = 0;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_MONITOR_H_
