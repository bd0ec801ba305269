// Asynchronous copies against plain accesses and each other (interpreter_cases.md G2, G5 to G11, without fences; W5,
// W19).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerCopiesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerCopiesReportTest);

// What a kernel of one core and two tiles is given: x and y have two blocks each.
struct Tiles {
  KernelContext& core;
  Ref x, y, tiles;
  SemaphoreRef done;  // two of them
  AsyncCopy In(int64_t i, int64_t slot) const { return core.MakeAsyncCopy(x.At(i), tiles.At(slot), done.At(slot)); }
  AsyncCopy Out(int64_t slot, int64_t i) const { return core.MakeAsyncCopy(tiles.At(slot), y.At(i), done.At(slot)); }
  // The copies that are not the matter: out again, one after the other.
  void Return() const {
    for (int64_t i : {0, 1}) core.SyncCopy(tiles.At(i), y.At(i));
  }
};

class TwoTilesTest : public ReportTest {
 protected:
  RunReport RunTiles(const std::function<void(const Tiles&)>& body) {
    y_ = Blocks(2);
    auto kernel = [&](KernelContext& core, Ref x, Ref y) {
      core.RunScoped(
          [&](Ref tiles, SemaphoreRef done) {
            body({core, x, y, tiles, done});
          },
          VmemTiles(2, "tiles"), DmaSemaphore({2}, "done"));
    };
    return Run(kernel, {In("x", x_), Out("y", y_)});
  }
  // Blocks 0 and 1 of y hold these numbers.
  void ExpectBlocks(float first, float second) const {
    EXPECT_TRUE((y_.Matrix<float>({0}) == first).all());
    EXPECT_TRUE((y_.Matrix<float>({1}) == second).all());
  }

  const Array x_ = NumberedBlocks(2);  // 1 and 2
  Array y_ = Blocks(2);
};
STRANDCORE_ON_EVERY_BACKEND(TwoTilesTest);

TEST_P(TwoTilesTest, G02OverwritingTheTargetOfACopyThatIsWaitedForIsRight) {
  EXPECT_THAT(RunTiles([](const Tiles& t) {
                for (int64_t i : {0, 1}) {
                  t.In(i, i).Start();
                  t.In(i, i).Wait();
                  t.tiles.At(i).Write<float>().setConstant(static_cast<float>(7 + i));
                }
                t.Return();
              }),
              IsProved());
  ExpectBlocks(7, 8);
}

TEST_P(TwoTilesTest, G02OverwritingTheTargetOfACopyThatIsNotWaitedForIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunTiles([](const Tiles& t) {
                for (int64_t i : {0, 1}) {
                  t.In(i, i).Start();
                  if (i == 0) t.In(i, i).Wait();
                  t.tiles.At(i).Write<float>().setConstant(7);
                }
                t.In(1, 1).Wait();
                t.Return();
              }),
              HasOnly(FaultKind::kRace, AllOf(HasSubstr("the kernel writes tiles while a copy is still filling it"),
                                              HasSubstr("tiles, index 1"), HasSubstr("done[1]"))));
}

// Out, and what came out in again.
void ReadsBack(const Tiles& t, bool waits) {
  for (int64_t i : {0, 1}) t.tiles.At(i).Write<float>().setConstant(static_cast<float>(3 + i));
  t.Out(0, 0).Start();
  if (waits) t.Out(0, 0).Wait();
  t.core.SyncCopy(t.y.At(0), t.tiles.At(1));
  if (!waits) t.Out(0, 0).Wait();
  t.tiles.At(1).ReadWrite<float>() += 5.0f;
  t.core.SyncCopy(t.tiles.At(1), t.y.At(1));
}

TEST_P(TwoTilesTest, G05ReadingBackWhatWasCopiedOutIsRightAfterTheWait) {
  EXPECT_THAT(RunTiles([](const Tiles& t) { ReadsBack(t, /*waits=*/true); }), IsProved());
  ExpectBlocks(3, 8);
}

TEST_P(TwoTilesTest, G05ReadingBackWhatIsStillCopiedOutIsARace) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunTiles([](const Tiles& t) { ReadsBack(t, /*waits=*/false); }),
              HasOnly(FaultKind::kRace,
                      AllOf(HasSubstr("a copy reads y while a copy is still filling it"), HasSubstr("done[0]"))));
}

