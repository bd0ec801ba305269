// RunAgain: a run of the requests in a log, repeated with LaunchOrder, and who knew what from when on.
//
// It makes posts as early and waits as late as it can, so that few posts are late. The log is of a run that happened:
// therefore each wait in it is let through at some time.
//
// Immutable once made.
#ifndef STRANDCORE_RUNTIME_CHECK_RUN_AGAIN_H_
#define STRANDCORE_RUNTIME_CHECK_RUN_AGAIN_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/check/order.h"
#include "runtime/check/order_names.h"
#include "runtime/check/request_log.h"

namespace strandcore {

class RunAgain {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  RunAgain(const RequestLog& log, const OrderRules& rules);

  // The request number from which on `core` knew of `access`; kNever if it did not.
  int64_t KnownFrom(const AccessName& access, int32_t core) const;
  // The request number of a transfer's start.
  int64_t StartOf(int64_t serial) const { return TransferOf(serial).number; }

 private:
  struct Transfer {
    int64_t number;
    AccessEpoch read;
    AccessEpoch written;
  };
  struct Change {
    int64_t number;
    uint64_t value;
  };
  struct Core {
    int64_t next = 0;
    std::vector<uint64_t> ticks;  // of an access, by its number
    std::vector<Transfer> transfers;
    VectorClock clock;                         // as after the last wait
    std::vector<std::vector<Change>> changes;  // of `clock`, by entry
  };

  const Transfer& TransferOf(int64_t serial) const {
    const auto cores = static_cast<int64_t>(cores_.size());
    return cores_[static_cast<size_t>(serial % cores)].transfers[static_cast<size_t>(serial / cores)];
  }
  AccessEpoch EpochOf(const AccessName& access) const;

  // Of the run; gone when it is over.
  struct Machine;
  bool PostAll(Machine& machine, int32_t core);
  bool WaitOnce(Machine& machine, int32_t core);
  void NoteChanges(const VectorClock& clock, Core& core);

  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_RUN_AGAIN_H_
