// What waits prove beyond one copy and one core: copies that share a semaphore, arrivals that another core waits for,
// kernels of one launch (interpreter_cases.md G6, G7, G9, H5).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PeerWaitsReportTest : public ReportTest {
 protected:
  // Four blocks of which no two elements are equal.
  Array x = Array::Iota(kF32, {4, 8, 128});
  Array y = Blocks(4);
  Array z = Blocks(4);
};
STRANDCORE_ON_EVERY_BACKEND(PeerWaitsReportTest);

// Sends blocks 0 and 1 on one semaphore, waits for so many of the two, and reads both back.
RefFunction SendsTwo(int waits) {
  return [waits](KernelContext& core, Ref x, Ref y, Ref z) {
    auto kernel = [&](Ref tiles, Ref back, SemaphoreRef sent) {
      auto send = [&](int i) { return core.MakeAsyncCopy(tiles.At(i), y.At(i), sent); };
      for (int i : {0, 1}) core.SyncCopy(x.At(i), tiles.At(i));
      for (int i : {0, 1}) send(i).Start();
      for (int i = 0; i < waits; ++i) send(i).Wait();
      for (int i : {0, 1}) {
        core.SyncCopy(y.At(i), back);
        core.SyncCopy(back, z.At(i));
      }
      for (int i = waits; i < 2; ++i) send(i).Wait();
    };
    core.RunScoped(kernel, VmemTiles(2, "tiles"), VmemTile("back"), DmaSemaphore({}, "sent"));
  };
}

TEST_P(PeerWaitsReportTest, G06OnOneSemaphoreAWaitForOneOfTwoCopiesOutMakesNeitherSafe) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Operands operands = {In("x", x), InOut("y", y), InOut("z", z)};
  const RunReport report = Run(SendsTwo(/*waits=*/1), operands);
  EXPECT_THAT(report, HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy reads y while a copy is still filling it"),
                                                      HasSubstr("may have been paid by"))));
  EXPECT_THAT(Run(SendsTwo(/*waits=*/2), operands), IsProved());
  for (int64_t i : {0, 1}) EXPECT_TRUE((z.Matrix<float>({i}) == x.Matrix<float>({i})).all());
}

// Sends four blocks on one semaphore, takes their bytes by waits for so many blocks each, and reads the blocks back.
RefFunction SendsFour(std::vector<int64_t> waits) {
  return [waits](KernelContext& core, Ref x, Ref y, Ref z) {
    auto kernel = [&](Ref tiles, Ref back, SemaphoreRef sent) {
      core.SyncCopy(x, tiles);
      for (int i = 0; i < 4; ++i) core.MakeAsyncCopy(tiles.At(i), y.At(i), sent).Start();
      for (int64_t blocks : waits) core.WaitForBytes(sent, blocks * back.bytes(), Site::Here());
      for (int i = 0; i < 4; ++i) {
        core.SyncCopy(y.At(i), back);
        core.SyncCopy(back, z.At(i));
      }
    };
    core.RunScoped(kernel, VmemTiles(4, "tiles"), VmemTile("back"), DmaSemaphore({}, "sent"));
  };
}

TEST_P(PeerWaitsReportTest, G07WaitsOfAnySizesInAnyOrderProveWhatTheySumUpTo) {
  const std::vector<std::vector<int64_t>> all_waits = {{4}, {1, 3}, {3, 1}, {2, 0, 2}, {3, 0, 1, 0}, {1, 1, 1, 1}};
  for (const std::vector<int64_t>& waits : all_waits) {
    Array back = Blocks(4);
    EXPECT_THAT(Run(SendsFour(waits), {In("x", x), Out("y", y), Out("z", back)}), IsProved());
    EXPECT_EQ(back, x);
  }
}

// Sends two blocks and then a third on one semaphore, waits for two of them before the third is started or after that,
// and reads the two back while the third is on its way.
RefFunction SendsAThird(bool waits_before_it) {
  return [=](KernelContext& core, Ref x, Ref y, Ref z) {
    auto kernel = [&](Ref tiles, Ref back, SemaphoreRef sent) {
      auto send = [&](int i) { return core.MakeAsyncCopy(tiles.At(i), y.At(i), sent); };
      auto wait_for_two = [&] { core.WaitForBytes(sent, 2 * back.bytes(), Site::Here()); };
      core.SyncCopy(x, tiles);
      for (int i : {0, 1}) send(i).Start();
      if (waits_before_it) wait_for_two();
      send(2).Start();
      if (!waits_before_it) wait_for_two();
      for (int i : {0, 1, 2}) {
        if (i == 2) send(2).Wait();
        core.SyncCopy(y.At(i), back);
        core.SyncCopy(back, z.At(i));
      }
    };
    core.RunScoped(kernel, VmemTiles(3, "tiles"), VmemTile("back"), DmaSemaphore({}, "sent"));
  };
}

TEST_P(PeerWaitsReportTest, G07WhatIsProvedStaysSoWhenMoreCopiesAreStartedOnTheSemaphore) {
  const Array three = Array::Iota(kF32, {3, 8, 128});
  Array sent = Blocks(3), back = Blocks(3);
  EXPECT_THAT(Run(SendsAThird(/*waits_before_it=*/true), {In("x", three), Out("y", sent), Out("z", back)}), IsProved());
  EXPECT_EQ(back, three);
}

TEST_P(PeerWaitsReportTest, G07ACopyThatIsStartedBeforeTheWaitsMayHavePaidThem) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array three = Array::Iota(kF32, {3, 8, 128});
  Array sent = Blocks(3), back = Blocks(3);
  EXPECT_THAT(Run(SendsAThird(/*waits_before_it=*/false), {In("x", three), Out("y", sent), Out("z", back)}),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("a copy reads y while a copy is still filling it"),
                                              HasSubstr("y, index 0,"), HasSubstr("may have been paid by"))));
}

