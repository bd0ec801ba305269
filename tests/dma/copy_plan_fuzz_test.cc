// CopyPlan against the plainest loop there is: pairs of random views, strided, partial, squeezed, transposed and
// overrunning, from fixed seeds. Every byte of the target's allocation is compared, also those no copy may touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/dma/copy_plan.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/ref.h"
#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // Uniform, both ends included.
  int64_t Between(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(engine_); }
  bool OneIn(int n) { return Between(1, n) == 1; }
  void FillBytes(std::byte* bytes, int64_t count) {
    for (; count > 0; bytes += 8, count -= 8) {
      const uint64_t eight = engine_();
      std::memcpy(bytes, &eight, static_cast<size_t>(std::min<int64_t>(count, 8)));
    }
  }

 private:
  std::mt19937_64 engine_;
};

// A view, and by itself what it means: dimension d of it steps by step[d] along dimension base[d] of the allocation,
// from `start` there.
struct ModelView {
  std::unique_ptr<Allocation> allocation;
  std::vector<std::byte> borrowed;
  Ref ref;
  std::vector<int> base;
  std::vector<int64_t> step;
  std::vector<int64_t> start;

  // Where element `index` of the view lies, in bytes; -1 past the end of the memory.
  int64_t ByteOf(const Dims& index) const {
    std::vector<int64_t> at = start;
    for (int d = 0; d < index.size(); ++d) at[base[d]] += index[d] * step[d];
    int64_t element = 0;
    for (size_t k = 0; k < at.size(); ++k) {
      if (at[k] < 0 || at[k] >= allocation->physical_shape()[k]) return -1;
      element += at[k] * allocation->physical_strides()[k];
    }
    return element * DTypeSize(allocation->dtype());
  }
};

// The dimensions of the allocation in a random order: those of the view, and some that it squeezes away.
std::vector<int> ShuffledDimensions(Random& random, int rank, int squeezed) {
  std::vector<int> order;
  for (int d = 0; d < rank; ++d) order.push_back(d);
  for (int i = 0; i < squeezed; ++i) order.push_back(-1);
  if (random.OneIn(2)) return order;
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Between(0, i - 1)]);
  return order;
}

void Allocate(Random& random, DType dtype, const Dims& shape, ModelView& view) {
  AllocationOptions options;
  options.name = "memory";
  options.dtype = dtype;
  options.shape = shape;
  if (random.OneIn(3)) {
    // Dense, and with nothing behind it: a byte too far is a sanitizer's.
    options.space = MemorySpace::kHbm;
    view.borrowed.resize(shape.Product() * DTypeSize(dtype));
    view.allocation = *Allocation::Borrow(options, shape, view.borrowed.data());
  } else {
    options.space = random.OneIn(3) ? MemorySpace::kSmem : MemorySpace::kVmem;
    view.allocation = *Allocation::Make(options);
  }
  random.FillBytes(view.allocation->data(), view.allocation->physical_bytes());
}

// A view of this shape into new memory.
ModelView MakeView(Random& random, DType dtype, const Dims& shape) {
  ModelView view;
  const bool strided = random.OneIn(2);
  const std::vector<int> order = ShuffledDimensions(random, shape.size(), static_cast<int>(random.Between(0, 2)));
  Dims extents;
  std::vector<Index> indices;
  Dims permutation = Dims::Filled(shape.size(), 0);
  view.base.resize(shape.size());
  view.step.resize(shape.size());
  int kept = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    const int d = order[k];
    const int64_t size = d < 0 ? 1 : shape[d];
    const int64_t step = d >= 0 && strided ? random.Between(1, 3) : 1;
    const int64_t start = random.OneIn(2) ? 0 : random.Between(0, 3);
    extents.push_back(start + (size == 0 ? 0 : (size - 1) * step) + 1 + (random.OneIn(2) ? 0 : random.Between(0, 3)));
    view.start.push_back(start);
    indices.push_back(d < 0 ? Index(start) : Ds(start, size, step));
    if (d < 0) continue;
    view.base[d] = static_cast<int>(k);
    view.step[d] = size > 1 ? step : 1;
    permutation[d] = kept++;
  }
  Allocate(random, dtype, extents, view);
  view.ref = Ref(view.allocation.get()).Slice(indices).Transpose(permutation);
  return view;
}

