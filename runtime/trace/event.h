// Event: one thing that happened in the emulated program, as a value; Observer: who wants to know.
//
// Events are made only while a launch has an observer. Those of one core come in its program order; those of
// different cores, and completions of transfers, may come at once from different threads.
#ifndef STRANDCORE_RUNTIME_TRACE_EVENT_H_
#define STRANDCORE_RUNTIME_TRACE_EVENT_H_

#include <cstdint>
#include <string>

#include "runtime/base/dims.h"
#include "runtime/trace/place.h"

namespace strandcore {

struct Event {
  enum class Kind : uint8_t {
    // Of a pipeline. A copy is named when it is started, a wait when it begins.
    kCycle,           // an invocation begins; place.cycle is its number
    kCopyIn,          // slot, start, size: the block of the source
    kWaitIn,          // start, size
    kCopyOut,         // slot, start, size: the block of the target
    kWaitOut,         // start, size
    kSetAccumulator,  // amount: 1 when zeroed, 0 when loaded
    kAccumulate,
    kBody,      // start: the grid point; size: the grid as the body sees it
    kBodyEnd,   //
    kPostyeet,  // a postyeet callback is called
    // Of the machine.
    kKernelBegin,
    kKernelEnd,
    kStart,         // a transfer is started: transfer, amount (bytes)
    kTransferDone,  // it is complete: transfer, amount
    kWait,          // a wait begins: semaphore, amount
    kWaitDone,      // it returns
    kSignal,        // semaphore, amount
    kRead,          // an access to memory: start, size in the allocation's coordinates, operand
    kWrite,
    kAllocate,  // operand: the allocation's name; amount: bytes
    kFree,
  };
  Kind kind = Kind::kCycle;
  Place place;
  int32_t slot = -1;
  Dims start;
  Dims size;
  int64_t amount = 0;
  uint64_t transfer = 0;  // number of the transfer on its core, from 1
  std::string semaphore;
};

// "copy_in", "wait_in", ...
const char* EventName(Event::Kind kind);

class Observer {
 public:
  virtual ~Observer() = default;
  // Concurrency: see above. Must not call into the simulator that calls it.
  virtual void OnEvent(const Event& event) = 0;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_EVENT_H_
