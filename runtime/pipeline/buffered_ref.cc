#include "runtime/pipeline/buffered_ref.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/bounds.h"
#include "runtime/memory/footprint.h"
#include "runtime/pipeline/accumulate.h"

namespace strandcore {
namespace {

constexpr char kWithinArray[] = "; a pipeline is given views within their arrays";

Event PipelineEvent(Event::Kind kind, int slot, const BlockLayout::Slice& block) {
  Event event;
  event.kind = kind;
  event.slot = slot;
  event.start = block.start;
  event.size = block.size;
  return event;
}

}  // namespace

BufferedRef::BufferedRef(const BlockSpec& spec, BufferType type, const Ref& source, int position, Scope& scope)
    : spec_(&spec),
      type_(type),
      alias_(spec.alias()),
      position_(position),
      name_(source.name()),
      dtype_(source.dtype()),
      track_(spec, source.name()) {
  const Dims block = spec.BlockShape();
  auto buffer = [&](const char* what) {
    ScopedMemory memory = Vmem(block, dtype_, absl::StrCat(name_, what));
    memory.buffer_of = name_;
    return scope.Add(memory);
  };
  auto semaphore = [&](const char* what) {
    return scope.Add(ScopedSemaphore{SemaphoreKind::kDma, {}, absl::StrCat(name_, what), Site{}, /*handed_out=*/false});
  };
  if (!alias_) {
    memory_item_ = buffer(" slot 0");
    buffer(" slot 1");
    if (is_input()) recv_item_ = semaphore(".recv");
    if (is_output()) send_item_ = semaphore(".send");
  }
  if (is_accumulator()) accum_item_ = buffer(" accumulator");
}

void BufferedRef::Bind(const Scope& scope) {
  if (memory_item_ >= 0) {
    for (int slot = 0; slot < 2; ++slot) {
      slot_[slot] = scope.ref(memory_item_ + slot);
      window_[slot] = slot_[slot].Squeeze(spec_->SqueezedDims());
    }
  }
  if (accum_item_ >= 0) accum_ = scope.ref(accum_item_).Squeeze(spec_->SqueezedDims());
  if (recv_item_ >= 0) recv_ = scope.semaphore(recv_item_);
  if (send_item_ >= 0) send_ = scope.semaphore(send_item_);
}

void BufferedRef::BindExistingRef(const Ref& source, const GridIndex& point) {
  if (!alias_) return;
  RefuseReach(source, kWithinArray);
  const BlockIndex& index = track_.At(point);
  const Dims block = spec_->BlockShape();
  Dims start = block;
  bool overruns = false;
  for (int d = 0; d < block.size(); ++d) {
    const int64_t extent = source.shape()[d];
    const int64_t blocks = extent / block[d] + (extent % block[d] == 0 ? 0 : 1);
    // In blocks: what a map answers, in elements, need not be a number.
    if (index[d] < 0 || index[d] >= blocks) {
      throw Stop{absl::OutOfRangeError(
          absl::StrCat("operand ", name_, ", grid point ", point.ToString(), ": block ", index.ToString(), " of ",
                       block.ToString(), " lies outside the array ", source.shape().ToString(), " in dimension ", d))};
    }
    start[d] = index[d] * block[d];
    overruns = overruns || block[d] > extent - start[d];
  }
  bound_ = source.UncheckedWindow(start, block, overruns);
  // What runs past the array into its padding is memory like any other.
  if (overruns && PhysicalExtent(bound_) == block) bound_ = source.UncheckedWindow(start, block, false);
  bound_ = bound_.Squeeze(spec_->SqueezedDims());
}

Ref BufferedRef::FilledPart(const Dims& array, const GridIndex& point) const {
  const BlockIndex& index = track_.At(point);
  std::vector<Index> parts;
  bool whole = true;
  for (size_t d = 0; d < spec_->block.size(); ++d) {
    const BlockDim& block = spec_->block[d];
    const int64_t left = array[static_cast<int>(d)] - index[static_cast<int>(d)] * block.size;
    whole = whole && left >= block.size;
    if (!block.squeezed) parts.push_back(Ds(0, std::min(block.size, left)));
  }
  return whole ? current_ref() : current_ref().Slice(parts, Site{});
}

void BufferedRef::RefuseType(bool right, const char* call) const {
  if (right) return;
  const char* given = type_ == BufferType::kInput    ? "an input"
                      : type_ == BufferType::kOutput ? "an output"
                                                     : "an accumulator";
  throw Stop{Refuse("operand ", name_, ": ", call, " of ", given)};
}

BlockIndex BufferedRef::ComputeIndex(const GridIndex& point) const { return track_.Ask(point); }

void BufferedRef::RefuseOutside(const char* call) const {
  if (__builtin_expect(!track_.following(), 0)) {
    throw Stop{Refuse("operand ", name_, ": ", call, " outside an invocation of its pipeline")};
  }
}

bool BufferedRef::HasChanged() const {
  RefuseOutside("HasChanged");
  return track_.Changed();
}

bool BufferedRef::WillChange() const {
  RefuseOutside("WillChange");
  return track_.WillChange();
}

void BufferedRef::LayOut(KernelContext& core, const Ref& source) {
  const int generation = core.chip().generation;
  StopUnlessOk(ValidateSpec(source.name(), *spec_, source.shape(), source.dtype(), generation));
  const Dims tile = *MakeTiling(source.name(), source.shape(), source.dtype(), generation);
  layout_ = BlockLayout(spec_->BlockShape(), source.shape(), tile);
  array_shape_ = source.shape();
}

void BufferedRef::CheckArray(const Ref& array) const {
  if (array.allocation() == nullptr) throw Stop{Refuse("operand ", name_, ": expected an array, given an empty view")};
  if (array.dtype() != dtype_) {
    throw Stop{Refuse("operand ", array.name(), ": expected ", DTypeName(dtype_), " as its allocations, given ",
                      DTypeName(array.dtype()))};
  }
}

const BlockIndex& BufferedRef::BlockIn(KernelContext& core, const Ref& array, const GridIndex& point) {
  if (__builtin_expect(array.reaches_out(), 0)) RefuseReach(array, kWithinArray);
  // A later cycle may be given an array of another shape.
  if (__builtin_expect(!(array.shape() == array_shape_), 0)) LayOut(core, array);
  const BlockIndex& index = track_.At(point);
  if (__builtin_expect(!layout_.Has(index), 0)) {
    throw Stop{
        absl::OutOfRangeError(absl::StrCat("operand ", array.name(), ", grid point ", point.ToString(), ": ",
                                           layout_.NoBlockText(index), "; the array is ", array.shape().ToString()))};
  }
  if (__builtin_expect(array.reshaped() && layout_.SliceOf(index).overruns, 0)) {
    throw Stop{Refuse("operand ", array.name(), ": a reshaped view cannot be cut into blocks that run past its end")};
  }
  return index;
}

void BufferedRef::SetToPart(Ref& part, const Ref& slot, const Dims& size) {
  part = slot;
  if (__builtin_expect(!(slot.shape() == size), 0)) part.SetToWindow(slot, Dims::Filled(size.size(), 0), size, false);
}

void BufferedRef::BeginVisit(KernelContext& core) const {
  if (type_ == BufferType::kOutput && !alias_) core.TellUndefined(slot_[current_slot_], WhyUndefined::kNewVisit);
}

void BufferedRef::CopyIn(KernelContext& core, const Ref& source, const GridIndex& point) {
  RefuseType(is_input(), "copy_in");
  if (alias_) return;
  CheckArray(source);
  const int slot = 1 - current_slot_;
  next_slot_ = slot;
  const BlockIndex& index = BlockIn(core, source, point);
  if (core.observing()) core.Emit(PipelineEvent(Event::Kind::kCopyIn, slot, layout_.SliceOf(index)));
  if (!layout_.IsWhole(index)) core.TellUndefined(slot_[slot], WhyUndefined::kBeyondArray);
  core.StartCopy(
      [&](Transfer::Request& copy) {
        layout_.SetToBlock(copy.source, source, index);
        SetToPart(copy.target, slot_[slot], copy.source.shape());
        copy.semaphore.Set(recv_.one());
        copy.receive.array = nullptr;
      },
      Site{});
  if (MayChange(core)) Remember(issued_in_, core, point, index);
}

void BufferedRef::CopyOut(KernelContext& core, const Ref& target, const GridIndex& point) {
  RefuseType(is_output(), "copy_out");
  if (alias_) return;
  CheckArray(target);
  core.RefuseReadOnly(target);
  const int slot = current_slot_;
  next_slot_ = 1 - current_slot_;
  const BlockIndex& index = BlockIn(core, target, point);
  if (core.observing()) core.Emit(PipelineEvent(Event::Kind::kCopyOut, slot, layout_.SliceOf(index)));
  core.StartCopy(
      [&](Transfer::Request& copy) {
        layout_.SetToBlock(copy.target, target, index);
        SetToPart(copy.source, slot_[slot], copy.target.shape());
        copy.semaphore.Set(send_.one());
        copy.receive.array = nullptr;
      },
      Site{});
  if (MayChange(core)) Remember(issued_out_, core, point, index);
}

void BufferedRef::WaitIn(KernelContext& core, const Ref& source, const GridIndex& point) {
  RefuseType(is_input(), "wait_in");
  if (alias_) return;
  const BlockIndex& index = BlockIn(core, source, point);
  if (MayChange(core)) Compare(issued_in_, core, point, index);
  WaitFor(core, recv_, Event::Kind::kWaitIn, index);
}

void BufferedRef::WaitOut(KernelContext& core, const Ref& target, const GridIndex& point) {
  RefuseType(is_output(), "wait_out");
  if (alias_) return;
  const BlockIndex& index = BlockIn(core, target, point);
  if (MayChange(core)) Compare(issued_out_, core, point, index);
  WaitFor(core, send_, Event::Kind::kWaitOut, index);
}

void BufferedRef::WaitFor(KernelContext& core, const SemaphoreRef& done, Event::Kind kind, const BlockIndex& index) {
  if (core.observing()) core.Emit(PipelineEvent(kind, -1, layout_.SliceOf(index)));
  core.WaitForBytes(done, layout_.ElementsOf(index) * DTypeSize(dtype_), Site{});
}

void BufferedRef::Remember(Issued& issued, const KernelContext& core, const GridIndex& point, const BlockIndex& block) {
  issued.known = true;
  issued.point = point;
  issued.block = block;
  issued.started = core.StampOf(Site{});
}

void BufferedRef::Compare(Issued& issued, const KernelContext& core, const GridIndex& point, const BlockIndex& block) {
  const bool changed = issued.known && issued.point == point && !(issued.block == block);
  issued.known = false;
  if (changed) core.TellIndexChange(issued.block, issued.started, block);
}

void BufferedRef::TellVisit(KernelContext& core, const Ref& target, const GridIndex& point) {
  const BlockIndex& index = track_.At(point);
  // A schedule of its own may copy nothing: then the block may be anywhere.
  if (!(target.shape() == array_shape_) || !layout_.Has(index)) return;
  core.TellBlockLeft(index, layout_.NumberOf(index), visit_began_);
}

void BufferedRef::SetAccumulator(KernelContext& core, bool init) {
  RefuseType(is_accumulator(), "set_accumulator");
  if (core.observing()) {
    Event event = PipelineEvent(Event::Kind::kSetAccumulator, -1, {});
    event.amount = init ? 1 : 0;
    core.Emit(std::move(event));
  }
  if (init) {
    FillZeros(accum_);
  } else {
    CopyWindow(current_ref(), accum_);
    core.TellCarried(current_ref(), accum_, /*adds=*/false);
  }
  // The body makes a sum of its own there, to which the accumulator is added.
  core.TellUndefined(current_ref(), WhyUndefined::kNewVisit);
}

void BufferedRef::Accumulate(KernelContext& core) {
  RefuseType(is_accumulator(), "accumulate");
  if (core.observing()) core.Emit(PipelineEvent(Event::Kind::kAccumulate, -1, {}));
  AddWindow(accum_, current_ref());
  core.TellCarried(accum_, current_ref(), /*adds=*/true);
}

}  // namespace strandcore
