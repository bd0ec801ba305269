#include "runtime/exec/stored_handler.h"

#include <gtest/gtest.h>

#include <memory>

namespace strandcore {
namespace {

TEST(StoredHandlerTest, IsCalledOnce) {
  int calls = 0;
  StoredHandler handler;
  EXPECT_FALSE(handler.stored());
  handler.Store([&] { ++calls; });
  EXPECT_TRUE(handler.stored());
  handler.Call();
  EXPECT_FALSE(handler.stored());
  EXPECT_EQ(calls, 1);
}

TEST(StoredHandlerTest, MayStoreTheNextWhileItRuns) {
  int calls = 0;
  StoredHandler handler;
  handler.Store([&] { handler.Store([&] { calls += 10; }); });
  handler.Call();
  EXPECT_TRUE(handler.stored());
  handler.Call();
  EXPECT_EQ(calls, 10);
}

TEST(StoredHandlerTest, DestroysWhatItHolds) {
  auto held = std::make_shared<int>(1);
  {
    StoredHandler called, never_called;
    called.Store([held] {});
    never_called.Store([held] {});
    EXPECT_EQ(held.use_count(), 3);
    called.Call();
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace strandcore