// Two copies out; what of them is waited for is read back.
void ReadsBothBack(const Tiles& t, int64_t waited) {
  for (int64_t i : {0, 1}) t.tiles.At(i).Write<float>().setConstant(static_cast<float>(3 + i));
  for (int64_t i : {0, 1}) t.Out(i, i).Start();
  for (int64_t i = 0; i < waited; ++i) t.Out(i, i).Wait();
  t.core.RunScoped(
      [&](Ref sum, Ref part) {
        sum.Write<float>().setZero();
        for (int64_t i : {0, 1}) {
          t.core.SyncCopy(t.y.At(i), part);
          sum.ReadWrite<float>() += part.Read<float>();
        }
        for (int64_t i = waited; i < 2; ++i) t.Out(i, i).Wait();
        t.core.SyncCopy(sum, t.y.At(0));
      },
      VmemTile("sum"), VmemTile("part"));
}

TEST_P(TwoTilesTest, G06ReadingBothBackAfterAllButOneWasWaitedForIsARaceOfThatOne) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunTiles([](const Tiles& t) { ReadsBothBack(t, 1); }),
              HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy reads y while a copy is still filling it"),
                                             HasSubstr("y, index 1"), HasSubstr("done[1]"))));
  EXPECT_THAT(RunTiles([](const Tiles& t) { ReadsBothBack(t, 2); }), IsProved());
  ExpectBlocks(7, 4);
}

// Six copies on one semaphore, whose bytes are waited for in threes, ones and twos.
TEST_P(PeerCopiesReportTest, G07WaitsOfCountsThatRiseAndFallAreRightOnceAllAreWaitedFor) {
  const Array x = NumberedBlocks(6);
  Array y = Blocks(6);
  auto kernel = [](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tiles, SemaphoreRef done) {
          for (int64_t i = 0; i < 6; ++i) core.MakeAsyncCopy(x.At(i), tiles.At(i), done).Start();
          for (const auto& [first, count] : {std::pair(0, 3), std::pair(3, 1), std::pair(4, 2)}) {
            core.MakeAsyncCopy(x.At(Ds(first, count)), tiles.At(Ds(first, count)), done).Wait();
          }
          EXPECT_EQ(core.ReadSemaphore(done), 0);
          for (int64_t i = 0; i < 6; ++i) core.SyncCopy(tiles.At(i), y.At(5 - i));
        },
        VmemTiles(6, "tiles"), DmaSemaphore({}, "done"));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), Out("y", y)}), IsClean());
  for (int64_t i = 0; i < 6; ++i) EXPECT_TRUE((y.Matrix<float>({i}) == static_cast<float>(6 - i)).all()) << i;
}

// Two copies out whose source and target are shown apart, as a remote copy's are. Overwrites a side of one of them
// when the sources are known to be read, or when the targets are known to be written as well.
struct Halves {
  bool waits_for_targets;
  int64_t copy;
  bool source;
};

RefFunction OverwritesAHalf(const Halves& halves) {
  return [halves](KernelContext& core, Ref x, Ref y) {
    core.RunScoped(
        [&](Ref tiles, SemaphoreRef read, SemaphoreRef written) {
          core.SyncCopy(x, tiles);
          auto out = [&](int64_t i) {
            return core.MakeAsyncRemoteCopy(tiles.At(i), y.At(i), read.At(i), written.At(i));
          };
          for (int64_t i : {0, 1}) out(i).Start();
          // Only of copy 0.
          out(0).Wait();
          if (halves.waits_for_targets) out(0).WaitReceived(core);
          if (halves.source) {
            tiles.At(halves.copy).Write<float>().setConstant(7);
          } else {
            core.RunScoped(
                [&](Ref sevens) {
                  sevens.Write<float>().setConstant(7);
                  core.SyncCopy(sevens, y.At(halves.copy));
                },
                VmemTile("sevens"));
          }
          out(1).Wait();
          if (!halves.waits_for_targets) out(0).WaitReceived(core);
          out(1).WaitReceived(core);
        },
        VmemTiles(2, "tiles"), DmaSemaphore({2}, "read"), DmaSemaphore({2}, "written"));
  };
}

TEST_P(PeerCopiesReportTest, G08TheReadWaitFreesTheSourceTheFullWaitTheTargetAndNeitherTheOtherCopy) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(2);
  for (bool waits_for_targets : {false, true}) {
    for (bool source : {false, true}) {
      for (int64_t copy : {0, 1}) {
        Array y = Blocks(2);
        const RunReport report = Run(OverwritesAHalf({waits_for_targets, copy, source}), {In("x", x), Out("y", y)});
        if (copy == 0 && (source || waits_for_targets)) {
          EXPECT_THAT(report, IsProved());
          EXPECT_TRUE((y.Matrix<float>({0}) == (source ? 1.0f : 7.0f)).all());
          EXPECT_TRUE((y.Matrix<float>({1}) == 2.0f).all());
          continue;
        }
        EXPECT_THAT(report, HasOne(FaultKind::kRace, source ? AllOf(HasSubstr("the kernel writes tiles while a copy is "
                                                                              "still reading it"),
                                                                    HasSubstr("read[1]"))
                                                            : AllOf(HasSubstr("y"), HasSubstr("written"))));
      }
    }
  }
}

