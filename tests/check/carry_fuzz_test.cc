// Random copies between random views, compared with a state for every element.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/check/carry.h"
#include "runtime/check/definedness.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/footprint.h"
#include "runtime/memory/ref.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

// An allocation, its definedness, and the same once more, element by element.
class Memory {
 public:
  Memory(const Dims& shape, MemorySpace space, const char* name) : name(name) {
    AllocationOptions options;
    options.name = name;
    options.space = space;
    options.dtype = DType::kInt32;
    options.shape = shape;
    allocation = *Allocation::Make(options);
    definedness = std::make_unique<Definedness>(shape, allocation->physical_shape());
    model.resize(static_cast<size_t>(allocation->physical_shape().Product()));
    if (space == MemorySpace::kSmem) return;
    definedness->UndefinePadding();
    ForEach([&](const Dims& at, ElementState& state) {
      for (int d = 0; d < shape.size(); ++d) {
        if (at[d] >= shape[d]) state = {WhyUndefined::kBeyondArray, nullptr};
      }
    });
  }

  template <typename Visit>
  void ForEach(Visit&& visit) {
    const Dims& physical = allocation->physical_shape();
    for (size_t flat = 0; flat < model.size(); ++flat) {
      Dims at = physical;
      int64_t rest = static_cast<int64_t>(flat);
      for (int d = physical.size() - 1; d >= 0; rest /= physical[d--]) at[d] = rest % physical[d];
      visit(at, model[flat]);
    }
  }

  void Set(const Region& region, const ElementState& state) {
    definedness->Set(region, state);
    ForEach([&](const Dims& at, ElementState& each) {
      if (region.Contains(Region(at, Dims::Filled(at.size(), 1)))) each = state;
    });
  }

  void ExpectAsModelled() const {
    std::vector<ElementState> found(model.size());
    const Region box(Dims::Filled(allocation->physical_shape().size(), 0), allocation->physical_shape());
    definedness->ForEachHole(box, [&](const Region& region, const ElementState& state) {
      Paint(region, 0, 0, [&](size_t flat) {
        EXPECT_FALSE(found[flat].undefined()) << "the parts overlap";
        found[flat] = state;
      });
    });
    EXPECT_TRUE(found == model);
    const bool any = std::any_of(model.begin(), model.end(), [](const ElementState& s) { return s.undefined(); });
    EXPECT_EQ(definedness->any(), any);
  }

  const std::string name;
  std::unique_ptr<Allocation> allocation;
  std::unique_ptr<Definedness> definedness;
  std::vector<ElementState> model;

 private:
  template <typename Visit>
  void Paint(const Region& region, int d, int64_t flat, Visit&& visit) const {
    if (d == region.rank) return visit(static_cast<size_t>(flat));
    for (int64_t i = region.start[d]; i < region.end[d]; ++i) {
      Paint(region, d + 1, flat + i * allocation->physical_strides()[d], visit);
    }
  }
};

class CarryFuzzTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }

  Dims RandomShape() {
    static constexpr int64_t kLongest[] = {1, 20, 9, 5, 4};
    const int64_t rank = Below(5);
    Dims shape;
    for (int64_t d = 0; d < rank; ++d) shape.push_back(1 + Below(kLongest[rank]));
    return shape;
  }
  ElementState RandomState() {
    if (OneIn(3)) return {};
    return {static_cast<WhyUndefined>(1 + Below(3)), OneIn(3) ? &elsewhere_ : nullptr};
  }

  // A memory and a view of this shape in it, of any kind.
  std::pair<std::unique_ptr<Memory>, Ref> RandomView(const Dims& shape, const char* name) {
    const MemorySpace space = OneIn(3) ? MemorySpace::kVmem : MemorySpace::kSmem;
    if (OneIn(4)) return Reshaped(shape, name);
    if (shape.size() > 0 && OneIn(4)) return Overrunning(shape, space, name);
    return Strided(shape, space, name);
  }

  std::pair<std::unique_ptr<Memory>, Ref> Reshaped(const Dims& shape, const char* name) {
    auto memory = std::make_unique<Memory>(Dims{2, shape.Product() + 3}, MemorySpace::kSmem, name);
    const Ref whole(memory->allocation.get());
    // Within a row, or what goes on from one row to the next.
    const Ref row =
        OneIn(2) ? whole.At(Below(2), Ds(Below(4), shape.Product()))
                 : whole.Reshape({2 * (shape.Product() + 3)}).At(Ds(Below(shape.Product() + 6), shape.Product()));
    return {std::move(memory), row.Reshape(shape)};
  }

  // Of which some elements lie past the end of the memory, or all.
  std::pair<std::unique_ptr<Memory>, Ref> Overrunning(const Dims& shape, MemorySpace space, const char* name) {
    Dims own, starts;
    for (int64_t size : shape) {
      own.push_back(1 + Below(size + 2));
      starts.push_back(Below(own.back() + (OneIn(8) ? 9 : 0)));
    }
    auto memory = std::make_unique<Memory>(own, space, name);
    const Ref view = Ref(memory->allocation.get()).UncheckedWindow(starts, shape, /*overruns=*/true);
    return {std::move(memory), view};
  }

  // Slices with strides of a transposed array that has one more dimension.
  std::pair<std::unique_ptr<Memory>, Ref> Strided(const Dims& shape, MemorySpace space, const char* name) {
    std::vector<int> order(static_cast<size_t>(shape.size()));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Index> indices;
    Dims own, permutation = shape;
    const int64_t more = Below(shape.size() + 1);
    for (size_t i = 0; i < order.size(); ++i) {
      if (static_cast<int64_t>(i) == more) AddOne(own, indices);
      const int64_t size = shape[order[i]], start = Below(3), stride = OneIn(2) ? 1 : 1 + Below(3);
      own.push_back(start + (size - 1) * stride + 1 + Below(3));
      indices.push_back(Ds(start, size, stride));
      permutation[order[i]] = static_cast<int64_t>(i);
    }
    auto memory = std::make_unique<Memory>(own, space, name);
    const Ref view = Ref(memory->allocation.get()).Slice(indices).Transpose(permutation);
    return {std::move(memory), view};
  }
  void AddOne(Dims& own, std::vector<Index>& indices) {
    own.push_back(1 + Below(3));
    indices.push_back(Below(own.back()));
  }

  void Spoil(Memory& memory) {
    for (int64_t times = Below(5); times > 0; --times) {
      Dims starts, sizes;
      for (int64_t size : memory.allocation->physical_shape()) {
        starts.push_back(OneIn(4) ? 0 : Below(size));
        sizes.push_back(OneIn(4) ? size - starts.back() : 1 + Below(size - starts.back()));
      }
      memory.Set(Region(starts, sizes), RandomState());
    }
  }

  // The state of each element of a view, by its index; null where there is no memory.
  static std::vector<ElementState*> ElementsOf(const Ref& view, Memory& memory) {
    std::vector<ElementState*> all;
    Dims extent;
    const bool any = MemoryExtent(view, &extent);
    for (int64_t flat = 0; flat < view.elements(); ++flat) {
      int64_t rest = flat, offset = view.offset();
      bool inside = any;
      for (int d = view.rank() - 1; d >= 0; rest /= view.shape()[d--]) {
        const int64_t at = rest % view.shape()[d];
        inside = inside && at < extent[d];
        offset += at * view.strides()[d];
      }
      all.push_back(inside ? &memory.model[static_cast<size_t>(offset)] : nullptr);
    }
    return all;
  }

  static void CarryInModel(const std::vector<ElementState*>& from, const std::string* name,
                           const std::vector<ElementState*>& to, bool adds) {
    // All at once: source and target may overlap.
    std::vector<ElementState> states;
    for (const ElementState* element : from) {
      ElementState state = element == nullptr ? ElementState{WhyUndefined::kBeyondArray, nullptr} : *element;
      if (state.undefined() && state.origin == nullptr) state.origin = name;
      states.push_back(state);
    }
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] != nullptr && (!adds || states[i].undefined())) *to[i] = states[i];
    }
  }

  void Carry(const Ref& from, Memory& source, const Ref& to, Memory& target, bool adds) {
    std::vector<ViewHole> holes;
    FindHoles(from, *source.definedness, &source.name, &holes);
    SetHoles(to, holes, adds, *target.definedness);
    CarryInModel(ElementsOf(from, source), &source.name, ElementsOf(to, target), adds);
    target.ExpectAsModelled();
  }

  std::mt19937_64 random_{20261201};
  const std::string elsewhere_ = "elsewhere";
};

TEST_F(CarryFuzzTest, EachElementIsAsDefinedAsWhatItIsCopiedFrom) {
  for (int round = 0; round < 4000 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Dims shape = RandomShape();
    const auto [source, from] = RandomView(shape, "source");
    const auto [target, to] = RandomView(shape, "target");
    Spoil(*source);
    Spoil(*target);
    source->ExpectAsModelled();
    Carry(from, *source, to, *target, OneIn(4));
    // And on, now that it has holes from there.
    const auto [third, last] = RandomView(shape, "third");
    Carry(to, *target, last, *third, false);
  }
}

TEST_F(CarryFuzzTest, WithinOneMemory) {
  for (int round = 0; round < 1000 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Memory memory({9, 10}, MemorySpace::kSmem, "both");
    Spoil(memory);
    const Dims shape = {1 + Below(9), 1 + Below(9)};
    auto part = [&] {
      return Ref(memory.allocation.get()).At(Ds(Below(10 - shape[0]), shape[0]), Ds(Below(11 - shape[1]), shape[1]));
    };
    const Ref from = part(), to = part();
    Carry(from, memory, to, memory, false);
  }
}

}  // namespace
}  // namespace strandcore
