// CopyTiles: the copy pipeline that several benchmarks time: EmitPipeline over float32 tiles, one input, one output,
// an empty body. Each core has blocks of its own, few enough to stay in its cache, and goes through them again and
// again.
//
//   x: block 0 1 2 3 0 1 2 3 ...  ──►  window  │ empty body │  window  ──►  y: block 0 1 2 3 0 1 2 3 ...
//
// Ownership: owns its simulator and arrays. Concurrency: one call at a time.
#ifndef STRANDCORE_TESTS_BENCH_COPY_TILES_H_
#define STRANDCORE_TESTS_BENCH_COPY_TILES_H_

#include <cstdint>

#include "runtime/strandcore.h"

namespace strandcore::bench {

struct CopyTilesOptions {
  SimulatorOptions simulator = {};
  Dims tile = {8, 128};
  int64_t blocks = 4;         // of a core, as in baseline/hot_path.cc
  int64_t steps = 16;         // of an invocation
  int64_t invocations = 250;  // in a launch, each a first and a last cycle
  bool keep_buffers = true;   // one MakeAllocations for all invocations, else each has buffers of its own
  bool check = false;         // whether the checker watches
};

class CopyTiles {
 public:
  explicit CopyTiles(const CopyTilesOptions& options);

  // In a launch, of all cores.
  int64_t tiles() const { return options_.simulator.cores * options_.steps * options_.invocations; }
  // Of one launch, from the call of Run to its return.
  double Seconds();

 private:
  void Kernel(KernelContext& core, const Ref& x, const Ref& y) const;

  const CopyTilesOptions options_;
  Simulator simulator_;
  Array x_;
  Array y_;
  Pipeline pipeline_;
};

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_COPY_TILES_H_
