#include "runtime/memory/bounds.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "runtime/memory/footprint.h"
#include "runtime/memory/window.h"
#include "tests/memory/support.h"

namespace strandcore {
namespace {

using Ints = OwnedWindow<int32_t>;

constexpr int32_t kPoison = INT32_MAX;

// x of shape (10, 150) and type int32 in VMEM, padded to (16, 256), element (i, j) = 1000 i + j, 7 in the padding.
class BoundsTest : public testing::Test {
 protected:
  BoundsTest() {
    for (int64_t i = 0; i < 16; ++i) {
      for (int64_t j = 0; j < 256; ++j) At(i, j) = i < 10 && j < 150 ? static_cast<int32_t>(1000 * i + j) : 7;
    }
  }
  int32_t& At(int64_t i, int64_t j) { return reinterpret_cast<int32_t*>(allocation_->data())[i * 256 + j]; }
  void Permit(Bounds bounds, OutOfRangeReads reads) {
    port_.bounds = bounds;
    port_.out_of_range_reads = reads;
  }
  void PermitPadding() { Permit(Bounds::kPadded, OutOfRangeReads::kFault); }
  void PermitReads() { Permit(Bounds::kLogical, OutOfRangeReads::kUninitialised); }
  void ExpectPaddingUntouched() {
    for (int64_t i = 0; i < 16; ++i) {
      for (int64_t j = 0; j < 256; ++j) {
        if (i < 10 && j < 150) continue;
        ASSERT_EQ(At(i, j), 7) << i << ", " << j;
      }
    }
  }

