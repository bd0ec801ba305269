// Several cores and what they share (interpreter_cases.md S23, S28, S29, S31, S33, W11, W19).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerCoresReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerCoresReportTest);

TEST_P(PeerCoresReportTest, S23AnErrorOfOneCoreEndsTheOtherThatWaitsForItsSignal) {
  const Array x = Array::Iota(kF32, {8, 128});
  for (const int64_t row : {100, 7}) {
    Exchange told;
    auto kernel = [&](KernelContext& core, Ref x) {
      core.RunScoped(
          [&](Ref line, SemaphoreRef go) {
            if (core.core_index() == 0) {
              told.Publish(go);
              return core.Wait(go);
            }
            core.SyncCopy(x.At(Ds(row, 1)), line);
            core.Signal(told.Get(core));
          },
          Vmem({1, 128}, kF32, "line"), RegularSemaphore({}, "go"));
    };
    const RunReport report = Run(kernel, {In("x", x)}, 2);
    if (row == 7) {
      EXPECT_THAT(report, IsProved());
    } else {
      EXPECT_THAT(report,
                  HasOne(FaultKind::kOutOfBounds,
                         AllOf(HasSubstr("operand x: row 100 of dimension 0 lies outside 0–7"), HasSubstr("core 1"))));
    }
  }
}

// Two steps along a parallel axis add one to x; to one block of y, or each to its own.
RefFunction TwoParallelSteps(bool one_block) {
  auto body = [](KernelContext&, Ref x, Ref y) { y.Write<float>() = x.Read<float>() + 1.0f; };
  return Once(Emit(body, {.grid = {2},
                          .in_specs = {RowTile()},
                          .out_specs = {one_block ? StayingTile() : RowTile()},
                          .core_axis = 0,
                          .dimension_semantics = {kParallel}}));
}

TEST_P(PeerCoresReportTest, S28TwoParallelStepsThatWriteOneBlockRaceOnTwoCoresAlone) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Integers(kF32, {16, 128}, 1);
  Array y(kF32, {8, 128});
  SimulatorOptions unwatched = OptionsFor(2);
  unwatched.check = false;
  EXPECT_THAT(MakeSimulator(unwatched).Run(TwoParallelSteps(true), {In("x", x), Out("y", y)}), IsClean());
  EXPECT_THAT(Run(TwoParallelSteps(true), {In("x", x), Out("y", y)}, 1), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>().bottomRows(8) + 1).all());
  EXPECT_THAT(Run(TwoParallelSteps(true), {In("x", x), Out("y", y)}, 2),
              HasOne(FaultKind::kRace, AllOf(HasSubstr("y"), HasSubstr("core 0"), HasSubstr("core 1"))));
}

TEST_P(PeerCoresReportTest, S29TwoParallelStepsThatWriteBlocksOfTheirOwnDoNotRace) {
  const Array x = Integers(kF32, {16, 128}, 1);
  Array y(kF32, {16, 128});
  EXPECT_THAT(Run(TwoParallelSteps(false), {In("x", x), Out("y", y)}, 2), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>() + 1).all());
}

TEST_P(PeerCoresReportTest, S31EveryDirectAccessToHbmOrAnyIsRefused) {
  const Array x = Integers(kF32, {8, 128}, 1);
  const OwnedWindow<bool> mask = OwnedWindow<bool>::Constant(8, 128, true);
  using Access = std::function<void(const Ref&, const Ref&)>;
  const std::vector<std::pair<const char*, Access>> accesses = {
      {"load", [](const Ref& x, const Ref&) { x.Load<float>(); }},
      {"load", [](const Ref& x, const Ref&) { x.Read<float>(); }},
      {"load",
       [](const Ref& x, const Ref&) {
         x.Get<float>({1, 2});
       }},
      {"load", [=](const Ref& x, const Ref&) { x.Load<float>(mask, 0.0f); }},
      {"store to", [](const Ref&, const Ref& y) { y.Store(OwnedWindow<float>::Ones(8, 128)); }},
      {"store to", [=](const Ref&, const Ref& y) { y.Store(OwnedWindow<float>::Ones(8, 128), mask); }},
      {"store to", [](const Ref&, const Ref& y) { y.Write<float>(); }},
      {"store to",
       [](const Ref&, const Ref& y) {
         y.Set<float>(1, {1, 2});
       }},
      {"load and store", [](const Ref&, const Ref& y) { y.ReadWrite<float>(); }},
  };
  for (MemorySpace space : {MemorySpace::kHbm, MemorySpace::kAny}) {
    for (size_t i = 0; i < accesses.size(); ++i) {
      Array y(kF32, {8, 128});
      auto kernel = [&](KernelContext&, Ref x, Ref y) { accesses[i].second(x, y); };
      const RunReport report = Run(kernel, {In("x", x, space), Out("y", y, space)});
      EXPECT_THAT(report, IsRefused(std::string("lives in HBM: a kernel cannot ") + accesses[i].first + " it directly"))
          << i;
    }
  }
}

