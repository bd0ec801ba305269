// What generated kernels found: copies to other cores, and their ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

class RemoteCopyTest : public ScheduleTest {
 protected:
  Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y = Array::Iota(DType::kFloat32, {8, 128});
};
STRANDCORE_ON_EVERY_BACKEND(RemoteCopyTest);

// Core 0 sends x to y and waits for its half; core 1 waits for the arrival, or only for the start, unknown to the
// checker.
RefFunction SendsAndWaits(Exchange& arrived, Exchange& started, bool receiver_waits) {
  return [&arrived, &started, receiver_waits](KernelContext& core, const Ref& x, const Ref& y) {
    core.RunScoped(
        [&](SemaphoreRef own) {
          if (core.core_index() == 1) arrived.Publish(own);
          const SemaphoreRef receive = arrived.Get(core);
          if (core.core_index() == 0) {
            const AsyncCopy copy = core.MakeAsyncRemoteCopy(x, y, own, receive);
            copy.Start();
            started.Publish(own);
            copy.Wait();
          } else if (receiver_waits) {
            core.WaitForBytes(own, y.bytes(), Site::Here());
          } else {
            started.Get(core);
          }
        },
        DmaSemaphore({}, "done"));
  };
}

TEST_P(RemoteCopyTest, OneThatItsReceiverWaitsForIsSilent) {
  Exchange arrived, started;
  const RunReport report = Run(SendsAndWaits(arrived, started, true), {In("x", x), InOut("y", y)}, 2);
  EXPECT_THAT(report, IsClean());
  EXPECT_TRUE(report.proved);
}

TEST_P(RemoteCopyTest, OneThatNobodyReceivesIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "it races with the host";
#endif
  Exchange arrived, started;
  EXPECT_THAT(Run(SendsAndWaits(arrived, started, false), {In("x", x), InOut("y", y)}, 2),
              HasFault(FaultKind::kTransferInFlightAtExit, HasSubstr("a copy to y may be in flight")));
}

// Core 0 copies twice; one wait of core 1 may have been paid by either, in whatever order they were started.
TEST_P(RemoteCopyTest, OneThatAWaitMayHaveMistakenIsReported) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "it races with the host";
#endif
  for (bool waits_for_both : {false, true}) {
    Exchange arrived;
    auto kernel = [&](KernelContext& core, const Ref& x, const Ref& y) {
      core.RunScoped(
          [&](SemaphoreRef own, SemaphoreRef also) {
            if (core.core_index() == 1) {
              arrived.Publish(own);
              core.WaitForBytes(own, (waits_for_both ? 2 : 1) * x.bytes() / 2, Site::Here());
              return;
            }
            const SemaphoreRef receive = arrived.Get(core);
            for (const int64_t row : {0, 4}) {
              const AsyncCopy copy = core.MakeAsyncRemoteCopy(x.At(Ds(row, 4)), y.At(Ds(row, 4)), also, receive);
              copy.Start();
              copy.Wait();
            }
          },
          DmaSemaphore({}, "own"), DmaSemaphore({}, "also"));
    };
    const RunReport report = Run(kernel, {In("x", x), InOut("y", y)}, 2);
    if (waits_for_both) {
      EXPECT_THAT(report, IsClean());
    } else {
      EXPECT_THAT(report, HasFault(FaultKind::kTransferInFlightAtExit));
      EXPECT_THAT(report.faults, ::testing::SizeIs(1));
      EXPECT_EQ(report.faults[0].count, 2);
    }
  }
}

// Its owner's scope ends while core 0's copy fills it: reported, and the memory stays until the copy is over.
TEST_P(RemoteCopyTest, MemoryThatAnotherCoreFillsOutlivesItsScope) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the copy is waited for by nobody";
#endif
  Array big = Array::Iota(DType::kFloat32, {512, 128});
  Exchange arrived;
  Ref tile;
  std::atomic<bool> made{false}, started{false};
  auto kernel = [&](KernelContext& core, const Ref& big) {
    core.RunScoped(
        [&](SemaphoreRef own) {
          if (core.core_index() == 1) {
            core.RunScoped(
                [&](Ref memory) {
                  tile = memory;
                  made.store(true, std::memory_order_release);
                  arrived.Publish(own);
                  while (!started.load(std::memory_order_acquire)) core.Delay(1);
                },
                Vmem({512, 128}, DType::kFloat32, "tile"));
            core.WaitForBytes(own, big.bytes(), Site::Here());
            return;
          }
          const SemaphoreRef receive = arrived.Get(core);
          while (!made.load(std::memory_order_acquire)) core.Delay(1);
          const AsyncCopy copy = core.MakeAsyncRemoteCopy(big, tile, own, receive);
          copy.Start();
          started.store(true, std::memory_order_release);
          copy.Wait();
        },
        DmaSemaphore({}, "done"));
  };
  const RunReport report = Run(kernel, {In("big", big)}, 2);
  EXPECT_THAT(report,
              HasFault(FaultKind::kUseAfterScope, HasSubstr("tile is freed while a copy may still be filling")));
  EXPECT_THAT(report.faults, ::testing::SizeIs(1));
}

// Both halves pay semaphores of the core that sends; the one that arrival pays ends first.
TEST_P(RemoteCopyTest, ASemaphoreThatAnArrivalPaysOutlivesItsScope) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the copy is waited for by nobody";
#endif
  auto kernel = [&](KernelContext& core, const Ref& x, const Ref& y) {
    core.RunScoped(
        [&](SemaphoreRef send) {
          core.RunScoped([&](SemaphoreRef receive) { core.MakeAsyncRemoteCopy(x, y, send, receive).Start(); },
                         DmaSemaphore({}, "receive"));
          core.WaitForBytes(send, x.bytes(), Site::Here());
        },
        DmaSemaphore({}, "send"));
  };
  EXPECT_THAT(Run(kernel, {In("x", x), InOut("y", y)}), HasFault(FaultKind::kTransferInFlightAtExit));
}

// A loop's copies have one site; two copies into one memory have two.
TEST_P(RemoteCopyTest, CopiesOfTwoSitesAreTwoFaults) {
#ifdef STRANDCORE_TSAN
  GTEST_SKIP() << "the copies are waited for by nobody";
#endif
  auto kernel = [&](KernelContext& core, const Ref& x) {
    core.RunScoped(
        [&](SemaphoreRef done) {
          core.RunScoped(
              [&](Ref tile) {
                for (int i = 0; i < 3; ++i) core.MakeAsyncCopy(x.At(i), tile.At(i), done).Start();
                core.MakeAsyncCopy(x.At(5), tile.At(5), done).Start();
              },
              Vmem({8, 128}, DType::kFloat32, "tile"));
          core.WaitForBytes(done, 4 * 512, Site::Here());
        },
        DmaSemaphore({}, "done"));
  };
  const RunReport report = Run(kernel, {In("x", x)});
  ASSERT_THAT(report.faults, ::testing::SizeIs(2));
  EXPECT_EQ(report.faults[0].kind, FaultKind::kUseAfterScope);
  EXPECT_EQ(report.faults[0].count + report.faults[1].count, 4);
}

}  // namespace
}  // namespace strandcore::testing
