// Random views, compared with all their elements: of the view itself if it lies within its memory, else of a model that
// keeps, for each dimension of the allocation, where the view starts, in which steps, and how far.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "runtime/check/footprint_regions.h"
#include "tests/memory/support.h"

namespace strandcore {
namespace {

struct Along {
  int base;  // dimension of the allocation
  int64_t start;
  int64_t step;
  int64_t size;
};

class FootprintRegionsFuzzTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }

  void Begin(Allocation* allocation) {
    view_ = Ref(allocation, &port_);
    kept_.clear();
    squeezed_.clear();
    for (int d = 0; d < view_.rank(); ++d) kept_.push_back({d, 0, 1, view_.shape()[d]});
  }

  // In each dimension an element or a slice, which may be empty and, if the launch permits, reach outside.
  void Slice() {
    std::vector<Index> indices;
    std::vector<Along> kept;
    std::vector<Along> squeezed = squeezed_;
    for (int d = 0; d < view_.rank(); ++d) {
      const int64_t extent = view_.shape()[d];
      const Along along = view_.reshaped() ? Along{0, 0, 1, extent} : kept_[static_cast<size_t>(d)];
      const int64_t start = Below(std::max<int64_t>(extent, 1) + (Below(10) == 0 ? 3 : 0));
      if (Below(8) == 0) {
        indices.push_back(start);
        squeezed.push_back({along.base, along.start + start * along.step, 1, 1});
        continue;
      }
      const int64_t stride = Below(3) == 0 ? 1 + Below(4) : 1;
      const int64_t most = start < extent ? (extent - 1 - start) / stride + 1 : 1;
      const int64_t size = Below(25) == 0 ? 0 : 1 + Below(most + (Below(10) == 0 ? 3 : 0));
      indices.push_back(Ds(start, size, stride));
      kept.push_back({along.base, along.start + start * along.step, size > 1 ? along.step * stride : along.step, size});
    }
    if (!StopOf([&] { view_ = view_.Slice(indices); }).empty()) return;
    kept_ = kept;
    squeezed_ = squeezed;
  }

  void Transpose() {
    Dims permutation;
    for (int d = 0; d < view_.rank(); ++d) permutation.push_back(d);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    view_ = view_.Transpose(permutation);
    std::vector<Along> kept;
    if (view_.reshaped()) return;
    for (int64_t d : permutation) kept.push_back(kept_[static_cast<size_t>(d)]);
    kept_ = kept;
  }

  // Two neighbours become one, or one becomes two; where that can be.
  void Reshape() {
    if (view_.rank() == 0 || view_.overruns()) return;
    const int at = static_cast<int>(Below(view_.rank()));
    const bool merge = at + 1 < view_.rank() && Below(2) == 0;
    Dims shape;
    for (int d = 0; d < view_.rank(); ++d) {
      const int64_t size = view_.shape()[d];
      int64_t factor = 1 + Below(std::max<int64_t>(size, 1));
      while (size > 0 && size % factor != 0) --factor;
      if (d == at && merge) {
        shape.push_back(size * view_.shape()[d + 1]);
        ++d;
      } else if (d == at && view_.rank() < kMaxRank && size > 0) {
        shape.push_back(factor);
        shape.push_back(size / factor);
      } else {
        shape.push_back(size);
      }
    }
    const Ref before = view_;
    StopOf([&] { view_ = view_.Reshape(shape); });
    // One that moved ones about only is as it was, but in the model.
    if (!view_.reshaped()) view_ = before;
  }

  void Overrun() {
    if (view_.reshaped() || view_.elements() == 0) return;
    Dims starts;
    Dims sizes;
    for (Along& along : kept_) {
      starts.push_back(Below(4) == 0 ? Below(2 * along.size + 1) : Below(along.size + 1));
      sizes.push_back(1 + Below(along.size + 8));
      along.start += starts.back() * along.step;
      along.size = sizes.back();
    }
    view_ = view_.UncheckedWindow(starts, sizes, true);
  }