  RecordingPort port_;
  const std::unique_ptr<Allocation> allocation_ = MakeX(DType::kInt32, {10, 150});
  const Ref x_ = Ref(allocation_.get(), &port_);
};

TEST_F(BoundsTest, ByDefaultTheSliceStops) {
  EXPECT_EQ(StopOf([&] { x_.At(Ds(4, 8)); }), "operand x: rows 4–11 of dimension 0 lie outside 0–9");
  EXPECT_EQ(StopOf([&] { x_.At(10); }), "operand x: row 10 of dimension 0 lies outside 0–9");
}

TEST_F(BoundsTest, ViewsOfTheHostNeverReachOut) {
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  EXPECT_EQ(StopOf([&] { Ref(x_.allocation()).At(10); }), "operand x: row 10 of dimension 0 lies outside 0–9");
}

TEST_F(BoundsTest, AReadGivesPoisonOutside) {
  for (Bounds bounds : {Bounds::kLogical, Bounds::kPadded}) {
    Permit(bounds, OutOfRangeReads::kUninitialised);
    const Ints rows = x_.At(Ds(8, 20), Ds(148, 3)).Load<int32_t>();
    for (int64_t i = 0; i < 20; ++i) {
      for (int64_t j = 0; j < 3; ++j) ASSERT_EQ(rows(i, j), i < 2 && j < 2 ? 1000 * (i + 8) + j + 148 : kPoison);
    }
    EXPECT_TRUE((x_.At(1'000'000).Load<int32_t>() == kPoison).all());
    EXPECT_EQ(x_.Get<int32_t>({9, 149}), 9149);
    EXPECT_EQ(x_.Get<int32_t>({9, 150}), kPoison);
    EXPECT_EQ(x_.Get<int32_t>({16, 256}), kPoison);
    EXPECT_EQ(x_.At(9, 150).Get<int32_t>(), kPoison);
    EXPECT_EQ(x_.At(10, 3).Load<int32_t>()(0, 0), kPoison);
  }
}

TEST_F(BoundsTest, APaddedReadGivesPoisonInThePadding) {
  PermitPadding();
  const Ints rows = x_.At(Ds(8, 8), Ds(149, 107)).Load<int32_t>();
  EXPECT_EQ(rows(1, 0), 9149);
  EXPECT_EQ(rows(2, 0), kPoison) << "what lies there does not show";
  EXPECT_EQ(rows(0, 1), kPoison);
  EXPECT_EQ(x_.Get<int32_t>({15, 255}), kPoison);
  EXPECT_EQ(StopOf([&] { x_.At(Ds(9, 8)); }), "operand x: rows 9–16 of dimension 0 lie outside 0–9");
  EXPECT_EQ(StopOf([&] { x_.Get<int32_t>({0, 256}); }), "operand x: column 256 of dimension 1 lies outside 0–149");
}

TEST_F(BoundsTest, APaddedWriteIsDroppedInThePadding) {
  for (OutOfRangeReads reads : {OutOfRangeReads::kFault, OutOfRangeReads::kUninitialised}) {
    Permit(Bounds::kPadded, reads);
    x_.At(Ds(8, 8), Ds(148, 100)).Store(Ints::Constant(8, 100, -1));
    EXPECT_EQ(At(9, 149), -1);
    EXPECT_EQ(At(7, 149), 7149);
    x_.At(Ds(0, 2, 15)).Store(Ints::Constant(2, 150, -2));
    EXPECT_EQ(At(0, 0), -2);
    x_.Set<int32_t>(-3, {10, 0});
    x_.At(3).Set<int32_t>(-3, {150});
    x_.At(3, 150).Set<int32_t>(-3);
    x_.At(Ds(10, 6)).Store(Ints::Constant(6, 150, -3));
    ExpectPaddingUntouched();
  }
}

TEST_F(BoundsTest, AWriteStopsWhereOnlyReadsArePermitted) {
  PermitReads();
  const Ref rows = x_.At(Ds(4, 8));
  EXPECT_EQ(StopOf([&] { rows.Store(Ints::Zero(8, 150)); }),
            "operand x: rows 4–11 of dimension 0 lie outside 0–9; only a read may reach there");
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 4, 5)).Store(Ints::Zero(4, 150)); }),
            "operand x: rows 0–15 in steps of 5 of dimension 0 lie outside 0–9; only a read may reach there");
  EXPECT_EQ(StopOf([&] {
              x_.Set<int32_t>(1, {3, 150});
            }),
            "operand x: column 150 of dimension 1 lies outside 0–149; only a read may reach there");
  EXPECT_EQ(StopOf([&] {
              x_.Transpose({1, 0}).At(3, 10).Store(Ints::Zero(1, 1));
            }),
            "operand x: row 10 of dimension 0 lies outside 0–9; only a read may reach there");
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  EXPECT_EQ(StopOf([&] { x_.At(Ds(10, 8)).Store(Ints::Zero(8, 150)); }),
            "operand x: rows 10–17 of dimension 0 lie outside 0–15, the padding included; only a read may reach there");
  EXPECT_EQ(At(4, 0), 4000);
  ExpectPaddingUntouched();
}

TEST_F(BoundsTest, WhatTheMaskLeavesOutIsNotUsed) {
  OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(8, 150, false);
  mask(5, 3) = true;  // row 9
  PermitReads();
  const Ref rows = x_.At(Ds(4, 8));
  rows.Store(Ints::Constant(8, 150, -1), mask);
  EXPECT_EQ(At(9, 3), -1);
  EXPECT_EQ(At(9, 4), 9004);
  mask(6, 3) = true;
  EXPECT_EQ(
      StopOf([&] { rows.Store(Ints::Constant(8, 150, -1), mask); }),
      "operand x: rows 4–11 of dimension 0 lie outside 0–9, and the mask takes some; only a read may reach there");
  const Ints loaded = rows.Load<int32_t>(mask, 5);
  EXPECT_EQ(loaded(5, 3), -1);
  EXPECT_EQ(loaded(6, 3), kPoison);
  EXPECT_EQ(loaded(7, 3), 5);
  PermitPadding();
  x_.At(Ds(4, 8)).Store(Ints::Constant(8, 150, -2), mask);
  EXPECT_EQ(At(9, 3), -2);
  EXPECT_EQ(x_.At(Ds(4, 8)).Load<int32_t>(mask, 5)(6, 3), kPoison);
  ExpectPaddingUntouched();
}

