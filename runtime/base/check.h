// STRANDCORE_CHECK: ends the process with a message when the runtime itself is wrong. Never for a caller's mistake
// (that is an absl::Status) nor for a fault of the emulated program (that is a Fault in the report).
#ifndef STRANDCORE_RUNTIME_BASE_CHECK_H_
#define STRANDCORE_RUNTIME_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace strandcore {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: Strandcore's own bug: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace strandcore

#define STRANDCORE_CHECK(condition)                              \
  do {                                                           \
    if (__builtin_expect(!(condition), 0)) {                     \
      ::strandcore::CheckFailed(#condition, __FILE__, __LINE__); \
    }                                                            \
  } while (false)

#endif  // STRANDCORE_RUNTIME_BASE_CHECK_H_
