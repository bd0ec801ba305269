#include "runtime/memory/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/memory/support.h"

namespace strandcore {
namespace {

// x of shape (3, 4) and type float32 in VMEM, element (i, j) = 10 i + j, with a port that listens.
class WindowTest : public testing::Test {
 protected:
  WindowTest() {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) Memory(i, j) = 10.0f * static_cast<float>(i) + static_cast<float>(j);
    }
  }
  float& Memory(int i, int j) { return reinterpret_cast<float*>(allocation_->data())[i * 128 + j]; }

  RecordingPort port_;
  const std::unique_ptr<Allocation> allocation_ = MakeX(DType::kFloat32, {3, 4});
  const Ref x_ = Ref(allocation_.get(), &port_);
};

TEST_F(WindowTest, ReadSeesTheMemory) {
  const auto window = x_.Read<float>();
  EXPECT_EQ(window.rows(), 3);
  EXPECT_EQ(window.cols(), 4);
  EXPECT_EQ(window(2, 3), 23);
  EXPECT_EQ(window.data(), &Memory(0, 0));
}

TEST_F(WindowTest, WriteChangesTheMemoryAndNothingBesideIt) {
  x_.At(Ds(1, 2), Ds(1, 2)).Write<float>() = 2.0f * x_.At(Ds(0, 2), Ds(2, 2)).Read<float>();
  EXPECT_EQ(Memory(1, 1), 4);
  EXPECT_EQ(Memory(2, 2), 26);
  EXPECT_EQ(Memory(1, 0), 10);
  EXPECT_EQ(Memory(1, 3), 13);
}

TEST_F(WindowTest, ReadWriteUpdatesInPlace) {
  x_.ReadWrite<float>() += 1.0f;
  EXPECT_EQ(Memory(2, 3), 24);
}

TEST_F(WindowTest, TakingOneDeclaresTheAccessOfThePart) {
  x_.At(Ds(1, 2)).Read<float>();
  x_.Write<float>(Site{"body.cc", "Body", 7});
  x_.ReadWrite<float>();
  ASSERT_EQ(port_.accesses.size(), 3u);
  EXPECT_EQ(port_.accesses[0].mode, AccessMode::kRead);
  EXPECT_EQ(port_.accesses[0].part.shape().ToString(), "(2, 4)");
  EXPECT_EQ(port_.accesses[0].site.ToString().substr(0, 15), "window_test.cc:");
  EXPECT_EQ(port_.accesses[1].mode, AccessMode::kWrite);
  EXPECT_EQ(port_.accesses[1].site.ToString(), "body.cc:7");
  EXPECT_EQ(port_.accesses[2].mode, AccessMode::kReadWrite);
}

TEST_F(WindowTest, APortThatDoesNotListenIsNotCalled) {
  port_.observed = false;
  x_.Read<float>();
  EXPECT_TRUE(port_.accesses.empty());
}

TEST_F(WindowTest, LowerRanksAreSmallMatrices) {
  EXPECT_EQ(x_.At(2).Read<float>().rows(), 1);
  EXPECT_EQ(x_.At(2).Read<float>().cols(), 4);
  EXPECT_EQ(x_.At(2, 1).Read<float>()(0, 0), 21);
  EXPECT_EQ(x_.At(2, 1).Read<float>().size(), 1);
  EXPECT_EQ(x_.At(Ds(0, 0)).Read<float>().size(), 0);
}

TEST_F(WindowTest, AColumnSliceIsAMatrixOfOneColumn) {
  const auto column = x_.At(All(), Ds(2, 1)).Read<float>();
  EXPECT_EQ(column.rows(), 3);
  EXPECT_EQ(column(2, 0), 22);
}

TEST_F(WindowTest, RowsMayBeStrided) { EXPECT_EQ(x_.At(Ds(0, 2, 2)).Read<float>()(1, 1), 21); }

TEST(WindowRank3Test, LeadingDimensionsAreMergedWhereTheRowsAreEven) {
  const auto cube = MakeX(DType::kFloat32, {2, 8, 4});
  const Ref x(cube.get());
  for (int i = 0; i < 2; ++i) x.At(i).Write<float>() = static_cast<float>(i);
  EXPECT_EQ(x.Read<float>().rows(), 16);
  EXPECT_EQ(x.Read<float>()(7, 3), 0);
  EXPECT_EQ(x.Read<float>()(8, 0), 1);
  EXPECT_EQ(x.At(All(), Ds(5, 1)).Read<float>()(1, 0), 1);  // one row of each
}

