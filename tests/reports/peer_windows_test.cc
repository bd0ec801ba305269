// Windows of a pipeline that hold an older block, and one array that a pipeline reads ahead of what it writes
// (interpreter_cases.md W18, W19).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerWindowsReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerWindowsReportTest);

// Copies five blocks; of block `careless` only the upper half.
RefFunction CopiesHalfOfOne(int64_t careless) {
  auto body = [careless](KernelContext& core, Ref x, Ref y) {
    const Index rows = Ds(0, core.ProgramId(0) == careless ? 4 : 8);
    y.At(rows).Write<float>() = x.At(rows).Read<float>();
  };
  return Once(Emit(body, {.grid = {5}, .in_specs = {RowTile()}, .out_specs = {RowTile()}}));
}

// The window of step 2 is that of step 0, whose block would be handed over a second time.
TEST_P(PeerWindowsReportTest, W18WhatAWindowHoldsOfTheBlockOfTwoStepsBeforeIsNotHandedOverInSilence) {
  const Array x = Array::Iota(kF32, {40, 128});
  for (int64_t careless : {2, 3, 4}) {
    Array y(kF32, {40, 128});
    const std::string rows = absl::StrCat("rows ", 8 * careless + 4, "–", 8 * careless + 7);
    EXPECT_THAT(Run(CopiesHalfOfOne(careless), {In("x", x), Out("y", y)}),
                HasOne(FaultKind::kUninitialisedRead,
                       AllOf(HasSubstr("the host is handed y"), HasSubstr(rows), HasSubstr("never written"))));
  }
  Array y(kF32, {40, 128});
  EXPECT_THAT(Run(CopiesHalfOfOne(-1), {In("x", x), Out("y", y)}), IsProved());
  EXPECT_EQ(y, x);
}

// Five steps over one array: step i reads block 1 + i and writes what it read, plus 100, `by` blocks further on.
RefFunction Shifts(int64_t by) {
  auto at = [](int64_t first) {
    return BlockSpec({8, 128}, [first](GridIndex g) { return BlockIndex{first + g[0], 0}; });
  };
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>() + 100.0f; };
  return Once(Emit(body, {.grid = {5}, .in_specs = {at(1)}, .out_specs = {at(1 + by)}}));
}

TEST_P(PeerWindowsReportTest, W19ABlockThatIsWrittenWhereOrAfterItWasReadIsRight) {
  for (int64_t by : {0, -1}) {
    Array a = Array::Iota(kF32, {56, 128});
    const Array before = a;
    EXPECT_THAT(Run(Shifts(by), {In("x", a), Out("y", a)}), IsProved());
    Array expected = before;
    for (int64_t i = 1; i < 6; ++i) {
      expected.Matrix<float>().middleRows(8 * (i + by), 8) = before.Matrix<float>().middleRows(8 * i, 8) + 100.0f;
    }
    EXPECT_EQ(a, expected) << by;
  }
}

}  // namespace
}  // namespace strandcore::testing
