#include "runtime/memory/ref.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/memory/walk.h"
#include "tests/memory/support.h"

namespace strandcore {
namespace {

// The offsets of the view's elements in row-major order, as its memory, numbered, says.
std::vector<int32_t> Elements(const Ref& view) {
  std::vector<int32_t> elements;
  const int64_t columns = MatrixSizeOf(view.shape()).columns;
  const int64_t step = view.rank() == 0 ? 1 : view.strides().back();
  ForEachRow(view.shape(), view.strides(), view.strides(), [&](int64_t row, int64_t) {
    for (int64_t c = 0; c < columns; ++c) {
      elements.push_back(reinterpret_cast<const int32_t*>(view.data())[row + c * step]);
    }
  });
  return elements;
}

// x of shape (12, 20) in (16, 128), numbered.
class RefTest : public testing::Test {
 protected:
  RefTest() { NumberElements(*allocation_); }

  const std::unique_ptr<Allocation> allocation_ = MakeX(DType::kInt32, {12, 20});
  const Ref x_ = Ref(allocation_.get());
};

TEST_F(RefTest, OfAnAllocationIsAllOfIt) {
  EXPECT_EQ(x_.shape().ToString(), "(12, 20)");
  EXPECT_EQ(x_.strides().ToString(), "(128, 1)");
  EXPECT_EQ(x_.rank(), 2);
  EXPECT_EQ(x_.bytes(), 12 * 20 * 4);
  EXPECT_EQ(x_.data(), allocation_->data());
  EXPECT_EQ(x_.name(), "x");
  EXPECT_EQ(x_.space(), MemorySpace::kVmem);
}

TEST_F(RefTest, DescribesItself) {
  EXPECT_EQ(x_.Describe(), "x (12, 20) int32 in VMEM");
  EXPECT_EQ(x_.At(Ds(0, 8)).Describe(), "x (8, 20) int32 in VMEM");
  EXPECT_EQ(Ref().Describe(), "no memory");
}

TEST_F(RefTest, AnIntegerSqueezesItsDimension) {
  EXPECT_EQ(x_.At(3).shape().ToString(), "(20,)");
  EXPECT_EQ(x_.At(3, 5).shape().ToString(), "()");
  EXPECT_EQ(Elements(x_.At(3, 5)), (std::vector<int32_t>{3 * 128 + 5}));
  EXPECT_EQ(Elements(x_.At(All(), 19)).back(), 11 * 128 + 19);
  EXPECT_EQ(x_.At(size_t{2}, int8_t{1}).offset(), 257);
}

TEST_F(RefTest, ASliceKeepsItsDimension) {
  const Ref view = x_.At(Ds(4, 2), Ds(18, 2));
  EXPECT_EQ(view.shape().ToString(), "(2, 2)");
  EXPECT_EQ(Elements(view), (std::vector<int32_t>{530, 531, 658, 659}));
}

TEST_F(RefTest, AStridedSliceSkips) {
  EXPECT_EQ(Elements(x_.At(Ds(1, 3, 5), Ds(0, 2, 19))), (std::vector<int32_t>{128, 147, 768, 787, 1408, 1427}));
}

TEST_F(RefTest, FewerIndicesLeaveTheRestWhole) {
  EXPECT_EQ(x_.At().shape().ToString(), "(12, 20)");
  EXPECT_EQ(x_.At(All()).shape().ToString(), "(12, 20)");
  const std::vector<Index> indices = {Ds(2, 2)};
  EXPECT_EQ(x_.Slice(indices).shape().ToString(), "(2, 20)");
}

TEST_F(RefTest, ViewsOfViewsCompose) {
  const Ref view = x_.At(Ds(2, 5, 2)).At(Ds(1, 2, 3), Ds(4, 3)).At(All(), 1);  // rows 4, 10; column 5
  EXPECT_EQ(Elements(view), (std::vector<int32_t>{4 * 128 + 5, 10 * 128 + 5}));
}

TEST_F(RefTest, EmptySlicesAreAllowedAnywhere) {
  EXPECT_EQ(x_.At(Ds(0, 0)).bytes(), 0);
  EXPECT_EQ(x_.At(Ds(12, 0), Ds(20, 0)).shape().ToString(), "(0, 0)");
  EXPECT_EQ(x_.At(Ds(12, 0)).data(), x_.data());
  EXPECT_EQ(x_.At(Ds(12, 0)).At(Ds(0, 0)).elements(), 0);
  EXPECT_EQ(x_.At(Ds(13, 0)).data(), x_.data());
  EXPECT_EQ(x_.At(Ds(1000, 0)).At(Ds(7, 0)).elements(), 0);
}

TEST_F(RefTest, TransposeSwapsDimensions) {
  const Ref view = x_.At(Ds(0, 2), Ds(0, 3)).Transpose({1, 0});
  EXPECT_EQ(view.shape().ToString(), "(3, 2)");
  EXPECT_EQ(Elements(view), (std::vector<int32_t>{0, 128, 1, 129, 2, 130}));
}

TEST_F(RefTest, TransposeRefusesWhatIsNoPermutation) {
  EXPECT_EQ(StopOf([&] {
              x_.Transpose({0, 0});
            }),
            "operand x: expected a permutation of the 2 dimensions of (12, 20); given (0, 0)");
  EXPECT_NE(StopOf([&] { x_.Transpose({0}); }), "");
  EXPECT_NE(StopOf([&] { x_.Transpose({0, 2}); }), "");
  EXPECT_NE(StopOf([&] { x_.Transpose({0, 1, -1}); }), "");
}

TEST_F(RefTest, ReshapeSplitsDimensions) {
  const Ref view = x_.At(Ds(0, 4)).Reshape({2, 2, 1, 5, 4});
  EXPECT_EQ(Elements(view), Elements(x_.At(Ds(0, 4))));
  EXPECT_EQ(view.At(1, 0, 0, 2).offset(), 2 * 128 + 8);
  EXPECT_TRUE(view.reshaped());
}

TEST_F(RefTest, ReshapeMergesWhatIsContiguous) {
  const auto dense = MakeX(DType::kInt32, {2, 8, 128});
  NumberElements(*dense);
  const Ref view = Ref(dense.get()).Reshape({2048});
  EXPECT_EQ(view.strides().ToString(), "(1,)");
  EXPECT_EQ(Elements(view.At(Ds(1000, 3))), (std::vector<int32_t>{1000, 1001, 1002}));
}

TEST_F(RefTest, ReshapeThatOnlyAddsOnesKeepsItsDimensions) {
  const Ref view = x_.Reshape({12, 1, 20, 1});
  EXPECT_FALSE(view.reshaped());
  EXPECT_EQ(Elements(view), Elements(x_));
  EXPECT_EQ(Elements(view.Reshape({12, 20})), Elements(x_));
}

TEST_F(RefTest, ReshapeThatWouldCopyIsRefused) {
  EXPECT_EQ(StopOf([&] { x_.Reshape({240}); }),
            "operand x: cannot reshape the view (12, 20) to (240,) without a copy: its elements do not follow each "
            "other in memory");
  EXPECT_EQ(StopOf([&] {
              x_.Reshape({12, 21});
            }),
            "operand x: cannot reshape (12, 20), 240 elements, to (12, 21), 252 elements");
  EXPECT_EQ(StopOf([&] {
              x_.Reshape({-12, -20});
            }),
            "operand x: shape (-12, -20) has size -12 in dimension 0; sizes must not be negative");
}

TEST_F(RefTest, ReshapeOfNothingIsAllowed) {
  EXPECT_EQ(x_.At(Ds(0, 0)).Reshape({5, 0, 3}).shape().ToString(), "(5, 0, 3)");
}

TEST_F(RefTest, SqueezeDropsFlaggedDimensions) {
  const Ref view = x_.At(Ds(3, 1), Ds(4, 2)).Squeeze(1u << 0);
  EXPECT_EQ(Elements(view), (std::vector<int32_t>{3 * 128 + 4, 3 * 128 + 5}));
  EXPECT_EQ(view.rank(), 1);
  EXPECT_EQ(x_.Squeeze(0).rank(), 2);
  EXPECT_EQ(StopOf([&] { x_.Squeeze(1u << 1); }),
            "operand x: cannot squeeze dimension 1 of (12, 20): its size is not 1");
}

TEST_F(RefTest, PortIsCarriedOn) {
  RecordingPort port;
  EXPECT_EQ(x_.port(), nullptr);
  EXPECT_EQ(Ref(x_.allocation(), &port).At(3).Squeeze(0).port(), &port);
}

TEST_F(RefTest, UncheckedWindowIsAPlainSlice) {
  const Ref window = x_.UncheckedWindow({8, 16}, {4, 4}, false);
  EXPECT_EQ(Elements(window), Elements(x_.At(Ds(8, 4), Ds(16, 4))));
  EXPECT_FALSE(window.overruns());
  EXPECT_EQ(window.strides(), x_.strides());
}

TEST_F(RefTest, RowsOutsideAreNamed) {
  EXPECT_EQ(StopOf([&] { x_.At(Ds(8, 8)); }), "operand x: rows 8–15 of dimension 0 lie outside 0–11");
  EXPECT_EQ(StopOf([&] { x_.At(12); }), "operand x: row 12 of dimension 0 lies outside 0–11");
  EXPECT_EQ(StopOf([&] { x_.At(-1); }), "operand x: row -1 of dimension 0 lies outside 0–11");
}

TEST_F(RefTest, ColumnsOutsideAreNamed) {
  EXPECT_EQ(StopOf([&] { x_.At(All(), Ds(20, 1)); }), "operand x: column 20 of dimension 1 lies outside 0–19");
  EXPECT_EQ(StopOf([&] { x_.At(All(), 20); }), "operand x: column 20 of dimension 1 lies outside 0–19");
}

TEST_F(RefTest, StridedSlicesOutsideAreNamed) {
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 7, 2)); }), "operand x: rows 0–12 in steps of 2 of dimension 0 lie outside 0–11");
  EXPECT_EQ(x_.At(Ds(1, 6, 2)).shape()[0], 6);
  EXPECT_EQ(StopOf([&] { x_.At(Ds(1, INT64_MAX, INT64_MAX)); }),
            "operand x: rows 1–9223372036854775807 in steps of 9223372036854775807 of dimension 0 lie outside 0–11");
}

