#include "runtime/trace/event.h"

namespace strandcore {

const char* EventName(Event::Kind kind) {
  static constexpr const char* kNames[] = {
      "cycle", "copy_in",   "wait_in",  "copy_out", "wait_out",   "set_accumulator", "accumulate",
      "body",  "body_end",  "postyeet", "kernel",   "kernel_end", "start",           "transfer_done",
      "wait",  "wait_done", "signal",   "read",     "write",      "allocate",        "free",
  };
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<size_t>(Event::Kind::kFree) + 1);
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace strandcore
