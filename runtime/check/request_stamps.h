// RequestStamps: where in their program the cores made their last requests, for what is said of them in a report.
//
// Of each core the last `capacity` are kept, in memory that grows to that and no further.
//
// Concurrency: each core's list belongs to its strand; other cores' are read when all are done.
#ifndef STRANDCORE_RUNTIME_CHECK_REQUEST_STAMPS_H_
#define STRANDCORE_RUNTIME_CHECK_REQUEST_STAMPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/trace/monitor.h"

namespace strandcore {

class RequestStamps {
 public:
  static constexpr int64_t kNoTransfer = -1;

  RequestStamps(int32_t cores, size_t capacity) : capacity_(capacity), cores_(static_cast<size_t>(cores)) {}

  // The request `number` of `core`, which come in order from 0; `serial`: of the transfer that it starts.
  void Append(int32_t core, int64_t number, int64_t serial, const Stamp& stamp) {
    std::vector<Entry>& list = cores_[static_cast<size_t>(core)].list;
    if (list.size() < capacity_) {
      list.push_back({number, serial, stamp});
    } else {
      list[static_cast<size_t>(number) % capacity_] = {number, serial, stamp};
    }
  }
  // Null if it is gone.
  const Stamp* OfRequest(int32_t core, int64_t number) const {
    const std::vector<Entry>& list = cores_[static_cast<size_t>(core)].list;
    const size_t at = static_cast<size_t>(number) % capacity_;
    return at < list.size() && list[at].number == number ? &list[at].stamp : nullptr;
  }
  const Stamp* OfTransfer(int32_t core, int64_t serial) const {
    for (const Entry& entry : cores_[static_cast<size_t>(core)].list) {
      if (entry.serial == serial) return &entry.stamp;
    }
    return nullptr;
  }

 private:
  struct Entry {
    int64_t number;
    int64_t serial;
    Stamp stamp;
  };
  struct alignas(64) Core {
    std::vector<Entry> list;
  };
  const size_t capacity_;
  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REQUEST_STAMPS_H_
