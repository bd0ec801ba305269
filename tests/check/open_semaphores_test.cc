// Which semaphores end with units of unknown payers, whatever came first in the run.
#include "runtime/check/open_semaphores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/check/order.h"

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Core 0 waits; cores 1 and 2 have each written something before they signal.
class OpenSemaphoresTest : public ::testing::Test {
 protected:
  void Write(int32_t core) {
    LoggedAccess logged;
    logged.before = order.RequestsOf(core);
    logged.access.core = core;
    logged.access.write = true;
    logged.access.epoch = order.Access(core);
    logged.access.name = AccessName::OfCore(core, logged.before);
    accesses.Append(core, 0, logged);
  }
  void WriteAndSignal(int32_t core) {
    Write(core);
    order.Signal(core, semaphore, 1);
  }

  RequestLog requests{3, 1024};
  AccessLog accesses{3, 1024};
  LaunchOrder order{3, &requests};
  const SemaphoreId semaphore = order.AddSemaphore(0);
};

TEST_F(OpenSemaphoresTest, OneThatEitherMayHavePaidIsOpen) {
  WriteAndSignal(1);
  WriteAndSignal(2);
  order.Wait(0, semaphore, 1);
  EXPECT_TRUE(order.IsOpen(0, semaphore));
  EXPECT_THAT(OpenSemaphores(requests, accesses), ElementsAre(order.LoggedAs(semaphore)));
}

TEST_F(OpenSemaphoresTest, SoItIsWhenTheSecondPostWasLate) {
  WriteAndSignal(1);
  order.Wait(0, semaphore, 1);
  WriteAndSignal(2);
  // The run's own order takes the first for known.
  EXPECT_TRUE(order.late());
  EXPECT_FALSE(order.IsOpen(0, semaphore));
  EXPECT_THAT(OpenSemaphores(requests, accesses), ElementsAre(order.LoggedAs(semaphore)));
}

TEST_F(OpenSemaphoresTest, OneThatIsWaitedForWhollyIsNot) {
  WriteAndSignal(1);
  order.Wait(0, semaphore, 1);
  WriteAndSignal(2);
  order.Wait(0, semaphore, 1);
  EXPECT_THAT(OpenSemaphores(requests, accesses), IsEmpty());
}

// The first wait got the first signal: the second is left, and nobody else's.
TEST_F(OpenSemaphoresTest, OneThatOneCorePaysTwiceIsNot) {
  WriteAndSignal(1);
  WriteAndSignal(1);
  order.Wait(0, semaphore, 1);
  EXPECT_FALSE(order.IsOpen(0, semaphore));
  EXPECT_THAT(OpenSemaphores(requests, accesses), IsEmpty());
}

TEST(RequestLogTest, OneThatIsCutNamesNoMoreSemaphores) {
  RequestLog requests(2, 512);
  EXPECT_EQ(requests.AddSemaphore(1, 0), 1);
  while (requests.Append(1) != nullptr) continue;
  EXPECT_TRUE(requests.cut());
  EXPECT_EQ(requests.AddSemaphore(1, 0), kNotLogged);
  EXPECT_EQ(requests.AddSemaphore(0, 0), 0);
}

}  // namespace
}  // namespace strandcore
