#include "runtime/check/replay.h"

#include <cstdint>
#include <vector>

namespace strandcore {
namespace {

class Machine {
 public:
  Machine(const RequestLog& requests, const AccessLog& accesses, const std::function<void(const LoggedAccess&)>& visit)
      : requests_(requests), accesses_(accesses), visit_(visit), cores_(static_cast<size_t>(requests.cores())) {
    for (int32_t c = 0; c < requests.cores(); ++c) {
      for (int32_t n = 0; n < requests.SemaphoresOf(c); ++n) {
        const LoggedSemaphore name = requests.NameOf(c, n);
        Held(name) = requests.HeldAtFirst(name);
      }
    }
  }

  void Run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int32_t c = 0; c < requests_.cores(); ++c) moved |= GoOn(c);
    }
  }

 private:
  struct Core {
    size_t request = 0;
    size_t access = 0;
  };

  int64_t& Held(LoggedSemaphore semaphore) {
    if (static_cast<size_t>(semaphore) >= held_.size()) held_.resize(static_cast<size_t>(semaphore) + 1);
    return held_[static_cast<size_t>(semaphore)];
  }

  // Until a wait that holds it up, or its end.
  bool GoOn(int32_t c) {
    Core& core = cores_[static_cast<size_t>(c)];
    const Core before = core;
    for (;;) {
      const std::vector<LoggedAccess>& accesses = accesses_.Of(c);
      while (core.access < accesses.size() && accesses[core.access].before <= static_cast<int64_t>(core.request)) {
        visit_(accesses[core.access++]);
      }
      if (core.request == requests_.CountOf(c) || !Serve(requests_.Of(c, core.request))) break;
      ++core.request;
    }
    return core.request != before.request || core.access != before.access;
  }

  bool Serve(const LoggedRequest& request) {
    using Kind = LoggedRequest::Kind;
    if (request.kind == Kind::kSignal || request.kind == Kind::kStart) {
      Held(request.semaphore) += request.units;
      if (request.receive != kNotLogged) Held(request.receive) += request.receive_units;
      return true;
    }
    if (Held(request.semaphore) < request.units) return false;
    if (request.kind == Kind::kWait) Held(request.semaphore) -= request.units;
    return true;
  }

  const RequestLog& requests_;
  const AccessLog& accesses_;
  const std::function<void(const LoggedAccess&)>& visit_;
  std::vector<Core> cores_;
  std::vector<int64_t> held_;
};

}  // namespace

void ForEachInOneOrder(const RequestLog& requests, const AccessLog& accesses,
                       const std::function<void(const LoggedAccess&)>& visit) {
  Machine(requests, accesses, visit).Run();
}

}  // namespace strandcore
