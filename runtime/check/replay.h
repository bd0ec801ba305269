// Replay: the requests of a run once more, in an order that depends on the input alone: core after core, each as far as
// its waits let it. Every transfer completes at its start.
#ifndef STRANDCORE_RUNTIME_CHECK_REPLAY_H_
#define STRANDCORE_RUNTIME_CHECK_REPLAY_H_

#include <functional>

#include "runtime/check/access_log.h"
#include "runtime/check/request_log.h"

namespace strandcore {

// Calls visit(access) for each logged access; whatever the order of a run, no access comes before one that it is
// ordered after. REQUIRES: neither log is cut.
void ForEachInOneOrder(const RequestLog& requests, const AccessLog& accesses,
                       const std::function<void(const LoggedAccess&)>& visit);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REPLAY_H_
