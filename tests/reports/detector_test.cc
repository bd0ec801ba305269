// What simulators and race detectors got wrong: how many actors, which ranges, whose timing (field_reports.md I04, I08,
// I10, I12, I13). I01 to I03, I05, I06 and I11 are in tests/simulator and tests/core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/testing/backend.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using DetectorReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(DetectorReportTest);

// Four cores with 40 copies each in flight at once; `careless` does not wait for its copy 17 before it reads its row.
RefFunction ManyCopies(int careless) {
  return [careless](KernelContext& core, Ref x, Ref sums) {
    auto kernel = [&](Ref rows, Ref sum, SemaphoreRef arrived) {
      auto load = [&](int64_t i) { return core.MakeAsyncCopy(x.At(Ds(i, 1)), rows.At(Ds(i, 1)), arrived.At(i)); };
      for (int64_t i = 0; i < 40; ++i) load(i).Start();
      for (int64_t i = 0; i < 40; ++i) {
        if (i != 17 || core.core_index() != careless) load(i).Wait();
      }
      sum.Write<float>() = rows.Read<float>().colwise().sum();
      if (core.core_index() == careless) load(17).Wait();
      core.SyncCopy(sum, sums.At(Ds(core.core_index(), 1)));
    };
    core.RunScoped(kernel, Vmem({40, 128}, kF32, "rows"), Vmem({1, 128}, kF32, "sum"), DmaSemaphore({40}, "arrived"));
  };
}

TEST_P(DetectorReportTest, I04OneMissingWaitAmongManyCopiesOfManyCoresIsFoundAndNamed) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Integers(kF32, {40, 128}, 1);
  Array sums(kF32, {4, 128});
  const RunReport report = Run(ManyCopies(/*careless=*/3), {In("x", x), Out("sums", sums)}, 4);
  ASSERT_THAT(report, HasOne(FaultKind::kRace, AllOf(HasSubstr("rows, row 17, columns 0–127"), HasSubstr("core 3"),
                                                     HasSubstr("arrived[17]"))));
  EXPECT_EQ(report.faults[0].count, 1);
}

TEST_P(DetectorReportTest, I04ManyCopiesOfManyCoresThatAreWaitedForAreRight) {
  const Array x = Integers(kF32, {40, 128}, 1);
  Array sums(kF32, {4, 128});
  EXPECT_THAT(Run(ManyCopies(/*careless=*/-1), {In("x", x), Out("sums", sums)}, 4), IsProved());
  for (int64_t core = 0; core < 4; ++core) {
    EXPECT_TRUE((sums.Matrix<float>().row(core) == x.Matrix<float>().colwise().sum()).all());
  }
}

// Fills one part of a tile by a copy, and reads another while it is on its way.
struct Parts {
  const char* what;
  std::vector<Index> filled, read;
  bool meet;
};

std::vector<Parts> AllParts() {
  return {
      {"whole and whole", {All(), All()}, {All(), All()}, true},
      {"whole and one element", {All(), All()}, {5, 7}, true},
      {"a row and a slice with it", {5, All()}, {Ds(4, 2), All()}, true},
      {"a row and a slice before it", {5, All()}, {Ds(3, 2), All()}, false},
      {"a column and a row", {All(), 7}, {5, All()}, true},
      {"columns side by side", {All(), Ds(0, 64)}, {All(), Ds(64, 64)}, false},
      {"nothing and whole", {Ds(3, 0), All()}, {All(), All()}, false},
      {"whole and nothing", {All(), All()}, {Ds(3, 0), All()}, false},
      {"even rows and odd rows", {Ds(0, 4, 2), All()}, {Ds(1, 4, 2), All()}, false},
      {"even rows and the last of every third", {Ds(0, 4, 2), All()}, {Ds(0, 3, 3), All()}, true},
      {"rows 0, 4 and rows 2, 6", {Ds(0, 2, 4), All()}, {Ds(2, 2, 4), All()}, false},
      {"even columns and one odd", {All(), Ds(0, 64, 2)}, {2, 63}, false},
      {"even columns and one of them", {All(), Ds(0, 64, 2)}, {2, 64}, true},
  };
}

RefFunction FillsAndReads(const Parts& parts) {
  return [parts](KernelContext& core, Ref x, Ref) {
    auto kernel = [&](Ref tile, SemaphoreRef arrived) {
      tile.Write<float>().setZero();
      const AsyncCopy copy = core.MakeAsyncCopy(x.Slice(parts.filled), tile.Slice(parts.filled), arrived);
      copy.Start();
      tile.Slice(parts.read).Load<float>();
      copy.Wait();
    };
    core.RunScoped(kernel, VmemTile("tile"), DmaSemaphore({}, "arrived"));
  };
}

