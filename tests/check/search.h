// SearchAllSchedules: judges an OrderProgram by visiting every state that some schedule reaches, with real counters. It
// knows no clocks and includes nothing of runtime/: what it says is what the checker has to say.
#ifndef STRANDCORE_TESTS_CHECK_SEARCH_H_
#define STRANDCORE_TESTS_CHECK_SEARCH_H_

#include <cstddef>
#include <optional>

#include "tests/check/order_program.h"

namespace strandcore {

// Nothing if there are more than `limit` states. Two conflicting accesses race if in some state both are in progress: a
// core's may begin and has not ended, a transfer's is between its start and the completion of that half.
std::optional<OrderVerdict> SearchAllSchedules(const OrderProgram& program, size_t limit);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_SEARCH_H_