  // For each element of the allocation's memory, how often it is expected: 0 or 1.
  std::vector<int> Expected() const {
    const Allocation& allocation = *view_.allocation();
    std::vector<int> expected(static_cast<size_t>(allocation.physical_shape().Product()), 0);
    const int64_t elements = view_.elements();
    for (int64_t flat = 0; flat < elements; ++flat) {
      int64_t offset = 0;
      bool inside = true;
      const auto add = [&](const Along& along, int64_t index) {
        const int64_t at = along.start + index * along.step;
        const Dims& bounds = view_.reaches_out() ? allocation.shape() : allocation.physical_shape();
        inside = inside && at < bounds[along.base];
        offset += at * allocation.physical_strides()[along.base];
      };
      int64_t rest = flat;
      for (int d = view_.rank() - 1; d >= 0; rest /= view_.shape()[d--]) {
        const int64_t index = rest % view_.shape()[d];
        view_.reshaped() ? void(offset += index * view_.strides()[d]) : add(kept_[static_cast<size_t>(d)], index);
      }
      if (view_.reshaped()) offset += view_.offset();
      for (size_t i = 0; !view_.reshaped() && i < squeezed_.size(); ++i) add(squeezed_[i], 0);
      if (inside) ++expected[static_cast<size_t>(offset)];
    }
    return expected;
  }

  std::vector<int> Found(int* regions) const {
    const Allocation& allocation = *view_.allocation();
    std::vector<int> found(static_cast<size_t>(allocation.physical_shape().Product()), 0);
    const Region box(Dims::Filled(allocation.shape().size(), 0), allocation.physical_shape());
    ForEachRegion(view_, [&](const Region& region) {
      ++*regions;
      ASSERT_FALSE(region.empty());
      ASSERT_TRUE(region.rank == box.rank && box.Contains(region)) << region.ToString();
      for (int64_t flat = 0; flat < region.elements(); ++flat) {
        int64_t offset = 0;
        int64_t rest = flat;
        for (int d = region.rank - 1; d >= 0; rest /= region.size(d--)) {
          offset += (region.start[d] + rest % region.size(d)) * allocation.physical_strides()[d];
        }
        ++found[static_cast<size_t>(offset)];
      }
    });
    return found;
  }

  // One more view of the view.
  void Step(std::string* trail) {
    const int64_t operation = Below(6);
    operation < 2 ? Slice() : operation == 2 ? Transpose() : operation < 5 ? Reshape() : Overrun();
    *trail +=
        std::vector<std::string>{
            " slice ", " slice ", " transpose ", " reshape ", " reshape ", " overrun "}[static_cast<size_t>(
            operation)] +
        view_.shape().ToString();
  }

  std::mt19937_64 random_{20240812};
  RecordingPort port_;
  Ref view_;
  std::vector<Along> kept_;
  std::vector<Along> squeezed_;
};

TEST_F(FootprintRegionsFuzzTest, RegionsAreDisjointAndExactlyTheViewsMemory) {
  const Dims shapes[] = {{12, 20},      {2, 3, 4},    {7},          {3, 2, 3, 15}, {6, 8},
                         {2, 1, 8, 12}, {1, 1, 1, 1}, {4, 1, 1, 6}, {64},          {}};
  int of_several = 0;
  int reshaped = 0;
  for (int run = 0; run < 40000; ++run) {
    const Dims& shape = shapes[static_cast<size_t>(Below(std::size(shapes)))];
    const auto x = MakeX(DType::kInt32, shape, Below(4) == 0 ? MemorySpace::kVmem : MemorySpace::kSmem);
    port_.out_of_range_reads = Below(2) == 0 ? OutOfRangeReads::kFault : OutOfRangeReads::kUninitialised;
    Begin(x.get());
    std::string trail = "run " + std::to_string(run) + ": " + x->physical_shape().ToString();
    for (int64_t steps = 1 + Below(5); steps > 0; --steps) Step(&trail);
    int regions = 0;
    ASSERT_EQ(Found(&regions), Expected()) << trail;
    of_several += regions > 1 ? 1 : 0;
    reshaped += view_.reshaped() && regions > 0 ? 1 : 0;
  }
  EXPECT_GT(of_several, 1000);
  EXPECT_GT(reshaped, 1000);
}

}  // namespace
}  // namespace strandcore
