#include "runtime/check/definedness.h"

namespace strandcore {
namespace {

int64_t CountOf(const Region& region) { return region.empty() ? 0 : region.elements(); }

// The lock is the shadow's: nobody else writes.
void AddTo(std::atomic<int64_t>& count, int64_t more) {
  count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

Definedness::Definedness(const Dims& shape, const Dims& physical_shape)
    : array_(Dims::Filled(shape.size(), 0), shape),
      box_(Dims::Filled(shape.size(), 0), physical_shape),
      tree_(physical_shape, ElementState()) {}

void Definedness::UndefinePadding() {
  // Slab by slab: what lies beyond the array in dimension d, within it in those before.
  Region slab = box_;
  for (int d = 0; d < box_.rank; ++d) {
    slab.start[d] = array_.end[d];
    if (!slab.empty()) Set(slab, {WhyUndefined::kBeyondArray, nullptr});
    slab.start[d] = 0;
    slab.end[d] = array_.end[d];
  }
}

bool Definedness::IsAlready(const Region& region, const ElementState& state) const {
  bool already = true;
  tree_.ForEachOverlap(region, [&](const ElementState& now, const Region&) { already = already && now == state; });
  return already;
}

void Definedness::Count(const Region& leaf, bool undefined) {
  const int64_t sign = undefined ? 1 : -1;
  const int64_t within = CountOf(leaf.Intersection(array_));
  AddTo(undefined_, sign * within);
  AddTo(padding_, sign * (leaf.elements() - within));
}

void Definedness::Set(const Region& region, const ElementState& state) {
  if (region.empty()) return;
  if (tree_.LeafCount() > 1 && region.Contains(box_)) {
    tree_.Reset(state);
    undefined_.store(0, std::memory_order_relaxed);
    padding_.store(0, std::memory_order_relaxed);
    if (state.undefined()) Count(box_, true);
    return;
  }
  // Nothing is cut for what changes nothing.
  if (IsAlready(region, state)) return;
  tree_.ForEach(region, [&](ElementState& now, const Region& leaf) {
    if (now.undefined() != state.undefined()) Count(leaf, state.undefined());
    now = state;
  });
}

void Definedness::Undefine(const Region& region, WhyUndefined why) {
  // The older reason says more.
  if (why == WhyUndefined::kNewVisit && IsAlready(region, {WhyUndefined::kNeverWritten, nullptr})) return;
  Set(region, {why, nullptr});
}

}  // namespace strandcore
