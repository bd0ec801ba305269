// Random views that run past the end of their allocation, compared with a model that keeps, for each dimension of the
// allocation, where the view starts, in which steps, and how far.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/memory/footprint.h"
#include "tests/memory/support.h"

namespace strandcore {
namespace {

struct Along {
  int base;  // dimension of the allocation
  int64_t start;
  int64_t step;
  int64_t size;  // 0 < size; a squeezed dimension has left the view
};

class FootprintFuzzTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }

  void Begin(Allocation* allocation) {
    view_ = Ref(allocation);
    kept_.clear();
    squeezed_.clear();
    for (int d = 0; d < view_.rank(); ++d) kept_.push_back({d, 0, 1, view_.shape()[d]});
  }

  void SliceBoth() {
    std::vector<Index> indices;
    std::vector<Along> kept;
    for (const Along& along : kept_) {
      const int64_t start = Below(along.size);
      if (Below(5) == 0) {
        indices.push_back(start);
        squeezed_.push_back({along.base, along.start + start * along.step, 1, 1});
        continue;
      }
      const int64_t stride = 1 + Below(3);
      const int64_t size = 1 + Below((along.size - 1 - start) / stride + 1);
      indices.push_back(Ds(start, size, stride));
      // Of one element, the step means nothing.
      kept.push_back({along.base, along.start + start * along.step, size > 1 ? along.step * stride : along.step, size});
    }
    view_ = view_.Slice(indices);
    kept_ = kept;
  }

  void TransposeBoth() {
    Dims permutation;
    for (int d = 0; d < view_.rank(); ++d) permutation.push_back(d);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    view_ = view_.Transpose(permutation);
    std::vector<Along> kept;
    for (int64_t d : permutation) kept.push_back(kept_[static_cast<size_t>(d)]);
    kept_ = kept;
  }

  void OverrunBoth() {
    Dims starts;
    Dims sizes;
    for (Along& along : kept_) {
      starts.push_back(Below(4) == 0 ? Below(2 * along.size) : Below(along.size));
      sizes.push_back(1 + Below(along.size + 8));
      along.start += starts.back() * along.step;
      along.size = sizes.back();
    }
    view_ = view_.UncheckedWindow(starts, sizes, true);
  }

  // How many elements of each dimension lie within `bounds`; none at all if a first one does not.
  Dims Expected(const Dims& bounds) const {
    bool outside = false;
    for (const Along& along : squeezed_) outside = outside || along.start >= bounds[along.base];
    Dims extent;
    for (const Along& along : kept_) {
      int64_t count = 0;
      while (count < along.size && along.start + count * along.step < bounds[along.base]) ++count;
      extent.push_back(count);
      outside = outside || count == 0;
    }
    return outside ? Dims::Filled(extent.size(), 0) : extent;
  }

  void ExpectSame(const std::string& trail) const {
    const Allocation& allocation = *view_.allocation();
    ASSERT_EQ(PhysicalExtent(view_).ToString(), Expected(allocation.physical_shape()).ToString()) << trail;
    ASSERT_EQ(LogicalExtent(view_).ToString(), Expected(allocation.shape()).ToString()) << trail;
    // Also where nothing may be touched, the address is one of the allocation.
    ASSERT_GE(view_.offset(), 0) << trail;
    ASSERT_LT(view_.offset(), allocation.physical_bytes() / 4) << trail;
    if (view_.outside()) return;
    const Dims starts = BaseStarts(view_);
    for (const Along& along : squeezed_) ASSERT_EQ(starts[along.base], along.start) << trail;
    for (const Along& along : kept_) ASSERT_EQ(starts[along.base], along.start) << trail;
  }

  std::mt19937_64 random_{20240723};
  Ref view_;
  std::vector<Along> kept_;
  std::vector<Along> squeezed_;
};

TEST_F(FootprintFuzzTest, ExtentsAreThoseOfTheModel) {
  const Dims shapes[] = {{12, 20}, {2, 3, 4}, {7}, {3, 2, 3, 150}, {16, 128}, {2, 1, 8, 128}, {1, 1, 1, 1}};
  for (int run = 0; run < 8000; ++run) {
    const auto x = MakeX(DType::kInt32, shapes[run % std::size(shapes)]);
    Begin(x.get());
    std::string trail = "run " + std::to_string(run) + ": " + x->shape().ToString();
    for (int64_t steps = 1 + Below(5); steps > 0; --steps) {
      const int64_t operation = Below(4);
      operation < 2 ? SliceBoth() : operation == 2 ? TransposeBoth() : OverrunBoth();
      trail += (operation < 2 ? " slice " : operation == 2 ? " transpose " : " overrun ") + view_.shape().ToString();
      ASSERT_NO_FATAL_FAILURE(ExpectSame(trail));
    }
  }
}

}  // namespace
}  // namespace strandcore