// Two parts of a launch, each a kernel of its own: the first starts what the second waits for.
RefFunction TwoKernels(bool second_waits) {
  return [=](KernelContext& core, Ref x, Ref y) {
    auto first = [&](Ref tile, SemaphoreRef arrived, SemaphoreRef turns) {
      core.MakeAsyncCopy(x, tile, arrived).Start();
      core.Signal(turns, 2);
    };
    auto second = [&](Ref tile, SemaphoreRef arrived, SemaphoreRef turns) {
      core.Wait(turns, 2);
      if (second_waits) core.WaitForBytes(arrived, tile.bytes(), Site::Here());
      core.SyncCopy(tile, y);
      if (!second_waits) core.WaitForBytes(arrived, tile.bytes(), Site::Here());
    };
    auto both = [&](Ref tile, SemaphoreRef arrived, SemaphoreRef turns) {
      first(tile, arrived, turns);
      second(tile, arrived, turns);
    };
    core.RunScoped(both, VmemTile("tile"), DmaSemaphore({}, "arrived"), RegularSemaphore({}, "turns"));
  };
}

TEST_P(PeerWaitsReportTest, H05WhatOneKernelStartsTheNextOfTheSameLaunchMayWaitFor) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = Array::Iota(kF32, {8, 128});
  Array y(kF32, {8, 128});
  EXPECT_THAT(Run(TwoKernels(/*second_waits=*/true), {In("x", x), Out("y", y)}), IsProved());
  EXPECT_EQ(y, x);
  EXPECT_THAT(Run(TwoKernels(/*second_waits=*/false), {In("x", x), Out("y", y)}),
              HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy reads tile while a copy is still filling it"),
                                             HasSubstr("core 0 has not waited arrived"))));
}

enum class Side { kSource, kTarget };

// Core 0 starts a copy from x to y, whose arrival core 1 alone waits for; then `user` reads the target, or overwrites
// the source. Core 1 may tell core 0 of the arrival first.
struct Crossed {
  int user = 0;
  Side side = Side::kTarget;
  bool tells = false;
};

class WaitElsewhereReportTest : public ReportTest {
 protected:
  RunReport RunCrossed(const Crossed& crossed) {
    Exchange arrived, told;
    auto use = [&](KernelContext& core, const Ref& x, const Ref& y, const Ref& other, const Ref& z) {
      if (core.core_index() != crossed.user) return;
      if (crossed.side == Side::kTarget) core.SyncCopy(y, z);
      if (crossed.side == Side::kSource) core.SyncCopy(other, x);
    };
    auto kernel = [&](KernelContext& core, Ref x, Ref y, Ref other, Ref z) {
      auto body = [&](SemaphoreRef bytes, SemaphoreRef units) {
        if (core.core_index() == 1) {
          arrived.Publish(bytes);
          core.WaitForBytes(bytes, y.bytes(), Site::Here());
          if (crossed.tells) core.Signal(told.Get(core));
          return use(core, x, y, other, z);
        }
        told.Publish(units);
        const AsyncCopy copy = core.MakeAsyncRemoteCopy(x, y, bytes, arrived.Get(core));
        copy.Start();
        if (crossed.tells) core.Wait(units);
        use(core, x, y, other, z);
        copy.Wait();
      };
      core.RunScoped(body, DmaSemaphore({}, "bytes"), RegularSemaphore({}, "told"));
    };
    source = sent;
    target = Array(kF32, {8, 128});
    return Run(kernel, {InOut("x", source), InOut("y", target), In("other", other), InOut("z", read)}, 2);
  }

  const Array sent = Array::Iota(kF32, {8, 128}), other = Integers(kF32, {8, 128}, 1, 1000);
  Array source = sent, target{kF32, {8, 128}}, read{kF32, {8, 128}};
};
STRANDCORE_ON_EVERY_BACKEND(WaitElsewhereReportTest);

TEST_P(WaitElsewhereReportTest, G09WhoWaitsForTheArrivalMayUseBothSides) {
  EXPECT_THAT(RunCrossed({.user = 1, .side = Side::kTarget}), IsProved());
  EXPECT_EQ(read, sent);
  EXPECT_THAT(RunCrossed({.user = 1, .side = Side::kSource}), IsProved());
  EXPECT_EQ(source, other);
  EXPECT_EQ(target, sent);
}

TEST_P(WaitElsewhereReportTest, G09AWaitOfAnotherCoreDoesNotCoverWhoStartedTheCopy) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunCrossed({.user = 0, .side = Side::kTarget}),
              HasOne(FaultKind::kRace,
                     AllOf(HasSubstr("a copy reads y while a copy is still filling it"),
                           HasSubstr("after core 1 had waited bytes for the copy that is still filling it"))));
  EXPECT_THAT(
      RunCrossed({.user = 0, .side = Side::kSource}),
      HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy writes x while a copy is still reading it"),
                                     HasSubstr("core 0 has not waited bytes for the copy that is still reading it"))));
}

TEST_P(WaitElsewhereReportTest, G09ItDoesOnceTheOtherCoreTellsOfIt) {
  EXPECT_THAT(RunCrossed({.user = 0, .side = Side::kTarget, .tells = true}), IsProved());
  EXPECT_EQ(read, sent);
  EXPECT_THAT(RunCrossed({.user = 0, .side = Side::kSource, .tells = true}), IsProved());
  EXPECT_EQ(source, other);
  EXPECT_EQ(target, sent);
}

}  // namespace
}  // namespace strandcore::testing
