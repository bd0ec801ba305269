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
      array_elements_(CountOf(array_)),
      padding_elements_(CountOf(box_) - array_elements_),
      tree_(physical_shape, ElementState()) {}

void Definedness::UndefinePadding() {
  padding_state_ = {WhyUndefined::kBeyondArray, nullptr};
  padding_.store(padding_elements_, std::memory_order_relaxed);
}

bool Definedness::IsAlready(const Region& region, const ElementState& state) const {
  if (alike_ && array_.Contains(region)) return array_state_ == state;
  if (alike_) return false;
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
  const bool all = region.Contains(box_);
  if (!all && !(padding_is_alike_ && region == array_)) return SetInTree(region, state);
  alike_ = true;
  array_state_ = state;
  undefined_.store(state.undefined() ? array_elements_ : 0, std::memory_order_relaxed);
  if (!all) return;
  padding_is_alike_ = true;
  padding_state_ = state;
  padding_.store(state.undefined() ? padding_elements_ : 0, std::memory_order_relaxed);
}

void Definedness::SetInTree(const Region& region, const ElementState& state) {
  // Nothing is cut for what changes nothing.
  if (IsAlready(region, state)) return;
  if (alike_) {
    alike_ = false;
    tree_.Reset(array_state_);
    ForEachSlab([&](const Region& slab) {
      tree_.ForEach(slab, [&](ElementState& now, const Region&) { now = padding_state_; });
    });
  }
  padding_is_alike_ = padding_is_alike_ && array_.Contains(region);
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
