// Elements that nobody has written: in outputs, flags, and slots of a ring
// (field_reports.md P10, P18, I09).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using UnsetReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(UnsetReportTest);

TEST_P(UnsetReportTest, P10ElementsOfAnOutputThatTheBodyNeverWroteAreReportedAndNeverHappenToBeZero) {
  for (bool writes_all : {false, true}) {
    Array y(DType::kInt32, {4});
    auto kernel = [=](KernelContext&, Ref y) {
      for (int64_t i = writes_all ? 0 : 1; i < (writes_all ? 4 : 3); ++i) y.Set<int32_t>(7, {i});
    };
    const RunReport report = Run(kernel, {Out("y", y, MemorySpace::kVmem)});
    for (int64_t i : {1, 2}) EXPECT_EQ(y.Get({i}), 7);
    for (int64_t i : {0, 3}) EXPECT_EQ(y.Get({i}), writes_all ? 7 : std::numeric_limits<int32_t>::max());
    if (writes_all) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report, HasOnly(FaultKind::kUninitialisedRead,
                                  AllOf(HasSubstr("the host is handed y"), HasSubstr("never written"))));
    }
  }
}

// 0 says done; whoever starts with zeros goes on at once, and is right by luck.
TEST_P(UnsetReportTest, I09AFlagThatIsReadBeforeItsFirstWriteIsReportedThoughFreshMemoryBeZero) {
  for (bool sets_first : {false, true}) {
    SimulatorOptions options = OptionsFor(1);
    options.fresh = Fill::kZero;
    auto kernel = [=](KernelContext& core) {
      auto waits_for_flag = [&](Ref flag) {
        if (sets_first) flag.Set<int32_t>(0);
        while (flag.Get<int32_t>() != 0) core.Delay(1);
      };
      core.RunScoped(waits_for_flag, Smem({1}, DType::kInt32, "flag"));
    };
    const RunReport report = MakeSimulator(options).Run(kernel, {});
    if (sets_first) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kUninitialisedRead,
                                 AllOf(HasSubstr("the kernel reads flag"), HasSubstr("unset_test.cc:"))));
    }
  }
}

// Fills the slots of a ring in turn and sends them in another, nine times; each
// fill and each send is waited for, so that nothing races and all counts
// balance.
TEST_P(UnsetReportTest, P18ASlotThatIsSentButNeverFilledIsReportedWhereItsBytesReachTheHost) {
  for (int64_t slots_of_sender : {3, 2}) {
    const Array x = NumberedBlocks(9);
    Array y = Blocks(9);
    auto kernel = [=](KernelContext& core, Ref x, Ref y) {
      auto ring = [&](Ref slots) {
        for (int64_t step = 0; step < 9; ++step) {
          core.SyncCopy(x.At(step), slots.At(step % 2));
          core.SyncCopy(slots.At(step % slots_of_sender), y.At(step));
        }
      };
      core.RunScoped(ring, VmemTiles(3, "slots"));
    };
    const RunReport report = Run(kernel, {In("x", x), Out("y", y)});
    if (slots_of_sender == 2) {
      EXPECT_THAT(report, IsProved());
      EXPECT_EQ(y, x);
    } else {
      EXPECT_THAT(report, HasOnly(FaultKind::kUninitialisedRead,
                                  AllOf(HasSubstr("the host is handed y"), HasSubstr("never written"))));
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
