#include "runtime/base/dims.h"

#include <gtest/gtest.h>

#include <vector>

namespace strandcore {
namespace {

TEST(DimsTest, PrintLikePythonTuples) {
  EXPECT_EQ(Dims().ToString(), "()");
  EXPECT_EQ(Dims({5}).ToString(), "(5,)");
  EXPECT_EQ(Dims({8, 128}).ToString(), "(8, 128)");
  EXPECT_EQ(Dims({-1, 0, 7}).ToString(), "(-1, 0, 7)");
}

TEST(DimsTest, ProductOfNothingIsOne) {
  EXPECT_EQ(Dims().Product(), 1);
  EXPECT_EQ(Dims({3, 4}).Product(), 12);
  EXPECT_EQ(Dims({3, 0}).Product(), 0);
}

TEST(DimsTest, MoreThanEightOverflow) {
  const Dims eight = Dims::Filled(8, 1);
  EXPECT_FALSE(eight.overflowed());
  const Dims nine = Dims::Filled(9, 1);
  EXPECT_TRUE(nine.overflowed());
  EXPECT_EQ(nine.size(), 8);
  EXPECT_FALSE(eight == nine);
  EXPECT_EQ(nine.ToString(), "(1, 1, 1, 1, 1, 1, 1, 1, ...)");
}

TEST(DimsTest, CompareByValueAndLength) {
  EXPECT_EQ(Dims({1, 2}), Dims::From(std::vector<int>{1, 2}));
  EXPECT_FALSE(Dims({1, 2}) == Dims({1, 3}));
  EXPECT_FALSE(Dims({1, 2}) == Dims({1, 2, 0}));
}

TEST(DimsTest, AreMadeAtCompileTime) {
  static_assert(Dims({2, 3}).Product() == 6);
  static_assert(Dims({2, 3}).back() == 3);
}

}  // namespace
}  // namespace strandcore