// A block of a view, which may run past the end of the memory or begin there, as a pipeline cuts them at the edge.
ModelView MakeBlock(Random& random, DType dtype, const Dims& shape) {
  Dims whole = shape;
  for (int64_t& size : whole) size = std::max<int64_t>(1, size - random.Between(0, 3));
  ModelView view = MakeView(random, dtype, whole);
  Dims starts;
  for (int d = 0; d < shape.size(); ++d) {
    // Before the array only as a whole, as blocks of a negative index are.
    const int64_t beyond = random.OneIn(3) ? -(shape[d] + 4) : random.Between(0, 200);
    starts.push_back(random.OneIn(2) ? 0 : random.OneIn(8) ? beyond : random.Between(0, 6));
    view.start[view.base[d]] += starts[d] * view.step[d];
  }
  view.ref = view.ref.UncheckedWindow(starts, shape, /*overruns=*/true);
  return view;
}

// What the target's memory holds after the copy.
std::vector<std::byte> CopyPlainly(const ModelView& source, const ModelView& target, const Dims& shape) {
  const Allocation& memory = *target.allocation;
  std::vector<std::byte> bytes(memory.data(), memory.data() + memory.physical_bytes());
  const int64_t element_bytes = DTypeSize(memory.dtype());
  Dims index = Dims::Filled(shape.size(), 0);
  for (int64_t left = shape.Product(); left > 0; --left) {
    const int64_t from = source.ByteOf(index), to = target.ByteOf(index);
    if (to >= 0 && from >= 0) std::memcpy(&bytes[to], source.allocation->data() + from, element_bytes);
    if (to >= 0 && from < 0) FillPoison(memory.dtype(), &bytes[to], 1);
    for (int d = shape.size() - 1; d >= 0 && ++index[d] == shape[d]; --d) index[d] = 0;
  }
  return bytes;
}

void CheckOne(uint64_t seed) {
  Random random(seed);
  const DType dtype = kAllDTypes[random.Between(0, std::size(kAllDTypes) - 1)];
  Dims shape;
  for (int64_t rank = random.Between(0, 4); rank > 0; --rank) shape.push_back(random.Between(1, rank > 2 ? 3 : 9));
  if (!shape.empty() && random.OneIn(10)) shape[0] = 0;
  const bool blocks = random.OneIn(2);
  ModelView source = blocks ? MakeBlock(random, dtype, shape) : MakeView(random, dtype, shape);
  ModelView target = blocks ? MakeBlock(random, dtype, shape) : MakeView(random, dtype, shape);
  const std::vector<std::byte> expected = CopyPlainly(source, target, shape);
  CopyPlan plan;
  plan.Prepare(source.ref, target.ref);
  const int64_t chunk = random.OneIn(2) ? 32 * 1024 : random.Between(1, 100);
  int64_t chunks = 1;
  while (!plan.CopyChunk(chunk)) ASSERT_LE(++chunks, 10'000'000);
  ASSERT_EQ(std::memcmp(expected.data(), target.allocation->data(), expected.size()), 0)
      << source.ref.Describe() << " of " << source.allocation->shape().ToString() << " to " << target.ref.Describe()
      << " of " << target.allocation->shape().ToString();
}

TEST(CopyPlanFuzzTest, MovesExactlyTheBytesOfThePlainLoop) {
  for (int seed = 0; seed < Times(5'000, 1'000); ++seed) {
    ASSERT_NO_FATAL_FAILURE(CheckOne(seed)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace strandcore::testing
