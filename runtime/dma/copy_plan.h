// CopyPlan: a copy between two views as rows of contiguous bytes, in as few loops as the layouts allow.
//
//   view (8, 128) of a (64, 512) float32 array  ->  8 rows of 512 bytes
//   the same block of a (64, 128) array         ->  1 row of 4,096 bytes
//
// A block at an array's edge is rounded up to the tile (seed_pipeline.md 1.3) and may run past the physical memory of
// a view or of adopted host memory; a kernel's view may reach outside its array where the launch permits it
// (bounds.h). What lies outside the source reads as poison, what lies outside the target is dropped.
//
// Concurrency: owned by its transfer.
#ifndef STRANDCORE_RUNTIME_DMA_COPY_PLAN_H_
#define STRANDCORE_RUNTIME_DMA_COPY_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "runtime/base/dims.h"
#include "runtime/memory/ref.h"

namespace strandcore {

class CopyPlan {
 public:
  // REQUIRES: equal shapes and dtypes; uses of either that are permitted.
  void Prepare(const Ref& source, const Ref& target);
  // Copies the next chunk of about `chunk_bytes`; true when nothing is left.
  bool CopyChunk(int64_t chunk_bytes);

 private:
  struct Loop {
    int64_t count;
    int64_t source_stride;  // bytes
    int64_t target_stride;
  };
  // For views that overrun: how much of `count` lies within both. Where only the target does, it gets poison.
  static bool Clip(const Ref& source, const Ref& target, Dims* count);
  void AddLoop(const Loop& loop);
  static void FillTarget(const Ref& target, const Dims& extent);

  const std::byte* source_ = nullptr;
  std::byte* target_ = nullptr;
  int64_t row_bytes_ = 0;
  int64_t rows_left_ = 0;
  int64_t done_in_row_ = 0;  // bytes of the current row, where a row is larger than a chunk
  int loops_ = 0;            // around a row, the innermost first
  Loop loop_[kMaxRank];
  int64_t at_[kMaxRank];  // the current row's position in each loop
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_DMA_COPY_PLAN_H_
