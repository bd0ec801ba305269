#include "runtime/check/carry.h"

#include <algorithm>

#include "runtime/check/footprint_regions.h"
#include "runtime/memory/footprint.h"

namespace strandcore {
namespace {

ElementState Copied(const ElementState& state, const std::string* name) {
  return {state.why, state.origin == nullptr ? name : state.origin};
}

// One after the other, as a dimension of the view sees one of its allocation.
struct ViewSteps {
  int64_t first;
  int64_t step;
  int64_t count;
};

// The indices whose elements lie in [start, end): from `*from` on, as many as are returned; at most 0 if none.
int64_t IndicesWithin(const ViewSteps& steps, int64_t start, int64_t end, int64_t* from) {
  auto first_not_before = [&](int64_t at) {
    return at <= steps.first ? 0 : (at - steps.first + steps.step - 1) / steps.step;
  };
  *from = first_not_before(start);
  return std::min(first_not_before(end), steps.count) - *from;
}

// Of a view whose dimensions are those of its allocation, some left out, with strides.
class AlongDimensions {
 public:
  AlongDimensions(const Ref& view, const Dims& extent) : view_(view), starts_(BaseStarts(view)) {
    const Dims& strides = view.allocation()->physical_strides();
    for (int d = 0; d < view.rank(); ++d) {
      const int k = view.base_dimension(d);
      steps_[d] = {k < 0 ? 0 : starts_[k], k < 0 || extent[d] == 1 ? 1 : view.strides()[d] / strides[k], extent[d]};
    }
  }

  // The smallest region with all its elements.
  Region Bounds() const {
    Region bounds(starts_, Dims::Filled(starts_.size(), 1));
    for (int d = 0; d < view_.rank(); ++d) {
      const int k = view_.base_dimension(d);
      if (k >= 0) bounds.end[k] += (steps_[d].count - 1) * steps_[d].step;
    }
    return bounds;
  }

  // The indices of its elements in `region`, which is within Bounds(); false if there are none.
  bool IndicesOf(const Region& region, ViewHole* hole) const {
    hole->start = Dims();
    hole->size = Dims();
    for (int d = 0; d < view_.rank(); ++d) {
      const int k = view_.base_dimension(d);
      int64_t from = 0;
      const int64_t count = k < 0 ? steps_[d].count : IndicesWithin(steps_[d], region.start[k], region.end[k], &from);
      if (count <= 0) return false;
      hole->start.push_back(from);
      hole->size.push_back(count);
    }
    return true;
  }

 private:
  const Ref& view_;
  const Dims starts_;
  ViewSteps steps_[kMaxRank];
};

// Of any view within its memory, part by part.
class ByHalves {
 public:
  ByHalves(const Ref& view, const Definedness& definedness, const std::string* name, std::vector<ViewHole>* holes)
      : view_(view), definedness_(definedness), name_(name), holes_(holes) {}

  void Find(const Dims& start, const Dims& size) {
    int64_t undefined = 0;
    bool alike = true;
    ElementState state;
    ForEachRegion(view_.UncheckedWindow(start, size, false), [&](const Region& region) {
      definedness_.ForEachHole(region, [&](const Region& part, const ElementState& found) {
        alike = alike && (undefined == 0 || found == state);
        state = found;
        undefined += part.elements();
      });
    });
    if (undefined == 0) return;
    if (alike && undefined == size.Product()) return holes_->push_back({start, size, Copied(state, name_)});
    int longest = 0;
    for (int d = 1; d < size.size(); ++d) longest = size[d] > size[longest] ? d : longest;
    Dims lower = size;
    lower[longest] /= 2;
    Find(start, lower);
    Dims upper = size;
    upper[longest] -= lower[longest];
    Dims middle = start;
    middle[longest] += lower[longest];
    Find(middle, upper);
  }

 private:
  const Ref& view_;
  const Definedness& definedness_;
  const std::string* const name_;
  std::vector<ViewHole>* const holes_;
};

// What lies beyond `extent` has no memory.
void AddWhatIsOutside(const Dims& shape, const Dims& extent, const std::string* name, std::vector<ViewHole>* holes) {
  for (int d = 0; d < shape.size(); ++d) {
    if (extent[d] == shape[d]) continue;
    ViewHole hole = {Dims::Filled(shape.size(), 0), shape, {WhyUndefined::kBeyondArray, name}};
    hole.start[d] = extent[d];
    hole.size[d] -= extent[d];
    holes->push_back(hole);
  }
}

}  // namespace

void FindHoles(const Ref& source, const Definedness& definedness, const std::string* name,
               std::vector<ViewHole>* holes) {
  const Dims& shape = source.shape();
  const Dims first = Dims::Filled(shape.size(), 0);
  if (source.elements() == 0) return;
  Dims extent = shape;
  if (__builtin_expect(source.overruns(), 0)) {
    if (!MemoryExtent(source, &extent) || extent.Product() == 0) {
      return holes->push_back({first, shape, {WhyUndefined::kBeyondArray, name}});
    }
    AddWhatIsOutside(shape, extent, name, holes);
  }
  if (!definedness.any()) return;
  if (source.reshaped()) return ByHalves(source, definedness, name, holes).Find(first, shape);
  const AlongDimensions view(source, extent);
  definedness.ForEachHole(view.Bounds(), [&](const Region& region, const ElementState& state) {
    ViewHole hole;
    if (!view.IndicesOf(region, &hole)) return;
    hole.state = Copied(state, name);
    holes->push_back(hole);
  });
}

void SetHoles(const Ref& target, const std::vector<ViewHole>& holes, bool adds, Definedness& definedness) {
  if (!adds && definedness.any()) {
    ForEachRegion(target, [&](const Region& region) {
      if (definedness.MayLack(region)) definedness.Set(region, ElementState());
    });
  }
  for (const ViewHole& hole : holes) {
    const Ref part = target.UncheckedWindow(hole.start, hole.size, target.overruns());
    ForEachRegion(part, [&](const Region& region) { definedness.Set(region, hole.state); });
  }
}

}  // namespace strandcore
