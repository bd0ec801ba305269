// GenerateKernel: random small kernels with enough synchronisation that many are clean and most end.
#ifndef STRANDCORE_TESTS_VERDICT_KERNEL_GENERATOR_H_
#define STRANDCORE_TESTS_VERDICT_KERNEL_GENERATOR_H_

#include <cstdint>

#include "tests/verdict/kernel_program.h"

namespace strandcore {

// The same seed gives the same kernel. With `steps` larger ones than a search can judge.
KernelProgram GenerateKernel(uint64_t seed, int steps = 0);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_VERDICT_KERNEL_GENERATOR_H_
