// The pipelines of this demo. Each adds x to z, a block at a time: z is an accumulator, so its old blocks are copied in
// and its new ones out.
#ifndef STRANDCORE_DEMOS_05_SCHEDULES_THAT_RACE_PIPELINES_H_
#define STRANDCORE_DEMOS_05_SCHEDULES_THAT_RACE_PIPELINES_H_

#include <string>

#include "absl/types/span.h"
#include "runtime/strandcore.h"

// One pipeline, run `cycles` times over the same buffers. Cycle c adds x[c] to all of z.
struct Demonstration {
  std::string title;
  std::string repair;  // what the repaired one does instead
  int64_t cycles;
  int64_t blocks;   // of z, of 8 rows each
  int64_t steps;    // that each block of z stays
  int64_t restart;  // the cycle that sets z to zero; -1: none
  // Takes x, old, which holds what z does, and z.
  strandcore::RefFunction (*make)(const Demonstration& demonstration, bool repaired);

  strandcore::Dims XShape() const { return {cycles, blocks * 8, steps * 128}; }
  strandcore::Dims ZShape() const { return {blocks * 8, 128}; }
  strandcore::Array PlainLoop(const strandcore::Array& x, const strandcore::Array& old) const;
};

absl::Span<const Demonstration> Demonstrations();

#endif  // STRANDCORE_DEMOS_05_SCHEDULES_THAT_RACE_PIPELINES_H_
