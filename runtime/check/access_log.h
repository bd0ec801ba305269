// AccessLog: the accesses of each core, in its order, kept so that they can be judged again under another order. A
// transfer's are logged by the core that starts it, before the start.
//
// Concurrency: each core's list belongs to its strand; it is read when all cores are done.
#ifndef STRANDCORE_RUNTIME_CHECK_ACCESS_LOG_H_
#define STRANDCORE_RUNTIME_CHECK_ACCESS_LOG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/check/region.h"
#include "runtime/check/shadow_cell.h"

namespace strandcore {

struct LoggedAccess {
  SeenAccess access;
  int64_t before = 0;  // the number of its core's next request
  int32_t shadow = 0;
  Region region;
};

class AccessLog {
 public:
  AccessLog(int32_t cores, size_t capacity) : capacity_(capacity), cores_(static_cast<size_t>(cores)) {}

  // Cut from the first access on whose memory has no number (`shadow` < 0) or that there is no room for.
  void Append(int32_t core, int32_t shadow, const LoggedAccess& access) {
    Core& own = cores_[static_cast<size_t>(core)];
    if (own.list.size() < capacity_ && shadow >= 0 && !own.cut) {
      own.list.push_back(access);
    } else {
      own.cut = true;
    }
  }
  const std::vector<LoggedAccess>& Of(int32_t core) const { return cores_[static_cast<size_t>(core)].list; }
  bool cut() const {
    for (const Core& core : cores_) {
      if (core.cut) return true;
    }
    return false;
  }

 private:
  struct alignas(64) Core {
    std::vector<LoggedAccess> list;
    bool cut = false;
  };
  const size_t capacity_;
  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_ACCESS_LOG_H_