TEST_P(PeerCoresReportTest, S33TheFirstHalfCopiedOntoTheSecondOfOneArrayIsTwiceTheFirst) {
  for (bool aliased : {false, true}) {
    Array z = Array::Iota(kF32, {16, 128});
    const Array before = z;
    auto halves = [](KernelContext& core, const Ref& from, const Ref& to) {
      core.SyncCopy(from.At(Ds(0, 8)), to.At(Ds(8, 8)));
    };
    const RunReport report =
        aliased ? Run([&](KernelContext& core, Ref x, Ref z) { halves(core, x, z); }, {In("x", z), InOut("z", z)})
                : Run([&](KernelContext& core, Ref z) { halves(core, z, z); }, {InOut("z", z)});
    EXPECT_THAT(report, IsProved());
    for (int64_t row = 0; row < 16; ++row) {
      EXPECT_TRUE((z.Matrix<float>().row(row) == before.Matrix<float>().row(row % 8)).all()) << row;
    }
  }
}

// Two cores store to one tile of HBM, each where its mask says: every other column, or one column more.
RefFunction StoresMasked(bool meet) {
  return [meet](KernelContext& core, Ref y) {
    const int64_t me = core.core_index();
    OwnedWindow<bool> mask(8, 128);
    for (int64_t i = 0; i < 8; ++i) {
      for (int64_t j = 0; j < 128; ++j) mask(i, j) = j % 2 == me || (meet && i == 3 && j == 64);
    }
    y.Store(OwnedWindow<float>::Constant(8, 128, static_cast<float>(me + 1)), mask);
  };
}

TEST_P(PeerCoresReportTest, W11MaskedStoresOfTwoCoresRaceWhereTheMasksMeetAlone) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  SimulatorOptions options = OptionsFor(2);
  options.allow_hbm_access = true;
  Array y(kF32, {8, 128});
  EXPECT_THAT(MakeSimulator(options).Run(StoresMasked(false), {Out("y", y)}), IsProved());
  for (int64_t j = 0; j < 128; ++j) EXPECT_EQ(y.Get({5, j}), static_cast<double>(j % 2 + 1)) << j;
  EXPECT_THAT(
      MakeSimulator(options).Run(StoresMasked(true), {Out("y", y)}),
      HasOne(FaultKind::kRace, AllOf(HasSubstr("y, row 3, column 64"), HasSubstr("core 0"), HasSubstr("core 1"))));
}

// Step i writes block i + 1 of z, and reads block i of x, which may be the same array: then the block that step i + 1
// reads is fetched while step i still makes it.
TEST_P(PeerCoresReportTest, W19AnInputThatTheStepBeforeWritesIsFetchedTooEarly) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (bool aliased : {false, true}) {
    const Array x = NumberedBlocks(5);
    Array z = x;
    auto body = [](KernelContext&, Ref x, Ref z) { z.Write<float>() = x.Read<float>() + 10.0f; };
    const BlockSpec from({std::nullopt, 8, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0, 0}; });
    const BlockSpec to({std::nullopt, 8, 128}, [](const GridIndex& g) { return BlockIndex{g[0] + 1, 0, 0}; });
    const RefFunction kernel = Once(Emit(body, {.grid = {4}, .in_specs = {from}, .out_specs = {to}}));
    const RunReport report = Run(kernel, {In("x", aliased ? z : x), InOut("z", z)});
    if (aliased) {
      EXPECT_THAT(report, HasOnly(FaultKind::kRace,
                                  AllOf(HasSubstr("a copy-out writes x (also z) while a copy-in is still reading"),
                                        HasSubstr("x.recv"))));
    } else {
      EXPECT_THAT(report, IsProved());
      for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(z.Get({i, 3, 3}), i == 0 ? 1 : 10 + static_cast<double>(i)) << i;
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
