// Resident: how much memory a piece of work takes at its peak, in a process of its own.
#ifndef STRANDCORE_TESTS_BENCH_RESIDENT_H_
#define STRANDCORE_TESTS_BENCH_RESIDENT_H_

#include <cstdint>
#include <functional>

namespace strandcore::bench {

// The largest resident size, in KiB, of a child process that does `work` and nothing else. Call it before this process
// has grown: the child begins with its memory. Ends the process if the child fails.
int64_t PeakKibibytesOf(const std::function<void()>& work);

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_RESIDENT_H_