TEST(WindowRank3Test, PaddingBetweenThePartsIsRefused) {
  const auto cube = MakeX(DType::kFloat32, {2, 3, 4});
  const Ref x(cube.get());
  EXPECT_EQ(StopOf([&] { x.Read<float>(); }),
            "operand x: the rows of (2, 3, 4) do not follow each other evenly in memory, so they are no matrix; take "
            "a part (x.At(i)), or use Load or Store");
  x.Store(OwnedWindow<float>::Constant(6, 4, 1.5f));
  EXPECT_EQ(x.Load<float>().sum(), 36);
  EXPECT_EQ(x.At(1).Read<float>().sum(), 18);
}

TEST_F(WindowTest, GapsInARowAreRefusedWithAdvice) {
  EXPECT_EQ(StopOf([&] { x_.At(All(), Ds(0, 2, 2)).Read<float>(); }),
            "operand x: the elements of a row of the view (3, 2) lie 2 apart, so it has no map; use Load or Store");
  EXPECT_NE(StopOf([&] { x_.Transpose({1, 0}).Write<float>(); }), "");
  EXPECT_TRUE(port_.accesses.empty());
}

TEST_F(WindowTest, TheWrongTypeIsRefused) {
  const std::string expected = "operand x: expected an access as float32; given int32";
  EXPECT_EQ(StopOf([&] { x_.Read<int32_t>(); }), expected);
  EXPECT_EQ(StopOf([&] { x_.Write<int32_t>(); }), expected);
  EXPECT_EQ(StopOf([&] { x_.ReadWrite<int32_t>(); }), expected);
  EXPECT_EQ(StopOf([&] { x_.Load<int32_t>(); }), expected);
  EXPECT_EQ(StopOf([&] { x_.Store(OwnedWindow<int32_t>(3, 4)); }), expected);
  EXPECT_EQ(StopOf([&] { x_.Get<int32_t>({0, 0}); }), expected);
  EXPECT_EQ(StopOf([&] { x_.Set(1, {0, 0}); }), expected);
  EXPECT_TRUE(port_.accesses.empty());
}

TEST(WindowSpaceTest, HbmIsRefusedInAKernelOnly) {
  RecordingPort port;
  const auto hbm = MakeX(DType::kFloat32, {3, 4}, MemorySpace::kHbm);
  EXPECT_EQ(StopOf([&] { Ref(hbm.get(), &port).Read<float>(); }),
            "operand x lives in HBM: a kernel cannot load it directly; copy it to VMEM (MakeAsyncCopy, SyncCopy or a "
            "pipeline)");
  EXPECT_EQ(StopOf([&] { Ref(hbm.get()).Read<float>(); }), "");
  const auto any = MakeX(DType::kFloat32, {3, 4}, MemorySpace::kAny);
  EXPECT_NE(StopOf([&] { Ref(any.get(), &port).Set(1.0f, {0, 0}); }), "");
}

TEST_F(WindowTest, LoadCopiesAnyView) {
  const auto values = x_.At(All(), Ds(0, 2, 3)).Transpose({1, 0}).Load<float>();
  EXPECT_EQ(values.rows(), 2);
  EXPECT_EQ(values(1, 2), 23);
  Memory(2, 3) = 0;
  EXPECT_EQ(values(1, 2), 23);
  EXPECT_EQ(port_.accesses.back().mode, AccessMode::kRead);
}

TEST_F(WindowTest, LoadedThroughAMaskOthersStandIn) {
  const auto values = x_.Load<float>(x_.Read<float>() > 11.0f, -1);
  EXPECT_EQ(values(1, 1), -1);
  EXPECT_EQ(values(1, 2), 12);
  EXPECT_EQ(values(0, 0), -1);
}

TEST_F(WindowTest, StoreWritesAnyView) {
  OwnedWindow<float> values(4, 3);
  values.setConstant(7);
  values(3, 0) = 8;
  x_.Transpose({1, 0}).Store(values);
  EXPECT_EQ(Memory(0, 3), 8);
  EXPECT_EQ(Memory(2, 3), 7);
  EXPECT_TRUE(std::isnan(Memory(0, 4)));
  EXPECT_EQ(port_.accesses.back().mode, AccessMode::kWrite);
}

TEST_F(WindowTest, StoredThroughAMaskTheRestStays) {
  OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(3, 4, false);
  mask(1, 2) = true;
  x_.Store(OwnedWindow<float>::Constant(3, 4, -5), mask);
  EXPECT_EQ(Memory(1, 2), -5);
  EXPECT_EQ(Memory(1, 1), 11);
  EXPECT_EQ(Memory(1, 3), 13);
}

TEST_F(WindowTest, StoreTakesMatricesAndItsOwnView) {
  x_.At(Ds(0, 3), Ds(0, 3)).Store(x_.Read<float>().matrix().leftCols(3).transpose());
  EXPECT_EQ(Memory(0, 2), 20);
  EXPECT_EQ(Memory(2, 0), 2);
}

