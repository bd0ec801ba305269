#include "runtime/memory/storage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace strandcore {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

Storage Make(DType dtype, int64_t bytes, Fill fill) {
  auto storage = Storage::Make(dtype, bytes, fill);
  EXPECT_TRUE(storage.ok()) << storage.status();
  return *std::move(storage);
}

int32_t& At(const Storage& storage, int64_t i) { return reinterpret_cast<int32_t*>(storage.data())[i]; }

// Resident memory of this process.
int64_t ResidentBytes() {
  long total = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &resident), 2);
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

// Small ones on the heap, and mapped ones of one piece and of several with a rest.
class StorageTest : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, StorageTest, testing::Values(4, 4096, kMiB - 4, kMiB, 3 * kMiB + 4, 40 * kMiB + 4096));

TEST_P(StorageTest, PoisonIsEverywhere) {
  const Storage storage = Make(DType::kInt32, GetParam(), Fill::kPoison);
  EXPECT_EQ(storage.bytes(), GetParam());
  for (int64_t i = 0; i < GetParam() / 4; ++i) ASSERT_EQ(At(storage, i), 2147483647) << i;
}

TEST_P(StorageTest, ZeroIsEverywhere) {
  const Storage storage = Make(DType::kInt32, GetParam(), Fill::kZero);
  for (int64_t i = 0; i < GetParam() / 4; ++i) ASSERT_EQ(At(storage, i), 0) << i;
}

TEST_P(StorageTest, StartsOnACacheLine) {
  const Storage storage = Make(DType::kInt32, GetParam(), Fill::kPoison);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(storage.data()) % 64, 0u);
}

TEST_P(StorageTest, RefillRestoresEitherFillFromEither) {
  const int64_t last = GetParam() / 4 - 1;
  Storage storage = Make(DType::kInt32, GetParam(), Fill::kPoison);
  for (Fill fill : {Fill::kPoison, Fill::kZero, Fill::kZero, Fill::kPoison, Fill::kPoison}) {
    for (int64_t i : {int64_t{0}, last / 2, last}) At(storage, i) = 7;
    ASSERT_TRUE(storage.Refill(fill).ok());
    const int32_t expected = fill == Fill::kZero ? 0 : 2147483647;
    for (int64_t i : {int64_t{0}, last / 3, last / 2, last}) EXPECT_EQ(At(storage, i), expected);
  }
}

TEST_P(StorageTest, WritesStay) {
  const Storage storage = Make(DType::kInt32, GetParam(), Fill::kPoison);
  for (int64_t i = 0; i < GetParam() / 4; i += 1000) At(storage, i) = static_cast<int32_t>(i);
  for (int64_t i = 0; i < GetParam() / 4; i += 1000) ASSERT_EQ(At(storage, i), i);
}

TEST(LazyStorageTest, GigabytesOfPoisonCostOnlyWhatIsWritten) {
  const int64_t before = ResidentBytes();
  const Storage storage = Make(DType::kFloat32, 4 * kGiB, Fill::kPoison);
  float* const elements = reinterpret_cast<float*>(storage.data());
  const int64_t count = 4 * kGiB / 4;
  elements[0] = 1;
  elements[count / 2] = 2;
  EXPECT_LT(ResidentBytes() - before, 64 * kMiB);
  EXPECT_EQ(elements[0], 1);
  EXPECT_EQ(elements[count / 2], 2);
  for (int64_t i : {int64_t{1}, count / 3, count / 2 - 1, count / 2 + 1, count - 1}) {
    EXPECT_TRUE(std::isnan(elements[i])) << i;
  }
}

TEST(LazyStorageTest, GigabytesOfZerosCostOnlyWhatIsWritten) {
  const int64_t before = ResidentBytes();
  const Storage storage = Make(DType::kInt32, 4 * kGiB, Fill::kZero);
  At(storage, kGiB - 1) = 1;
  EXPECT_LT(ResidentBytes() - before, 64 * kMiB);
  EXPECT_EQ(At(storage, 0), 0);
}

TEST(LazyStorageTest, RefillGivesWrittenPagesBack) {
  Storage storage = Make(DType::kInt32, 256 * kMiB, Fill::kPoison);
  std::memset(storage.data(), 0, static_cast<size_t>(storage.bytes()));
  const int64_t written = ResidentBytes();
  ASSERT_TRUE(storage.Refill(Fill::kPoison).ok());
  EXPECT_LT(ResidentBytes(), written - 200 * kMiB);
}

TEST(StorageFailureTest, TooLargeAMappingIsResourceExhausted) {
  for (Fill fill : {Fill::kZero, Fill::kPoison}) {
    const auto storage = Storage::Make(DType::kInt8, int64_t{1} << 60, fill);
    EXPECT_EQ(storage.status().code(), absl::StatusCode::kResourceExhausted) << storage.status();
  }
}

TEST(StorageOwnershipTest, MovingLeavesNothingBehind) {
  Storage from = Make(DType::kInt32, 64, Fill::kZero);
  std::byte* const data = from.data();
  Storage to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is the claim
  to = Make(DType::kInt32, 2 * kMiB, Fill::kZero);
  EXPECT_EQ(to.bytes(), 2 * kMiB);
}

TEST(StorageOwnershipTest, BorrowedBytesStayWithTheirOwner) {
  std::vector<int32_t> host(16, 5);
  {
    Storage storage = Storage::Borrow(DType::kInt32, host.data(), 64);
    EXPECT_FALSE(storage.owned());
    At(storage, 3) = 6;
  }
  EXPECT_EQ(host[3], 6);
  Storage storage = Storage::Borrow(DType::kInt32, host.data(), 64);
  EXPECT_TRUE(storage.Refill(Fill::kPoison).ok());
  EXPECT_EQ(host[15], 2147483647);
}

TEST(StorageOwnershipTest, OfNoBytesIsFine) {
  Storage storage = Make(DType::kInt32, 0, Fill::kPoison);
  EXPECT_TRUE(storage.Refill(Fill::kZero).ok());
  EXPECT_TRUE(Storage().Refill(Fill::kZero).ok());
}

}  // namespace
}  // namespace strandcore
