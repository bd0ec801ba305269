// GenerateOrderProgram: random small programs with enough synchronisation that many are clean and most end.
#ifndef STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_
#define STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_

#include <cstdint>

#include "tests/check/order_program.h"

namespace strandcore {

// The same seed gives the same program. With `steps` larger ones than a search can judge.
OrderProgram GenerateOrderProgram(uint64_t seed, int steps = 0);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_
