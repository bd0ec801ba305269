// Random regions of random boxes, compared with a list of states for every element.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "runtime/check/region_tree.h"

namespace strandcore {
namespace {

// Which visits an element has had, the last four.
struct Visits {
  int last[4] = {};
  friend bool operator==(const Visits&, const Visits&) = default;

  void Add(int visit) {
    std::copy_backward(last, last + 3, last + 4);
    last[0] = visit;
  }
};

class RegionTreeFuzzTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }

  Dims RandomShape() {
    static constexpr int64_t kLongest[] = {1, 64, 20, 9, 6};
    const int64_t rank = Below(5);
    Dims shape;
    for (int64_t d = 0; d < rank; ++d) shape.push_back(Below(40) == 0 ? 0 : 1 + Below(kLongest[rank]));
    return shape;
  }

  // Of any kind; or a block of the lattice.
  Region RandomRegion(const Dims& shape, const Dims& block) {
    const bool lattice = Below(2) == 0;
    Dims starts;
    Dims sizes;
    for (int d = 0; d < shape.size(); ++d) {
      starts.push_back(lattice ? Below(shape[d] / block[d] + 1) * block[d] : Below(shape[d] + 6) - 3);
      sizes.push_back(lattice ? block[d] : Below(shape[d] + 4));
    }
    return Region(starts, sizes);
  }

  void Begin(const Dims& shape) {
    shape_ = shape;
    elements_.assign(static_cast<size_t>(shape.Product()), Visits());
  }

  // Each element's number, within the box.
  template <typename Visit>
  void ForEachElement(const Region& region, Visit&& visit) const {
    for (int64_t flat = 0; flat < shape_.Product(); ++flat) {
      int64_t rest = flat;
      bool in = true;
      for (int d = shape_.size() - 1; d >= 0; rest /= shape_[d--]) {
        const int64_t at = rest % shape_[d];
        in = in && at >= region.start[d] && at < region.end[d];
      }
      if (in) visit(static_cast<size_t>(flat));
    }
  }

  // That `parts` are the region, each element once, and in the states they say.
  struct Part {
    Region region;
    Visits state;
  };
  void ExpectAre(const std::vector<Part>& parts, const Region& region, const std::string& trail) const {
    std::vector<int> seen(elements_.size(), 0);
    for (const Part& part : parts) {
      ASSERT_FALSE(part.region.empty()) << trail;
      ForEachElement(part.region, [&](size_t flat) {
        ++seen[flat];
        ASSERT_EQ(part.state, elements_[flat]) << trail;
      });
    }
    std::vector<int> expected(elements_.size(), 0);
    ForEachElement(region, [&](size_t flat) { ++expected[flat]; });
    ASSERT_EQ(seen, expected) << trail;
  }

  void VisitBoth(RegionTree<Visits>& tree, const Region& region, int visit, const std::string& trail) {
    std::vector<Part> parts;
    tree.ForEach(region, [&](Visits& state, const Region& leaf) {
      parts.push_back({leaf, state});
      state.Add(visit);
    });
    ASSERT_NO_FATAL_FAILURE(ExpectAre(parts, region, trail));
    ForEachElement(region, [&](size_t flat) { elements_[flat].Add(visit); });
  }

  void CompareOverlap(const RegionTree<Visits>& tree, const Region& region, const std::string& trail) {
    const int32_t leaves = tree.LeafCount();
    std::vector<Part> parts;
    tree.ForEachOverlap(region, [&](const Visits& state, const Region& both) { parts.push_back({both, state}); });
    ASSERT_NO_FATAL_FAILURE(ExpectAre(parts, region, trail));
    ASSERT_EQ(tree.LeafCount(), leaves) << trail;
  }

  std::mt19937_64 random_{20240811};
  Dims shape_;
  std::vector<Visits> elements_;
};

TEST_F(RegionTreeFuzzTest, EveryElementHasTheStateOfItsVisits) {
  for (int run = 0; run < 600; ++run) {
    Begin(RandomShape());
    Dims block;
    for (int64_t extent : shape_) block.push_back(1 + Below(extent / 2 + 1));
    RegionTree<Visits> tree(shape_, Visits());
    for (int visit = 1; visit <= 40; ++visit) {
      const Region region = RandomRegion(shape_, block);
      const std::string trail = "run " + std::to_string(run) + ", visit " + std::to_string(visit) + " of box " +
                                shape_.ToString() + ": " + region.ToString();
      if (Below(4) == 0) {
        ASSERT_NO_FATAL_FAILURE(CompareOverlap(tree, region, trail));
      } else {
        ASSERT_NO_FATAL_FAILURE(VisitBoth(tree, region, visit, trail));
      }
      ASSERT_LE(tree.LeafCount(), shape_.Product()) << trail;
      if (Below(60) == 0) {
        tree.Reset(Visits());
        Begin(shape_);
      }
    }
  }
}

}  // namespace
}  // namespace strandcore
