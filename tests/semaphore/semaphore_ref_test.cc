#include "runtime/semaphore/semaphore_ref.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

SemaphoreArray Make(const Dims& shape) { return SemaphoreArray("slots", SemaphoreKind::kDma, {0, 3}, shape, Waiter()); }

// What the Stop says that `action` throws.
absl::Status StopOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Stop& stop) {
    return stop.status;
  }
  return absl::OkStatus();
}

TEST(SemaphoreRefTest, OfNoArrayIsNotValid) {
  EXPECT_FALSE(SemaphoreRef().valid());
  EXPECT_EQ(SemaphoreRef().Name(), "(none)");
}

TEST(SemaphoreRefTest, OfOneSemaphoreIsTheSemaphore) {
  SemaphoreArray array = Make({});
  const SemaphoreRef ref(array);
  EXPECT_TRUE(ref.valid());
  EXPECT_EQ(ref.rank(), 0);
  EXPECT_EQ(&ref.semaphore(), &array.at(0));
  EXPECT_EQ(ref.kind(), SemaphoreKind::kDma);
  EXPECT_EQ(ref.owner(), (CoreId{0, 3}));
  EXPECT_EQ(ref.Name(), "slots");
}

TEST(SemaphoreRefTest, IndicesPickARowMajorElement) {
  SemaphoreArray array = Make({2, 3});
  const SemaphoreRef ref(array);
  std::set<const Semaphore*> seen;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(&ref.At(i, j).semaphore(), &array.at(3 * i + j));
      EXPECT_EQ(&ref.At(i).At(j).semaphore(), &array.at(3 * i + j)) << "index by index";
      seen.insert(&ref.At(i, j).semaphore());
    }
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(SemaphoreRefTest, FewerIndicesLeaveAnArray) {
  SemaphoreArray array = Make({2, 3});
  EXPECT_EQ(SemaphoreRef(array).At(1).shape(), Dims({3}));
  EXPECT_EQ(SemaphoreRef(array).At().shape(), Dims({2, 3}));
}

TEST(SemaphoreRefTest, IsNamedByItsIndices) {
  SemaphoreArray array = Make({2, 3});
  const SemaphoreRef ref(array);
  EXPECT_EQ(ref.Name(), "slots[:]");
  EXPECT_EQ(ref.At(1).Name(), "slots[1]");
  EXPECT_EQ(ref.At(1, 2).Name(), "slots[1, 2]");
  EXPECT_EQ(ref.At(0).At(2).Name(), "slots[0, 2]");
}

TEST(SemaphoreRefTest, AnIndexOutsideStops) {
  SemaphoreArray array = Make({2, 3});
  const SemaphoreRef ref(array);
  EXPECT_EQ(StopOf([&] { ref.At(0, 3); }),
            absl::OutOfRangeError("semaphore slots[:]: index 3 of dimension 1 lies outside 0–2"));
  EXPECT_EQ(StopOf([&] { ref.At(-1); }),
            absl::OutOfRangeError("semaphore slots[:]: index -1 of dimension 0 lies outside 0–1"));
  EXPECT_EQ(StopOf([&] { ref.At(1).At(7); }),
            absl::OutOfRangeError("semaphore slots[1]: index 7 of dimension 0 lies outside 0–2"));
}

TEST(SemaphoreRefTest, MoreIndicesThanDimensionsStop) {
  SemaphoreArray one = Make({}), eight = Make(Dims::Filled(8, 1));
  EXPECT_EQ(StopOf([&] { SemaphoreRef(one).At(0); }).message(), "semaphore slots: 1 indices given, its rank is 0");
  EXPECT_FALSE(StopOf([&] { SemaphoreRef(eight).At(0, 0, 0, 0, 0, 0, 0, 0, 0); }).ok());
}

TEST(SemaphoreRefTest, AnArrayOfNoneHasANameAndNoElement) {
  SemaphoreArray none = Make({2, 0});
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(SemaphoreRef(none).At(1).Name(), "slots[0]") << "which one cannot be told";
  EXPECT_EQ(StopOf([&] { SemaphoreRef(none).At(1, 0); }).code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace strandcore
