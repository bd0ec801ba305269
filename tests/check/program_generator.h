// GenerateOrderProgram: random small programs with enough synchronisation that many are clean and most end.
#ifndef STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_
#define STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_

#include <cstdint>

#include "tests/check/order_program.h"

namespace strandcore {

// The same seed gives the same program.
OrderProgram GenerateOrderProgram(uint64_t seed);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_PROGRAM_GENERATOR_H_