// Each core fills a tile of its own; core 1 reads its one after its own wait, or when core 0 says that core 0's is
// there.
RefFunction WaitsElsewhere(Exchange& told, bool own_wait) {
  return [&told, own_wait](KernelContext& core, Ref x, Ref y) {
    const int me = core.core_index();
    core.RunScoped(
        [&](Ref tile, SemaphoreRef arrived, SemaphoreRef go) {
          const AsyncCopy copy = core.MakeAsyncCopy(x.At(me), tile, arrived);
          copy.Start();
          if (me == 0) {
            copy.Wait();
            core.Signal(told.Get(core));
            core.SyncCopy(tile, y.At(0));
            return;
          }
          told.Publish(go);
          core.Wait(go);
          if (own_wait) copy.Wait();
          core.SyncCopy(tile, y.At(1));
          if (!own_wait) copy.Wait();
        },
        VmemTile("tile"), DmaSemaphore({}, "arrived"), RegularSemaphore({}, "go"));
  };
}

TEST_P(PeerCopiesReportTest, G09AWaitOfAnotherCoreDoesNotCoverMyCopies) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  const Array x = NumberedBlocks(2);
  Array y = Blocks(2);
  Exchange told;
  EXPECT_THAT(Run(WaitsElsewhere(told, /*own_wait=*/false), {In("x", x), Out("y", y)}, 2),
              HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy reads tile while a copy is still filling it"),
                                             HasSubstr("core 1 has not waited arrived"))));
}

TEST_P(PeerCopiesReportTest, G09MyOwnWaitDoes) {
  const Array x = NumberedBlocks(2);
  Array y = Blocks(2);
  Exchange told;
  EXPECT_THAT(Run(WaitsElsewhere(told, /*own_wait=*/true), {In("x", x), Out("y", y)}, 2), IsProved());
  EXPECT_EQ(y, x);
}

// Both blocks of x into one tile.
void FillsOneTile(const Tiles& t, bool waits_between) {
  const AsyncCopy first = t.core.MakeAsyncCopy(t.x.At(0), t.tiles.At(0), t.done.At(0));
  const AsyncCopy second = t.core.MakeAsyncCopy(t.x.At(1), t.tiles.At(0), t.done.At(1));
  first.Start();
  if (waits_between) {
    first.Wait();
    t.core.SyncCopy(t.tiles.At(0), t.y.At(0));
  }
  second.Start();
  if (!waits_between) first.Wait();
  second.Wait();
  t.core.SyncCopy(t.tiles.At(0), t.y.At(1));
  if (!waits_between) t.core.SyncCopy(t.tiles.At(0), t.y.At(0));
}

TEST_P(TwoTilesTest, G10TwoCopiesIntoOneBufferAreARaceUnlessTheFirstIsWaitedForBetween) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  EXPECT_THAT(RunTiles([](const Tiles& t) { FillsOneTile(t, /*waits_between=*/false); }),
              HasOnly(FaultKind::kRace, HasSubstr("a copy writes tiles while a copy is still filling it")));
  EXPECT_THAT(RunTiles([](const Tiles& t) { FillsOneTile(t, /*waits_between=*/true); }), IsProved());
  ExpectBlocks(1, 2);
}

TEST_P(TwoTilesTest, G11TheSameCopyOutTwiceIsARaceOfItsTargetUnlessTheFirstIsWaitedFor) {
  SKIP_IF_THE_SANITIZER_REPORTS_IT();
  for (bool waits_between : {false, true}) {
    const RunReport report = RunTiles([&](const Tiles& t) {
      t.core.SyncCopy(t.x, t.tiles);
      const AsyncCopy out = t.Out(0, 0);
      out.Start();
      if (waits_between) out.Wait();
      out.Start();
      if (!waits_between) out.Wait();
      out.Wait();
      t.core.SyncCopy(t.tiles.At(1), t.y.At(1));
    });
    if (waits_between) {
      EXPECT_THAT(report, IsProved());
      ExpectBlocks(1, 2);
    } else {
      EXPECT_THAT(report, HasOne(FaultKind::kRace, AllOf(HasSubstr("a copy writes y while a copy is still filling it"),
                                                         HasSubstr("done[0]"))));
    }
  }
}

}  // namespace
}  // namespace strandcore::testing