TEST_F(RefTest, SenselessSlicesAreNamed) {
  EXPECT_EQ(StopOf([&] { x_.At(Ds(-2, 4)); }), "operand x: a slice of dimension 0 has start -2; expected 0 or more");
  EXPECT_EQ(StopOf([&] { x_.At(All(), Ds(0, -4)); }),
            "operand x: a slice of dimension 1 has size -4; expected 0 or more");
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 4, 0)); }), "operand x: a slice of dimension 0 has stride 0; expected 1 or more");
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 4, -1)); }),
            "operand x: a slice of dimension 0 has stride -1; expected 1 or more");
}

TEST_F(RefTest, TooManyIndicesAreNamed) {
  EXPECT_EQ(StopOf([&] { x_.At(0, 0, 0); }), "operand x: 3 indices given for 2 dimensions, shape (12, 20)");
}

TEST_F(RefTest, BoundsAreThoseOfTheViewNotOfTheMemory) {
  EXPECT_EQ(StopOf([&] { x_.At(Ds(4, 4)).At(4); }), "operand x: row 4 of dimension 0 lies outside 0–3");
  EXPECT_EQ(StopOf([&] { x_.At(3).At(20); }), "operand x: element 20 of dimension 0 lies outside 0–19");
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 0)).At(0); }),
            "operand x: row 0 of dimension 0 lies outside the dimension, which is empty");
}

TEST_F(RefTest, LeadingDimensionsHaveIndices) {
  const auto cube = MakeX(DType::kInt32, {2, 3, 4});
  EXPECT_EQ(StopOf([&] { Ref(cube.get()).At(Ds(1, 2)); }), "operand x: indices 1–2 of dimension 0 lie outside 0–1");
  EXPECT_EQ(StopOf([&] { Ref(cube.get()).At(0, 3); }), "operand x: row 3 of dimension 1 lies outside 0–2");
}

TEST_F(RefTest, ViolationsAreOutOfRangeErrors) {
  try {
    x_.At(12);
    FAIL();
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.status.code(), absl::StatusCode::kOutOfRange);
  }
}

}  // namespace
}  // namespace strandcore