TEST_F(BoundsTest, AMaskOfOneElementCounts) {
  PermitReads();
  const Ref element = x_.At(10, 0);
  const OwnedWindow<bool> yes = OwnedWindow<bool>::Constant(1, 1, true);
  element.Store(Ints::Zero(1, 1), OwnedWindow<bool>::Constant(1, 1, false));
  EXPECT_NE(StopOf([&] { element.Store(Ints::Zero(1, 1), yes); }), "");
  EXPECT_EQ(element.Load<int32_t>(yes, 5)(0, 0), kPoison);
}

TEST_F(BoundsTest, ThereIsAMapOnlyOfWhatLiesInside) {
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  const Ref rows = x_.At(Ds(4, 8), Ds(100, 50));
  EXPECT_EQ(StopOf([&] { rows.Read<int32_t>(); }),
            "operand x: only (6, 50) of the view (8, 50) lies within its array, so it has no map; use Load or Store");
  EXPECT_NE(StopOf([&] { rows.ReadWrite<int32_t>(); }), "");
  EXPECT_NE(StopOf([&] { x_.At(10, 3).Write<int32_t>(); }), "") << "also of rank 0";
  rows.At(Ds(0, 6)).Write<int32_t>()(5, 49) = -1;
  EXPECT_EQ(At(9, 149), -1);
}

TEST_F(BoundsTest, ViewsOfViewsThatReachOutAreClippedToo) {
  PermitReads();
  const Ref block = x_.At(Ds(8, 8), Ds(100, 100));
  EXPECT_EQ(block.At(1, 49).Get<int32_t>(), 9149);
  EXPECT_EQ(block.At(1, 50).Get<int32_t>(), kPoison);
  EXPECT_EQ(block.Transpose({1, 0}).At(Ds(48, 4), 1).Load<int32_t>().maxCoeff(), kPoison);
  EXPECT_EQ(block.Transpose({1, 0}).At(Ds(46, 4), 1).Load<int32_t>().maxCoeff(), 9149);
  EXPECT_EQ(block.At(8, 0).Get<int32_t>(), kPoison) << "beyond the view, which ends beyond the array";
  EXPECT_EQ(block.At(Ds(6, 100), Ds(99, 100)).Load<int32_t>().minCoeff(), kPoison);
  EXPECT_EQ(StopOf([&] { block.Reshape({800}); }).substr(0, 28), "operand x: cannot reshape th");
}

TEST_F(BoundsTest, WhatLiesInTheArrayBehindTheViewIsSomebodyElses) {
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  EXPECT_EQ(StopOf([&] { x_.At(Ds(0, 4)).At(4); }), "operand x: row 4 of dimension 0 lies outside 0–3");
  EXPECT_EQ(StopOf([&] { x_.At(0, Ds(0, 70, 2)).At(Ds(60, 20)); }),
            "operand x: elements 60–79 of dimension 0 lie outside 0–69")
      << "the last one lies outside, but column 140 does not";
  EXPECT_EQ(x_.At(0, Ds(1, 75, 2)).At(75).Get<int32_t>(), kPoison) << "column 151";
  EXPECT_EQ(x_.At(Ds(6, 4)).At(4, 0).Get<int32_t>(), kPoison) << "a view up to the end of the array";
}

TEST_F(BoundsTest, MistakesStopWhateverIsPermitted) {
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  EXPECT_EQ(StopOf([&] { x_.At(-1); }), "operand x: row -1 of dimension 0 lies outside 0–9");
  EXPECT_EQ(StopOf([&] { x_.At(Ds(-1, 4)); }), "operand x: a slice of dimension 0 has start -1; expected 0 or more");
  EXPECT_NE(StopOf([&] { x_.At(Ds(0, 4, 0)); }), "");
  EXPECT_NE(StopOf([&] { x_.Reshape({2, 5, 150}).At(2); }), "") << "a reshaped view has no end of its own";
  EXPECT_NE(StopOf([&] { x_.Reshape({10, 1, 150}).At(0, 1); }), "") << "nor has an added dimension";
}