TEST_F(WindowTest, SizesThatDoNotFitAreRefused) {
  EXPECT_EQ(StopOf([&] { x_.Store(OwnedWindow<float>(4, 3)); }),
            "operand x: expected values of 3 x 4 for the view (3, 4); given 4 x 3");
  EXPECT_EQ(StopOf([&] { x_.Load<float>(OwnedWindow<bool>(1, 4), 0); }),
            "operand x: expected mask of 3 x 4 for the view (3, 4); given 1 x 4");
  EXPECT_NE(StopOf([&] { x_.Store(OwnedWindow<float>(3, 4), OwnedWindow<bool>(3, 3)); }), "");
}

TEST_F(WindowTest, GetAndSetTouchOneElement) {
  x_.Set(5.5f, {2, 1});
  EXPECT_EQ(x_.Get<float>({2, 1}), 5.5f);
  EXPECT_EQ(x_.At(2, 1).Get<float>(), 5.5f);
  ASSERT_EQ(port_.accesses.size(), 3u);
  EXPECT_EQ(port_.accesses[0].mode, AccessMode::kWrite);
  EXPECT_EQ(port_.accesses[0].part.offset(), 2 * 128 + 1);
  EXPECT_EQ(port_.accesses[0].part.elements(), 1);
  EXPECT_EQ(port_.accesses[1].mode, AccessMode::kRead);
}

TEST(WindowScalarTest, TheOnlyElementNeedsNoIndex) {
  const auto slot = MakeX(DType::kInt32, {1}, MemorySpace::kSmem);
  Ref(slot.get()).Set(3);
  EXPECT_EQ(Ref(slot.get()).Get<int32_t>(), 3);
  EXPECT_EQ(Ref(slot.get()).Get<int32_t>({0}), 3);
}

TEST_F(WindowTest, GetRefusesWhatIsNotOneElement) {
  EXPECT_EQ(StopOf([&] { x_.Get<float>({1}); }),
            "operand x: expected an index of one element of (3, 4); given (1,), which has 4");
  EXPECT_EQ(StopOf([&] { x_.Get<float>({3, 0}); }), "operand x: row 3 of dimension 0 lies outside 0–2");
  EXPECT_EQ(StopOf([&] { x_.Get<float>({0, 0, 0}); }), "operand x: 3 indices given for 2 dimensions, shape (3, 4)");
  EXPECT_NE(StopOf([&] { x_.Get<float>({0, 0, 0, 0, 0, 0, 0, 0, 0}); }), "");
}

// x of shape (3, 4) in (8, 128): a block of (8, 128) from row 4 on has 4 rows of memory.
TEST_F(WindowTest, PastTheMemoryLoadsArePoisonAndStoresDoNothing) {
  const Ref window = x_.UncheckedWindow({4, 0}, {8, 128}, true);
  window.Store(OwnedWindow<float>::Constant(8, 128, 9));
  const auto values = window.Load<float>();
  EXPECT_EQ(values(3, 127), 9);
  EXPECT_TRUE(std::isnan(values(4, 0)));
  const auto masked = window.Load<float>(OwnedWindow<bool>::Constant(8, 128, true), 0);
  EXPECT_EQ(masked(3, 127), 9);
  EXPECT_TRUE(std::isnan(masked(4, 0)));
}

TEST_F(WindowTest, PastTheMemoryThereIsNoMapAndNoElement) {
  const Ref window = x_.UncheckedWindow({4, 0}, {8, 128}, true);
  EXPECT_EQ(StopOf([&] { window.Read<float>(); }),
            "operand x: only (4, 128) of the view (8, 128) lies within its memory, so it has no map; use Load or "
            "Store");
  EXPECT_EQ(StopOf([&] {
              window.Get<float>({4, 0});
            }),
            "operand x: element (4, 0) of (8, 128) lies past the end of its memory");
  EXPECT_EQ(StopOf([&] { window.At(4, 0).Set(1.0f); }), "operand x: element () of () lies past the end of its memory");
  EXPECT_EQ(StopOf([&] { window.At(Ds(0, 4)).Read<float>(); }), "");
}

TEST(WindowDTypeTest, NarrowFloatsComputeInEigen) {
  const auto x = MakeX(DType::kBfloat16, {8, 128});
  Ref(x.get()).Write<Eigen::bfloat16>() = Eigen::bfloat16(1.5f);
  EXPECT_EQ(Ref(x.get()).Read<Eigen::bfloat16>().cast<float>().sum(), 1536);
  const auto flags = MakeX(DType::kBool, {2, 2});
  Ref(flags.get()).Store(OwnedWindow<bool>::Constant(2, 2, false));
  EXPECT_FALSE(Ref(flags.get()).Read<bool>().any());
}

}  // namespace
}  // namespace strandcore
