// OpenSemaphores: which semaphores are left with units of which nobody can say whose they are, in every schedule alike.
// (While a run lasts SemaphoreOrder knows the same by the run's own order, which a late post makes too strong.)
//
// Concurrency: none; used when the run is over.
#ifndef STRANDCORE_RUNTIME_CHECK_OPEN_SEMAPHORES_H_
#define STRANDCORE_RUNTIME_CHECK_OPEN_SEMAPHORES_H_

#include <cstdint>
#include <vector>

#include "runtime/check/access_log.h"
#include "runtime/check/order_names.h"
#include "runtime/check/request_log.h"

namespace strandcore {

// In ascending order. REQUIRES: neither log is cut.
std::vector<LoggedSemaphore> OpenSemaphores(const RequestLog& requests, const AccessLog& accesses,
                                            const OrderRules& rules = {});

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_OPEN_SEMAPHORES_H_
