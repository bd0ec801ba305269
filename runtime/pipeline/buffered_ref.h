// BufferedRef: one operand of a pipeline with its double buffer: two slots in VMEM, which slot is current, and one DMA
// semaphore a direction (seed_pipeline.md 1.4).
//
//   input        HBM ──copy_in──► slot ──► body
//   output                        body ──► slot ──copy_out──► HBM
//   accumulator  HBM ──copy_in──► slot ─set─► accum;  body ──► slot (+ accum) ──copy_out──► HBM
//   alias        the operand is in VMEM already: the window is a slice of it, there are no copies, slots, semaphores
//
// A copy in goes to the slot that is not current and makes it the next; a copy out goes from the current slot and
// makes the other one the next. A slot becomes current at the next step's start. In and out share the two slots, so
// an accumulator whose block changes at every step overwrites a slot that is still being read (quirk Q1), and one that
// comes back to a block reads it while it is written (Q2); the slot's tail behind a partial block keeps old data (Q14).
//
// Ownership: memory and semaphores belong to the Allocations that made it. Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_PIPELINE_BUFFERED_REF_H_
#define STRANDCORE_RUNTIME_PIPELINE_BUFFERED_REF_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "runtime/base/site.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/scope.h"
#include "runtime/memory/ref.h"
#include "runtime/pipeline/block_spec.h"
#include "runtime/pipeline/block_track.h"

namespace strandcore {

enum class BufferType : uint8_t { kInput, kOutput, kAccumulator };

class BufferedRef {
 public:
  // REQUIRES: ValidateSpec accepts `spec` for `source`. Plans its memory in `scope`; Bind() once that is allocated.
  // `position`: among the pipeline's operands. The spec must outlive it.
  BufferedRef(const BlockSpec& spec, BufferType type, const Ref& source, int position, Scope& scope);
  void Bind(const Scope& scope);

  const BlockSpec& spec() const { return *spec_; }
  BufferType type() const { return type_; }
  bool is_input() const { return type_ != BufferType::kOutput; }
  bool is_output() const { return type_ != BufferType::kInput; }
  bool is_accumulator() const { return type_ == BufferType::kAccumulator; }
  bool is_alias() const { return alias_; }
  int position() const { return position_; }
  const std::string& name() const { return name_; }
  int current_slot() const { return current_slot_; }
  DType dtype() const { return dtype_; }

  // The block of a grid point, asked anew. Refuses an answer of the wrong rank.
  BlockIndex ComputeIndex(const GridIndex& point) const;
  // Within a pipeline, at its walk's point: whether the previous point has another block, or the next one has.
  bool HasChanged() const;
  bool WillChange() const;
  // The window the body works on: the current slot without squeezed dimensions.
  const Ref& current_ref() const { return alias_ ? bound_ : window_[current_slot_]; }
  // The part of it that lies within an array of this shape.
  Ref FilledPart(const Dims& array, const GridIndex& point) const;
  // The slot is current now, and was not at the step before: what an output's window holds is no part of its block.
  void BeginVisit(KernelContext& core) const;
  // Alias only: the window becomes this slice of the caller's ref. Neither cut nor checked against tiles.
  void BindExistingRef(const Ref& source, const GridIndex& point);
  void InitSlots() { current_slot_ = next_slot_ = 0; }
  void SwapSlots() { current_slot_ = next_slot_; }

  // All of these do nothing for an alias. A wrong buffer type is refused.
  void CopyIn(KernelContext& core, const Ref& source, const GridIndex& point);
  void CopyOut(KernelContext& core, const Ref& target, const GridIndex& point);
  void WaitIn(KernelContext& core, const Ref& source, const GridIndex& point);
  void WaitOut(KernelContext& core, const Ref& target, const GridIndex& point);
  // Also for an alias. The accumulator becomes zeros, or the current window.
  void SetAccumulator(KernelContext& core, bool init);
  // The current window becomes itself + the accumulator; summed in int32 for int32, else in float32 (quirk Q10).
  void Accumulate(KernelContext& core);

  // Of a plain output that is watched: a visit to a block begins at this step; it ends, at this point, and the checker
  // is told.
  void BeginVisit(int64_t step) { visit_began_ = step; }
  void TellVisit(KernelContext& core, const Ref& target, const GridIndex& point);

  // Refuses an empty view and another element type.
  void CheckArray(const Ref& array) const;
  // The pipeline says here where its walk stands.
  BlockTrack& track() { return track_; }

 private:
  void RefuseType(bool right, const char* call) const;
  void RefuseOutside(const char* call) const;
  void LayOut(KernelContext& core, const Ref& source);
  // The block of a grid point in this array; refuses one that is not there. Valid until an index is asked for again.
  const BlockIndex& BlockIn(KernelContext& core, const Ref& array, const GridIndex& point);
  // `part` becomes the part of a slot that a copy of this size uses.
  static void SetToPart(Ref& part, const Ref& slot, const Dims& size);
  void WaitFor(KernelContext& core, const SemaphoreRef& done, Event::Kind kind, const BlockIndex& index);

  // What the index map said when the last copy of a direction was started that has not been waited for.
  struct Issued {
    bool known = false;
    GridIndex point;
    BlockIndex block;
    Stamp started;
  };
  // Only where somebody watches and the map can change its mind.
  bool MayChange(const KernelContext& core) const { return core.watched() && !spec_->index_map.stateless(); }
  static void Remember(Issued& issued, const KernelContext& core, const GridIndex& point, const BlockIndex& block);
  static void Compare(Issued& issued, const KernelContext& core, const GridIndex& point, const BlockIndex& block);

  // Constant after Bind.
  const BlockSpec* spec_;
  BufferType type_;
  bool alias_;
  int position_;
  std::string name_;
  DType dtype_;
  BlockLayout layout_;
  Dims array_shape_ = {-1};  // what layout_ is for; at first nothing
  int memory_item_ = -1;
  int accum_item_ = -1;
  int recv_item_ = -1;
  int send_item_ = -1;
  Ref slot_[2];
  Ref window_[2];
  Ref accum_;
  SemaphoreRef recv_;
  SemaphoreRef send_;
  // The step's.
  Ref bound_;
  int current_slot_ = 0;
  int next_slot_ = 0;
  int64_t visit_began_ = 0;
  Issued issued_in_;
  Issued issued_out_;
  mutable BlockTrack track_;  // a cache: asking for an index changes nothing that anybody sees
};

using BufferedRefs = absl::Span<BufferedRef>;

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_BUFFERED_REF_H_
