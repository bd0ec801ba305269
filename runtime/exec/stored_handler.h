// StoredHandler: a suspended coroutine's completion handler, kept without an allocation until somebody calls it.
//
// Concurrency: none of its own; who stores and who calls are ordered by their owner's protocol.
#ifndef STRANDCORE_RUNTIME_EXEC_STORED_HANDLER_H_
#define STRANDCORE_RUNTIME_EXEC_STORED_HANDLER_H_

#include <new>
#include <utility>

#include "runtime/base/check.h"

namespace strandcore {

class StoredHandler {
 public:
  StoredHandler() = default;
  ~StoredHandler() {
    if (stored()) destroy_(buffer_);
  }
  StoredHandler(const StoredHandler&) = delete;
  StoredHandler& operator=(const StoredHandler&) = delete;

  template <typename Handler>
  void Store(Handler handler) {
    static_assert(sizeof(Handler) <= sizeof(buffer_));
    STRANDCORE_CHECK(!stored());
    new (buffer_) Handler(std::move(handler));
    call_ = [](void* at) {
      Handler local(std::move(*static_cast<Handler*>(at)));
      static_cast<Handler*>(at)->~Handler();
      local();
    };
    destroy_ = [](void* at) { static_cast<Handler*>(at)->~Handler(); };
  }
  bool stored() const { return call_ != nullptr; }
  // Resumes the coroutine; it may store its next handler before this returns. REQUIRES: stored().
  void Call() {
    auto call = std::exchange(call_, nullptr);
    call(buffer_);
  }

 private:
  alignas(16) unsigned char buffer_[48];
  void (*call_)(void*) = nullptr;
  void (*destroy_)(void*) = nullptr;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_STORED_HANDLER_H_
