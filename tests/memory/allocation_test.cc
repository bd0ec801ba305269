#include "runtime/memory/allocation.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "tests/memory/support.h"

namespace strandcore {
namespace {

static_assert(!std::is_copy_constructible_v<Allocation> && !std::is_move_constructible_v<Allocation>);

std::string RefusalText(const absl::StatusOr<std::unique_ptr<Allocation>>& made) {
  return std::string(made.status().message());
}

TEST(AllocationTest, IsPaddedToTheTileAndPoisoned) {
  const auto x = MakeX(DType::kInt32, {3, 20});
  EXPECT_EQ(x->shape().ToString(), "(3, 20)");
  EXPECT_EQ(x->physical_shape().ToString(), "(8, 128)");
  EXPECT_EQ(x->physical_strides().ToString(), "(128, 1)");
  EXPECT_EQ(x->physical_bytes(), 4096);
  EXPECT_EQ(reinterpret_cast<const int32_t*>(x->data())[1023], 2147483647);
}

TEST(AllocationTest, InSmemIsNotPadded) {
  EXPECT_EQ(MakeX(DType::kInt32, {3, 20}, MemorySpace::kSmem)->physical_shape().ToString(), "(3, 20)");
}

TEST(AllocationTest, RefillMakesItFresh) {
  const auto x = MakeX(DType::kInt32, {8, 128}, MemorySpace::kVmem, Fill::kZero);
  NumberElements(*x);
  ASSERT_TRUE(x->Refill(Fill::kZero).ok());
  EXPECT_EQ(reinterpret_cast<const int32_t*>(x->data())[7], 0);
}

TEST(AllocationTest, TitleSaysWhetherItIsAnOperand) {
  EXPECT_EQ(MakeX(DType::kInt32, {1})->Title(), "operand x");
  EXPECT_EQ((*Allocation::Make({.name = "x window", .shape = {1}}))->Title(), "x window");
  EXPECT_EQ((*Allocation::Make({.shape = {1}}))->Title(), "memory without a name");
}

TEST(AllocationTest, BadShapesAreRefusedByName) {
  EXPECT_EQ(RefusalText(Allocation::Make({.name = "tile", .shape = {-8, 128}})),
            "tile: shape (-8, 128) has size -8 in dimension 0; sizes must not be negative");
  EXPECT_FALSE(Allocation::Make({.name = "tile", .shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}}).ok());
}

TEST(AllocationTest, MoreThanThereIsIsResourceExhausted) {
  const auto made = Allocation::Make({.name = "tile", .shape = {int64_t{1} << 25, int64_t{1} << 30}});
  EXPECT_EQ(made.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RefusalText(made).substr(0, 6), "tile: ");
}

TEST(BorrowedAllocationTest, WritesThroughToTheHost) {
  std::vector<int32_t> host(12);
  {
    const auto x = Allocation::Borrow({.name = "x", .dtype = DType::kInt32, .shape = {3, 4}}, {3, 4}, host.data());
    ASSERT_TRUE(x.ok()) << x.status();
    EXPECT_EQ((*x)->physical_strides().ToString(), "(4, 1)");
    NumberElements(**x);
  }
  EXPECT_EQ(host[11], 11);
}

TEST(BorrowedAllocationTest, UnfitMemoryIsRefused) {
  alignas(8) std::byte host[64];
  const AllocationOptions options = {.name = "x", .dtype = DType::kFloat32, .shape = {4, 4}};
  EXPECT_EQ(RefusalText(Allocation::Borrow(options, {4, 3}, host)),
            "x: shape (4, 4) does not fit the physical shape (4, 3) of its memory");
  EXPECT_EQ(RefusalText(Allocation::Borrow(options, {16}, host)),
            "x: shape (4, 4) does not fit the physical shape (16,) of its memory");
  EXPECT_EQ(RefusalText(Allocation::Borrow(options, {4, 4}, nullptr)), "x: expected memory of 64 bytes; given none");
  EXPECT_EQ(RefusalText(Allocation::Borrow(options, {4, 4}, host + 1)),
            "x: expected memory aligned to 4 bytes, the size of float32; given less");
}

TEST(MemorySpaceNameTest, NamesEverySpace) {
  EXPECT_STREQ(MemorySpaceName(MemorySpace::kAny), "ANY");
  EXPECT_STREQ(MemorySpaceName(MemorySpace::kHbm), "HBM");
  EXPECT_STREQ(MemorySpaceName(MemorySpace::kVmem), "VMEM");
  EXPECT_STREQ(MemorySpaceName(MemorySpace::kSmem), "SMEM");
  EXPECT_STREQ(MemorySpaceName(MemorySpace::kCmem), "CMEM");
}

}  // namespace
}  // namespace strandcore
