// RunKernel: a KernelProgram as a real kernel on a simulator, and what its report says, in the names of the unrolled
// program.
#ifndef STRANDCORE_TESTS_VERDICT_KERNEL_RUN_H_
#define STRANDCORE_TESTS_VERDICT_KERNEL_RUN_H_

#include <string>

#include "runtime/simulator/checker_hook.h"
#include "runtime/simulator/simulator.h"
#include "tests/verdict/kernel_program.h"

namespace strandcore {

struct KernelRun {
  RunReport report;
  KernelVerdict verdict;
};

// `options` but for the number of cores. A kernel that is expected to `block` ends with cores that wait for ever, so
// that nothing ends before it. A `hook` comes between simulator and checker.
KernelRun RunKernel(const KernelProgram& program, const UnrolledKernel& unrolled, bool blocks, SimulatorOptions options,
                    CheckerHook* hook = nullptr);
// The name of an access in the unrolled program: "c1.4", "t2.read".
std::string NameOfAccess(const UnrolledKernel& unrolled, int core, Site site, AccessKind kind);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_VERDICT_KERNEL_RUN_H_
