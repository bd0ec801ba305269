#include "runtime/exec/agent_identity.h"

#ifdef STRANDCORE_TSAN

#include <mutex>

namespace strandcore {
namespace {

// A new sanitizer fiber inherits its creator's order, so all are made from one that has never acquired anything.
void* NewIdentity() {
  static std::mutex mutex;
  static void* nursery = __tsan_create_fiber(0);
  std::lock_guard<std::mutex> lock(mutex);
  void* here = CurrentIdentity();
  SC_SWITCH(nursery);
  void* identity = __tsan_create_fiber(0);
  SC_SWITCH(here);
  return identity;
}

}  // namespace

AgentIdentity::AgentIdentity() : identity_(NewIdentity()) {}

AgentIdentity::~AgentIdentity() { __tsan_destroy_fiber(identity_); }

void AgentIdentity::Renew() {
  __tsan_destroy_fiber(identity_);
  identity_ = NewIdentity();
}

}  // namespace strandcore

#endif  // STRANDCORE_TSAN
