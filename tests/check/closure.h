// JudgeByClosure: judges a program without visiting its states. Since a step once enabled stays enabled, two accesses
// race exactly if both can be reached while neither may end: so for each pair the program is run as far as it goes.
// Includes nothing of runtime/. For programs too large for SearchAllSchedules, with which it agrees.
#ifndef STRANDCORE_TESTS_CHECK_CLOSURE_H_
#define STRANDCORE_TESTS_CHECK_CLOSURE_H_

#include "tests/check/order_program.h"

namespace strandcore {

OrderVerdict JudgeByClosure(const OrderProgram& program);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_CLOSURE_H_
