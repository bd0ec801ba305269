// Request: what a kernel asks of its TensorCore. The kernel writes it into the core's own memory and switches to the
// core, which serves it and resumes the kernel, or parks it.
//
// Concurrency: the core's; written by the kernel only while it runs.
#ifndef STRANDCORE_RUNTIME_CORE_REQUEST_H_
#define STRANDCORE_RUNTIME_CORE_REQUEST_H_

#include <cstdint>
#include <string>

#include "runtime/base/site.h"
#include "runtime/semaphore/semaphore_ref.h"

namespace strandcore {

class Scope;

struct Request {
  enum class Kind : uint8_t {
    kNone,
    kStart,     // the copy is written into the next transfer
    kWait,      // semaphore, amount, subtract
    kSignal,    // semaphore, amount
    kRead,      // semaphore -> amount
    kDelay,     // amount: turns
    kAllocate,  // scope
    kFree,      // scope
    kPrint,     // text
    kDone,      // the kernel has returned
  };
  Kind kind = Kind::kNone;
  bool subtract = true;
  Site site;
  int64_t amount = 0;  // also the reply of kRead
  OneSemaphore semaphore;
  Scope* scope = nullptr;
  std::string text;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_REQUEST_H_
