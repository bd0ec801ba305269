// Which elements meet: strided parts and masks, of two cores, and of a core and its copy (interpreter_cases.md W10,
// W11).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PeerPartsReportTest : public ReportTest {
 protected:
  // Kernels may load and store HBM, where two cores meet.
  Simulator& WithHbmAccess(int cores) {
    SimulatorOptions options = OptionsFor(cores);
    options.allow_hbm_access = true;
    return MakeSimulator(options);
  }

  Array x = Array::Iota(kF32, {8, 128});
  Array y = Array::Full(kF32, {8, 128}, -1);
};
STRANDCORE_ON_EVERY_BACKEND(PeerPartsReportTest);

// Each of two cores copies a part of x to the same part of y.
RefFunction CopiesParts(std::vector<Index> of_core_0, std::vector<Index> of_core_1) {
  return [=](KernelContext& core, Ref x, Ref y) {
    const std::vector<Index>& part = core.core_index() == 0 ? of_core_0 : of_core_1;
    core.SyncCopy(x.Slice(part), y.Slice(part));
  };
}

TEST_P(PeerPartsReportTest, W10PartsOfTwoCoresThatInterleaveDoNotRace) {
  const std::vector<std::vector<Index>> parts[] = {
      {{Ds(0, 4, 2), All()}, {Ds(1, 4, 2), All()}},
      {{All(), Ds(0, 64, 2)}, {All(), Ds(1, 64, 2)}},
  };
  for (const auto& part : parts) {
    y.Fill(-1);
    EXPECT_THAT(Run(CopiesParts(part[0], part[1]), {In("x", x), InOut("y", y)}, 2), IsProved());
    EXPECT_EQ(y, x);
  }
}

TEST_P(PeerPartsReportTest, W10StepsOfTwoAndOfThreeThatMeetRaceWhereTheyMeet) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const RunReport report = Run(CopiesParts({Ds(0, 4, 2), All()}, {Ds(0, 3, 3), All()}), {In("x", x), InOut("y", y)}, 2);
  ASSERT_THAT(report,
              HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy writes y while a copy of core 0 is still filling it"),
                                             HasSubstr("y, row 0, columns 0–127"), HasSubstr("core 1"))));
  EXPECT_EQ(report.faults[0].count, 2) << "rows 0 and 6";
}

TEST_P(PeerPartsReportTest, W10StepsOfThreeAndOfFourThatPassEachOtherDoNot) {
  EXPECT_THAT(Run(CopiesParts({Ds(1, 3, 3), All()}, {Ds(2, 2, 4), All()}), {In("x", x), InOut("y", y)}, 2), IsProved());
  for (int64_t row = 0; row < 8; ++row) {
    const bool copied = row == 1 || row == 2 || row == 4 || row == 6 || row == 7;
    for (int64_t j = 0; j < 128; ++j) ASSERT_EQ(y.Get({row, j}), copied ? x.Get({row, j}) : -1) << row;
  }
}

using Mask = OwnedWindow<bool>;
template <typename Takes>
Mask MaskOf(Takes takes) {
  Mask mask(8, 128);
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 128; ++j) mask(i, j) = takes(i, j);
  }
  return mask;
}
Mask Checkers(int64_t parity) {
  return MaskOf([parity](int64_t i, int64_t j) { return (i + j) % 2 == parity; });
}

// Core 0 stores 1000 where its mask is true; core 1 loads where its own is.
RefFunction StoresAndLoads(Mask stored, Mask loaded) {
  return [=](KernelContext& core, Ref y, Ref z) {
    if (core.core_index() == 0) return y.Store(OwnedWindow<float>::Constant(8, 128, 1000.0f), stored);
    const OwnedWindow<float> seen = y.Load<float>(loaded, -7.0f);
    z.Store(seen);
  };
}

TEST_P(PeerPartsReportTest, W11AMaskedLoadRacesWithTheStoresOfAnotherCoreThatItTakes) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  Array z(kF32, {8, 128});
  Mask one_too_many = Checkers(1);
  one_too_many(0, 0) = true;
  y = x;
  EXPECT_THAT(WithHbmAccess(2).Run(StoresAndLoads(Checkers(0), one_too_many), {InOut("y", y), InOut("z", z)}),
              HasOne(FaultKind::kRace, HasSubstr("y, row 0, column 0")));
  y = x;
  EXPECT_THAT(WithHbmAccess(2).Run(StoresAndLoads(Checkers(0), Checkers(1)), {InOut("y", y), InOut("z", z)}),
              IsProved());
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 128; ++j) ASSERT_EQ(z.Get({i, j}), (i + j) % 2 == 1 ? x.Get({i, j}) : -7);
  }
}

// A copy fills the even columns of a tile; meanwhile the kernel stores where the mask is true.
RefFunction StoresBesideACopy(Mask mask) {
  return [=](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](Ref tile, SemaphoreRef arrived) {
      const AsyncCopy copy = core.MakeAsyncCopy(x.At(All(), Ds(0, 64, 2)), tile.At(All(), Ds(0, 64, 2)), arrived);
      copy.Start();
      tile.Store(OwnedWindow<float>::Constant(8, 128, 5.0f), mask);
      copy.Wait();
      core.SyncCopy(tile, y);
    };
    core.RunScoped(kernel, VmemTile("tile"), DmaSemaphore({}, "arrived"));
  };
}

TEST_P(PeerPartsReportTest, W11AMaskedStoreBesideACopyRacesInTheElementsThatTheCopyFills) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Mask odd = MaskOf([](int64_t, int64_t j) { return j % 2 == 1; });
  Mask one_too_many = odd;
  one_too_many(7, 126) = true;
  EXPECT_THAT(Run(StoresBesideACopy(one_too_many), {In("x", x), InOut("y", y)}),
              HasOne(FaultKind::kRace, AllOf(HasSubstr("the kernel writes tile while a copy is still filling it"),
                                             HasSubstr("tile, row 7, column 126"))));
  EXPECT_THAT(Run(StoresBesideACopy(odd), {In("x", x), InOut("y", y)}), IsProved());
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 128; ++j) ASSERT_EQ(y.Get({i, j}), j % 2 == 1 ? 5 : x.Get({i, j}));
  }
}

}  // namespace
}  // namespace strandcore::testing
