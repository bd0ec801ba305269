// Random views of views of views, compared with a model that knows nothing of strides: a list of the offsets of all
// elements, from which every operation picks.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/memory/tiling.h"
#include "runtime/memory/walk.h"
#include "tests/memory/support.h"

namespace strandcore {
namespace {

struct Model {
  Dims shape;
  std::vector<int64_t> offsets;  // in row-major order of `shape`
};

// The model of the view whose element `i` (a multi-index) is element `pick(i)` of `model`.
template <typename Pick>
Model Picked(const Model& model, const Dims& shape, Pick&& pick) {
  Model picked = {shape, {}};
  const Dims dense = RowMajorStrides(shape);
  const Dims from = RowMajorStrides(model.shape);
  for (int64_t flat = 0; flat < shape.Product(); ++flat) {
    Dims index = shape;
    for (int d = 0; d < shape.size(); ++d) index[d] = flat / dense[d] % shape[d];
    const Dims source = pick(index);
    int64_t at = 0;
    for (int d = 0; d < source.size(); ++d) at += source[d] * from[d];
    picked.offsets.push_back(model.offsets[static_cast<size_t>(at)]);
  }
  return picked;
}

class ViewFuzzTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound)); }

  Index RandomIndex(int64_t extent) {
    if (Below(4) == 0) return All();
    if (extent == 0) return Ds(0, 0);
    if (Below(3) == 0) return Index(Below(extent));
    const int64_t start = Below(extent);
    const int64_t stride = 1 + Below(3);
    return Ds(start, Below((extent - 1 - start) / stride + 2), stride);
  }

  void SliceBoth() {
    std::vector<Index> indices;
    for (int64_t n = Below(view_.rank() + 1); n > 0; --n) {
      indices.push_back(RandomIndex(view_.shape()[static_cast<int>(indices.size())]));
    }
    view_ = view_.Slice(indices);
    indices.resize(static_cast<size_t>(model_.shape.size()), All());
    Dims shape;
    for (int d = 0; d < model_.shape.size(); ++d) {
      const Index& index = indices[static_cast<size_t>(d)];
      if (index.kind == Index::Kind::kAll) shape.push_back(model_.shape[d]);
      if (index.kind == Index::Kind::kSlice) shape.push_back(index.size);
    }
    model_ = Picked(model_, shape, [&](const Dims& at) {
      Dims source;
      int next = 0;
      for (const Index& index : indices) {
        source.push_back(index.kind == Index::Kind::kElement ? index.start : index.start + at[next++] * index.stride);
      }
      return source;
    });
  }

  void TransposeBoth() {
    Dims permutation;
    for (int d = 0; d < view_.rank(); ++d) permutation.push_back(d);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    view_ = view_.Transpose(permutation);
    Dims shape = model_.shape;
    for (int d = 0; d < shape.size(); ++d) shape[d] = model_.shape[static_cast<int>(permutation[d])];
    model_ = Picked(model_, shape, [&](const Dims& at) {
      Dims source = at;
      for (int d = 0; d < at.size(); ++d) source[static_cast<int>(permutation[d])] = at[d];
      return source;
    });
  }

  // Splits a dimension in two, or merges two: which need not be possible in place.
  void ReshapeBoth() {
    if (view_.rank() == 0 || view_.rank() >= 6) return;
    const int chosen = static_cast<int>(Below(view_.rank()));
    const bool merge = chosen + 1 < view_.rank() && Below(2) == 0;
    Dims shape;
    for (int d = 0; d < view_.rank(); ++d) {
      const int64_t size = view_.shape()[d];
      if (d != chosen) {
        shape.push_back(size);
      } else if (merge) {
        shape.push_back(size * view_.shape()[++d]);
      } else {
        const int64_t factor = size > 0 && size % 2 == 0 ? 2 : 1;
        shape.push_back(factor);
        shape.push_back(size / factor);
      }
    }
    const std::string refused = StopOf([&] { view_ = view_.Reshape(shape); });
    EXPECT_TRUE(refused.empty() || merge) << refused;
    if (refused.empty()) model_.shape = shape;
  }

  void ExpectSame(const std::string& trail) {
    ASSERT_EQ(view_.shape().ToString(), model_.shape.ToString()) << trail;
    std::vector<int64_t> offsets;
    const int64_t columns = MatrixSizeOf(view_.shape()).columns;
    const int64_t step = view_.rank() == 0 ? 1 : view_.strides().back();
    ForEachRow(view_.shape(), view_.strides(), view_.strides(), [&](int64_t row, int64_t) {
      for (int64_t c = 0; c < columns; ++c) offsets.push_back(view_.offset() + row + c * step);
    });
    ASSERT_EQ(offsets, model_.offsets) << trail;
  }

  std::mt19937_64 random_{20240723};
  Ref view_;
  Model model_;
};

TEST_F(ViewFuzzTest, EveryViewSeesTheElementsOfTheModel) {
  const Dims shapes[] = {{12, 20}, {2, 3, 4}, {7}, {}, {2, 2, 3, 5}, {8, 128}, {1, 1, 6, 2, 2}};
  for (int run = 0; run < 4000; ++run) {
    const auto x = MakeX(DType::kInt32, shapes[run % std::size(shapes)], MemorySpace::kVmem, Fill::kZero);
    view_ = Ref(x.get());
    model_ = {Dims::Filled(0, 0), {}};
    model_.shape = x->shape();
    for (int64_t i = 0; i < x->shape().Product(); ++i) {
      int64_t offset = 0;
      const Dims dense = RowMajorStrides(x->shape());
      for (int d = 0; d < dense.size(); ++d) offset += i / dense[d] % x->shape()[d] * x->physical_strides()[d];
      model_.offsets.push_back(offset);
    }
    std::string trail = "run " + std::to_string(run) + ": " + x->shape().ToString();
    for (int64_t steps = 1 + Below(5); steps > 0; --steps) {
      const int64_t operation = Below(5);
      operation < 3 ? SliceBoth() : operation == 3 ? TransposeBoth() : ReshapeBoth();
      trail += (operation < 3 ? " slice " : operation == 3 ? " transpose " : " reshape ") + view_.shape().ToString();
      ASSERT_NO_FATAL_FAILURE(ExpectSame(trail));
    }
  }
}

}  // namespace
}  // namespace strandcore
