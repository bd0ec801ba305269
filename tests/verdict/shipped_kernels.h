// The shipped kernels, each as one small job: what it runs on, and its operands afresh for every run.
#ifndef STRANDCORE_TESTS_VERDICT_SHIPPED_KERNELS_H_
#define STRANDCORE_TESTS_VERDICT_SHIPPED_KERNELS_H_

#include <string>
#include <vector>

#include "runtime/strandcore.h"

namespace strandcore {

struct ShippedKernel {
  struct Argument {
    std::string name;
    Array array;
    Operand::Direction direction;
    MemorySpace space = MemorySpace::kHbm;
  };
  std::string name;
  int cores = 1;
  RefFunction kernel;
  std::vector<Argument> arguments;
};

// All of kernels/, over arrays of a few blocks; those that can on two cores, and each schedule where it matters.
std::vector<ShippedKernel> ShippedKernels();

struct ShippedRun {
  RunReport report;
  std::vector<Array> results;  // what the run wrote
};
// Over copies of the kernel's arrays.
ShippedRun RunShipped(Simulator& simulator, const ShippedKernel& kernel);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_VERDICT_SHIPPED_KERNELS_H_