TEST_P(DetectorReportTest, I08PartsThatMeetRaceAndOthersDoNotWhateverTheirForm) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Integers(kF32, {8, 128}, 1);
  Array y(kF32, {8, 128});
  for (const Parts& parts : AllParts()) {
    const RunReport report = Run(FillsAndReads(parts), {In("x", x), InOut("y", y)});
    if (parts.meet) {
      EXPECT_THAT(report, HasOnly(FaultKind::kRace, HasSubstr("reads tile while a copy is still filling")))
          << parts.what;
    } else {
      EXPECT_THAT(report, IsProved()) << parts.what;
    }
  }
}

TEST_P(DetectorReportTest, I10DoublingTheBuffersBeyondTheMemoryIsACapacityFault) {
  const Array x = Integers(kF32, {32, 128}, 1);
  const Pipeline pipeline =
      Emit([](KernelContext&, Ref) {}, {.grid = {2}, .in_specs = {BlockSpec({16, 128}, Picking({0, -1}))}});
  SimulatorOptions options = OptionsFor(1);
  options.vmem_bytes = 12 * 1024;  // one and a half blocks
  EXPECT_THAT(MakeSimulator(options).Run(Once(pipeline), {In("x", x)}),
              HasOne(FaultKind::kCapacity, AllOf(HasSubstr("VMEM of core 0"), HasSubstr("x"))));
  options.vmem_bytes = 16 * 1024;
  EXPECT_THAT(MakeSimulator(options).Run(Once(pipeline), {In("x", x)}), IsProved());
}

// The pipeline that is emulated asks for whole tiles only where the block does not divide the array.
TEST_P(DetectorReportTest, I10ABlockOf64ColumnsThatDividesIsTakenAsTheSeedTakesIt) {
  const Array x = Integers(kF32, {8, 128}, 1);
  Array y(kF32, {8, 128});
  const BlockSpec half({8, 64}, Picking({-1, 0}));
  EXPECT_THAT(
      Run(Once(Emit(Copy<float>, {.grid = {2}, .in_specs = {half}, .out_specs = {half}})), {In("x", x), Out("y", y)}),
      IsProved());
  EXPECT_EQ(y, x);
}

// Double, without the wait between the copy and the read, or with it.
RefFunction Doubles(bool waits) {
  return [waits](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](Ref tile, Ref result, SemaphoreRef arrived) {
      const AsyncCopy copy = core.MakeAsyncCopy(x, tile, arrived);
      copy.Start();
      if (waits) copy.Wait();
      result.Write<float>() = 2.0f * tile.Read<float>();
      if (!waits) copy.Wait();
      core.SyncCopy(result, y);
    };
    core.RunScoped(kernel, VmemTile("tile"), VmemTile("result"), DmaSemaphore({}, "arrived"));
  };
}

// Copies are complete at their start, so the answer is right, and the race is there all the same.
TEST(DetectorOnOneThreadReportTest, I12AStableRightAnswerDoesNotHideTheRace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Integers(kF32, {8, 128}, 1);
  for (bool waits : {false, true}) {
    Array y(kF32, {8, 128});
    Simulator simulator({.policy = Policy::Eager(), .dma = DmaMode::kSynchronous});
    const RunReport report = simulator.Run(Doubles(waits), {In("x", x), Out("y", y)});
    EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all());
    if (waits) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kRace, HasSubstr("the kernel reads tile while a copy is still filling")));
    }
  }
}

// Two cores that write one place, as well as a read before its wait: several races, with several sites.
RefFunction RacesTwice() {
  return [](KernelContext& core, Ref x, Ref y) { Doubles(/*waits=*/false)(core, std::vector<Ref>{x, y}); };
}

TEST(DetectorOnOneThreadReportTest, I13ThreadsAndPoliciesMakeNoDifferenceToTheReport) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Integers(kF32, {8, 128}, 1);
  std::vector<Fault> expected;
  for (const Backend& backend : AllBackends()) {
    Array y(kF32, {8, 128});
    Simulator simulator(backend.Apply({.cores = 2}));
    const RunReport report = simulator.Run(RacesTwice(), {In("x", x), Out("y", y)});
    if (expected.empty()) expected = report.faults;
    EXPECT_GE(expected.size(), 2u);
    EXPECT_EQ(report.faults, expected) << backend;
  }
}

TEST(DetectorOnOneThreadReportTest, I13ThreadsAndPoliciesMakeNoDifferenceToTheResult) {
  const Array x = Integers(kF32, {8, 128}, 1);
  for (const Backend& backend : AllBackends()) {
    Array y(kF32, {8, 128});
    Simulator simulator(backend.Apply({}));
    EXPECT_THAT(simulator.Run(Doubles(/*waits=*/true), {In("x", x), Out("y", y)}), IsProved()) << backend;
    EXPECT_TRUE((y.Matrix<float>() == 2.0f * x.Matrix<float>()).all()) << backend;
  }
}

}  // namespace
}  // namespace strandcore::testing
