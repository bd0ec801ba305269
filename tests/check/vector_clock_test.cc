#include "runtime/check/vector_clock.h"

#include <gtest/gtest.h>

namespace strandcore {
namespace {

TEST(VectorClockTest, AnEntryThatWasNeverSetIsZero) {
  VectorClock clock;
  EXPECT_EQ(clock.Get(0), 0u);
  clock.Set(3, 7);
  EXPECT_EQ(clock.Get(2), 0u);
  EXPECT_EQ(clock.Get(3), 7u);
  EXPECT_EQ(clock.Get(1000), 0u);
}

TEST(VectorClockTest, RaiseNeverLowersAndTellsNews) {
  VectorClock clock;
  EXPECT_TRUE(clock.Raise(2, 5));
  EXPECT_FALSE(clock.Raise(2, 5));
  EXPECT_FALSE(clock.Raise(2, 4));
  EXPECT_FALSE(clock.Raise(9, 0));
  EXPECT_EQ(clock.Get(2), 5u);
}

TEST(VectorClockTest, JoinTakesTheLargerOfEachEntry) {
  VectorClock a;
  VectorClock b;
  a.Set(0, 3);
  a.Set(1, 1);
  b.Set(1, 2);
  b.Set(20, 1);
  a.Join(b);
  EXPECT_EQ(a.Get(0), 3u);
  EXPECT_EQ(a.Get(1), 2u);
  EXPECT_EQ(a.Get(20), 1u);
}

TEST(VectorClockTest, ContainsComparesEveryEntryWhateverTheLengths) {
  VectorClock a;
  VectorClock b;
  EXPECT_TRUE(a.Contains(b));
  b.Set(20, 0);
  EXPECT_TRUE(a.Contains(b));
  b.Set(20, 1);
  EXPECT_FALSE(a.Contains(b));
  EXPECT_TRUE(b.Contains(a));
  a.Join(b);
  EXPECT_TRUE(a.Contains(b));
  a.Set(0, 1);
  EXPECT_FALSE(b.Contains(a));
}

}  // namespace
}  // namespace strandcore
