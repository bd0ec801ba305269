#include "runtime/dma/copy_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/memory/allocation.h"
#include "runtime/memory/window.h"

namespace strandcore {
namespace {

std::unique_ptr<Allocation> Make(const Dims& shape, DType dtype = DType::kInt32) {
  AllocationOptions options;
  options.name = "memory";
  options.shape = shape;
  options.dtype = dtype;
  return *Allocation::Make(options);
}

std::unique_ptr<Allocation> MakeNumbered(const Dims& shape) {
  auto made = Make(shape);
  for (int64_t i = 0; i < made->physical_bytes() / 4; ++i) {
    reinterpret_cast<int32_t*>(made->data())[i] = static_cast<int32_t>(i);
  }
  return made;
}

// Copies in chunks of this size; how many it took.
int CopyInChunks(const Ref& source, const Ref& target, int64_t chunk_bytes) {
  CopyPlan plan;
  plan.Prepare(source, target);
  int chunks = 1;
  while (!plan.CopyChunk(chunk_bytes)) ++chunks;
  return chunks;
}

TEST(CopyPlanTest, CopiesAWholeTileInOneRow) {
  auto source = MakeNumbered({8, 128}), target = Make({8, 128});
  EXPECT_EQ(CopyInChunks(Ref(source.get()), Ref(target.get()), 4096), 1);
  EXPECT_EQ(std::memcmp(source->data(), target->data(), 4096), 0);
}

TEST(CopyPlanTest, GivesWayAfterEachChunk) {
  auto source = MakeNumbered({64, 1024}), target = Make({64, 1024});
  CopyPlan plan;
  plan.Prepare(Ref(source.get()), Ref(target.get()));
  const int64_t bytes = source->physical_bytes(), chunk = 32 * 1024;
  for (int64_t done = chunk; done <= bytes; done += chunk) {
    EXPECT_EQ(plan.CopyChunk(chunk), done == bytes);
    ASSERT_EQ(std::memcmp(source->data(), target->data(), done), 0);
    if (done < bytes) {
      ASSERT_EQ(reinterpret_cast<int32_t*>(target->data())[done / 4], INT32_MAX) << "still poison";
    }
  }
}

TEST(CopyPlanTest, CutsRowsThatAreLargerThanAChunk) {
  auto source = MakeNumbered({3, 500}), target = Make({3, 500});
  EXPECT_EQ(CopyInChunks(Ref(source.get()), Ref(target.get()), 7), (3 * 2000 + 6) / 7);
  EXPECT_TRUE((Ref(source.get()).Load<int32_t>() == Ref(target.get()).Load<int32_t>()).all());
}

TEST(CopyPlanTest, LeavesWhatLiesAroundTheTarget) {
  auto source = MakeNumbered({64, 512}), target = Make({16, 256});
  CopyInChunks(Ref(source.get()).At(Ds(8, 8), Ds(128, 128)), Ref(target.get()).At(Ds(4, 8), Ds(64, 128)), 1 << 20);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 256; ++column) {
      const bool inside = row >= 4 && row < 12 && column >= 64 && column < 192;
      const int32_t expected = inside ? (row + 4) * 512 + column + 64 : INT32_MAX;
      ASSERT_EQ(Ref(target.get()).Get<int32_t>({row, column}), expected) << row << ", " << column;
    }
  }
}

TEST(CopyPlanTest, OfNoElementsIsCompleteAtOnce) {
  auto source = MakeNumbered({8, 128}), target = Make({8, 128});
  EXPECT_EQ(CopyInChunks(Ref(source.get()).At(Ds(0, 0)), Ref(target.get()).At(Ds(3, 0)), 4096), 1);
  EXPECT_EQ(Ref(target.get()).Get<int32_t>({0, 0}), INT32_MAX);
}

TEST(CopyPlanTest, OfRankZeroIsOneElement) {
  auto source = MakeNumbered({8, 128}), target = Make({8, 128});
  EXPECT_EQ(CopyInChunks(Ref(source.get()).At(2, 3), Ref(target.get()).At(0, 1), 1), 4);
  EXPECT_EQ(Ref(target.get()).Get<int32_t>({0, 1}), 2 * 128 + 3);
  EXPECT_EQ(Ref(target.get()).Get<int32_t>({0, 0}), INT32_MAX);
}

// x.At(i) of a rank-3 array to a window of rank 2.
TEST(CopyPlanTest, SqueezedDimensionsAreSkipped) {
  auto source = MakeNumbered({4, 8, 128}), target = Make({8, 128});
  EXPECT_EQ(CopyInChunks(Ref(source.get()).At(2), Ref(target.get()), 4096), 1);
  EXPECT_EQ(Ref(target.get()).Get<int32_t>({0, 0}), 2 * 1024);
  EXPECT_EQ(Ref(target.get()).Get<int32_t>({7, 127}), 3 * 1024 - 1);
}

// A block at the edge, rounded up to the tile, of dense memory that has no padding.
TEST(CopyPlanTest, OutsideTheSourceReadsPoison) {
  std::vector<int32_t> dense(6 * 100);
  for (size_t i = 0; i < dense.size(); ++i) dense[i] = static_cast<int32_t>(i);
  AllocationOptions options;
  options.shape = {6, 100};
  options.dtype = DType::kInt32;
  options.space = MemorySpace::kHbm;
  auto source = *Allocation::Borrow(options, {6, 100}, dense.data());
  auto target = MakeNumbered({8, 128});
  CopyInChunks(Ref(source.get()).UncheckedWindow({0, 0}, {8, 128}, true), Ref(target.get()), 300);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 128; ++column) {
      const int32_t expected = row < 6 && column < 100 ? row * 100 + column : INT32_MAX;
      ASSERT_EQ(Ref(target.get()).Get<int32_t>({row, column}), expected) << row << ", " << column;
    }
  }
}

TEST(CopyPlanTest, OutsideTheTargetIsDropped) {
  std::vector<int32_t> dense(6 * 100, -1);
  AllocationOptions options;
  options.shape = {6, 100};
  options.dtype = DType::kInt32;
  options.space = MemorySpace::kHbm;
  auto target = *Allocation::Borrow(options, {6, 100}, dense.data());
  auto source = MakeNumbered({8, 128});
  CopyInChunks(Ref(source.get()), Ref(target.get()).UncheckedWindow({4, 0}, {8, 128}, true), 300);
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 100; ++column) {
      ASSERT_EQ(dense[row * 100 + column], row < 4 ? -1 : (row - 4) * 128 + column) << row << ", " << column;
    }
  }
}

// Wrong in the emulated program, but no more than its values.
TEST(CopyPlanTest, OfOverlappingViewsStaysWithinTheTarget) {
  auto memory = MakeNumbered({32, 128});
  const Ref all(memory.get());
  CopyInChunks(all.At(Ds(0, 16)), all.At(Ds(8, 16)), 4096);
  CopyInChunks(all.At(Ds(8, 16)), all.At(Ds(4, 16)), 1 << 20);
  for (int row : {0, 3, 24, 31}) EXPECT_EQ(all.Get<int32_t>({row, 0}), row * 128);
}

}  // namespace
}  // namespace strandcore
