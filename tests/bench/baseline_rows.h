// Rows of baseline/hot_path.cc, the prototype that found the shape of the hot path, as plain functions: what the
// benchmarks measure against, in the same process. Each answers nanoseconds, taken inside, without its start-up.
//
// A *tile* is a copy in and a copy out of `bytes`, over four blocks of a double-buffered pipeline without any logic.
//
// Concurrency: one call at a time (the prototype keeps the size in a global).
#ifndef STRANDCORE_TESTS_BENCH_BASELINE_ROWS_H_
#define STRANDCORE_TESTS_BENCH_BASELINE_ROWS_H_

#include <cstddef>

namespace strandcore::bench {

// Row 0: two memcpy a tile and nothing else.
double TwoMemcpyTile(int tiles, size_t bytes);
// Row A: a coroutine for the core and one for each engine, Asio's experimental channels between them.
double NaiveChannelsTile(int threads, int tiles, size_t bytes);
// Row K2: the core resumes the idle engine's coroutine in place before it parks.
double FastestShapeTile(int threads, int tiles, size_t bytes);

// What a launch cannot do without: one post to a pool of threads, waited for by the caller ...
double PoolRoundTrip(int threads, int times);
// ... and, on the caller's own thread, a fiber made, run and ended (its stack kept).
double FiberRoundTrip(int times);

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_BASELINE_ROWS_H_
