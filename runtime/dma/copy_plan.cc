#include "runtime/dma/copy_plan.h"

#include <algorithm>
#include <cstring>

#include "runtime/exec/agent_identity.h"
#include "runtime/memory/footprint.h"
#include "runtime/memory/walk.h"

namespace strandcore {

void CopyPlan::Prepare(const Ref& source, const Ref& target) {
  Dims count = source.shape();
  bool any = true;
  if (__builtin_expect(source.overruns() || target.overruns(), 0)) any = Clip(source, target, &count);
  const int64_t element_bytes = DTypeSize(source.dtype());
  source_ = source.data();
  target_ = target.data();
  done_in_row_ = 0;
  loops_ = 0;
  int64_t row_bytes = element_bytes;
  int64_t rows = any ? 1 : 0;
  for (int d = count.size() - 1; d >= 0; --d) {
    const int64_t n = count[d];
    if (n == 1) continue;
    const int64_t source_stride = source.strides()[d] * element_bytes;
    const int64_t target_stride = target.strides()[d] * element_bytes;
    if (n == 0) {
      rows = 0;
    } else if (loops_ == 0 && source_stride == row_bytes && target_stride == row_bytes) {
      // Contiguous on both sides: a longer row instead of a loop.
      row_bytes *= n;
    } else {
      rows *= n;
      AddLoop({n, source_stride, target_stride});
    }
  }
  row_bytes_ = row_bytes;
  rows_left_ = rows;
}

bool CopyPlan::Clip(const Ref& source, const Ref& target, Dims* count) {
  Dims readable;
  Dims writable;
  const bool any_source = MemoryExtent(source, &readable);
  if (!MemoryExtent(target, &writable)) return false;
  bool short_source = !any_source;
  for (int d = 0; d < count->size(); ++d) {
    short_source = short_source || readable[d] < writable[d];
    (*count)[d] = std::min(readable[d], writable[d]);
  }
  if (short_source) FillTarget(target, writable);
  return any_source;
}

// Around those there are, joined with the outermost one where it goes on as that does.
void CopyPlan::AddLoop(const Loop& loop) {
  if (loops_ > 0) {
    Loop& inner = loop_[loops_ - 1];
    if (loop.source_stride == inner.source_stride * inner.count &&
        loop.target_stride == inner.target_stride * inner.count) {
      inner.count *= loop.count;
      return;
    }
  }
  at_[loops_] = 0;
  loop_[loops_++] = loop;
}

// Not seen by ThreadSanitizer: a stand-in for elements that no copy moves.
void CopyPlan::FillTarget(const Ref& target, const Dims& extent) {
  HiddenFromSanitizer hidden;
  const int64_t element_bytes = DTypeSize(target.dtype());
  const int64_t columns = MatrixSizeOf(extent).columns;
  const bool rows = target.strides().empty() || target.strides().back() == 1;
  ForEachRow(extent, target.strides(), target.strides(), [&](int64_t at, int64_t) {
    std::byte* row = target.data() + at * element_bytes;
    if (rows) return FillPoison(target.dtype(), row, columns);
    for (int64_t c = 0; c < columns; ++c) {
      FillPoison(target.dtype(), row + c * target.strides().back() * element_bytes, 1);
    }
  });
}

SC_UNSEEN bool CopyPlan::CopyChunk(int64_t chunk_bytes) {
  while (rows_left_ > 0 && chunk_bytes > 0) {
    const int64_t left = row_bytes_ - done_in_row_;
    const int64_t bytes = left < chunk_bytes ? left : chunk_bytes;
    // memmove: a kernel may ask for a copy between views that overlap, which is no reason to end the host.
    std::memmove(target_ + done_in_row_, source_ + done_in_row_, static_cast<size_t>(bytes));
    chunk_bytes -= bytes;
    done_in_row_ += bytes;
    if (done_in_row_ < row_bytes_) return false;
    done_in_row_ = 0;
    --rows_left_;
    for (int i = 0; i < loops_; ++i) {
      source_ += loop_[i].source_stride;
      target_ += loop_[i].target_stride;
      if (++at_[i] < loop_[i].count) break;
      source_ -= loop_[i].source_stride * loop_[i].count;
      target_ -= loop_[i].target_stride * loop_[i].count;
      at_[i] = 0;
    }
  }
  return rows_left_ == 0;
}

}  // namespace strandcore