TEST_F(BoundsTest, NumbersThatOverflowStop) {
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  constexpr int64_t kMost = INT64_MAX;
  EXPECT_NE(StopOf([&] { x_.At(kMost); }), "");
  EXPECT_NE(StopOf([&] { x_.At(Ds(kMost, kMost)); }), "");
  EXPECT_NE(StopOf([&] { x_.At(Ds(0, 3, kMost / 2)); }), "");
  EXPECT_NE(StopOf([&] { x_.At(Ds(0, int64_t{1} << 40), Ds(0, int64_t{1} << 40)); }), "");
}

TEST_F(BoundsTest, EmptySlicesReachNothing) {
  PermitReads();
  const Ref nothing = x_.At(Ds(100, 0));
  EXPECT_FALSE(nothing.reaches_out());
  nothing.Store(Ints(0, 150));
  x_.At(Ds(12, 4), Ds(150, 0)).Store(Ints(4, 0));
  EXPECT_EQ(x_.At(Ds(12, 4), Ds(150, 0)).Load<int32_t>().size(), 0);
}

TEST_F(BoundsTest, SmemHasNoPadding) {
  const auto smem = MakeX(DType::kInt32, {5}, MemorySpace::kSmem, Fill::kZero);
  const Ref slots(smem.get(), &port_);
  PermitPadding();
  EXPECT_EQ(StopOf([&] { slots.Set<int32_t>(1, {5}); }), "operand x: element 5 of dimension 0 lies outside 0–4");
  EXPECT_EQ(StopOf([&] { slots.Get<int32_t>({5}); }), "operand x: element 5 of dimension 0 lies outside 0–4");
  Permit(Bounds::kPadded, OutOfRangeReads::kUninitialised);
  EXPECT_EQ(slots.Get<int32_t>({5}), kPoison);
  EXPECT_NE(StopOf([&] { slots.Set<int32_t>(1, {5}); }), "");
}

TEST_F(BoundsTest, NorHasAdoptedMemory) {
  int32_t host[12] = {};
  const auto dense = Allocation::Borrow({.name = "x", .dtype = DType::kInt32, .shape = {3, 4}}, {3, 4}, host);
  ASSERT_TRUE(dense.ok());
  const Ref view(dense->get(), &port_);
  PermitPadding();
  EXPECT_NE(StopOf([&] { view.At(3); }), "");
  PermitReads();
  EXPECT_TRUE((view.At(All(), Ds(4, 4)).Load<int32_t>() == kPoison).all());
}

TEST_F(BoundsTest, EveryTypeReadsAsItsPoison) {
  PermitReads();
  for (DType dtype : kAllDTypes) {
    const auto allocation = MakeX(dtype, {3}, MemorySpace::kSmem, Fill::kZero);
    const Ref view(allocation.get(), &port_);
    VisitDType(dtype, [&]<typename T>(std::type_identity<T>) {
      T poison;
      FillPoison(dtype, &poison, 1);
      const T given = view.Get<T>({3});
      EXPECT_EQ(std::memcmp(&given, &poison, sizeof(T)), 0) << DTypeName(dtype);
    });
  }
}

TEST_F(BoundsTest, RefusedReachSaysWhere) {
  PermitReads();
  EXPECT_EQ(StopOf([&] { RefuseReach(x_.At(Ds(8, 8)), "; no"); }),
            "operand x: rows 8–15 of dimension 0 lie outside 0–9; no");
  EXPECT_EQ(StopOf([&] { RefuseReach(x_.At(Ds(8, 8)).At(Ds(0, 2)), "; no"); }), "");
  EXPECT_EQ(StopOf([&] { RefuseReach(x_.At(Ds(2, 8)), "; no"); }), "");
}

TEST_F(BoundsTest, AUseThatStopsIsNotDeclared) {
  PermitReads();
  EXPECT_NE(StopOf([&] { x_.At(Ds(4, 8)).Store(Ints::Zero(8, 150)); }), "");
  EXPECT_TRUE(port_.accesses.empty());
}

}  // namespace
}  // namespace strandcore
