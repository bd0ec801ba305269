#include "runtime/exec/stack_pool.h"

#include <sys/mman.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"

namespace strandcore {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr int kMaxSlabStacks = 1024;

}  // namespace

StackPool::StackPool(size_t stack_bytes)
    : stack_bytes_((std::max(stack_bytes, 4 * kPageBytes) + kPageBytes - 1) / kPageBytes * kPageBytes) {}

StackPool::~StackPool() {
  STRANDCORE_CHECK(in_use_ == 0);
  if (lost_ > 0) return;
  for (const Slab& slab : slabs_) munmap(slab.base, slab.bytes);
}

absl::StatusOr<std::byte*> StackPool::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (free_.empty()) {
    if (absl::Status status = Grow(); !status.ok()) return status;
  }
  std::byte* stack = free_.back();
  free_.pop_back();
  ++in_use_;
  return stack;
}

void StackPool::Return(std::byte* stack) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(stack);
  --in_use_;
}

void StackPool::Lose() {
  std::lock_guard<std::mutex> lock(mutex_);
  --in_use_;
  ++lost_;
}

int StackPool::in_use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return in_use_;
}

absl::Status StackPool::Grow() {
  const size_t stride = stack_bytes_ + kPageBytes;
  const size_t bytes = stride * static_cast<size_t>(next_slab_stacks_);
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no address space for ", next_slab_stacks_, " kernel stacks of ", stack_bytes_, " bytes"));
  }
  // A huge page under a stack would commit 2 MiB for a kernel that touches 4 KiB.
  madvise(base, bytes, MADV_NOHUGEPAGE);
  slabs_.push_back({static_cast<std::byte*>(base), bytes});
  for (int i = next_slab_stacks_ - 1; i >= 0; --i) {
    std::byte* guard = slabs_.back().base + stride * static_cast<size_t>(i);
    if (mprotect(guard, kPageBytes, PROT_NONE) != 0) {
      return absl::ResourceExhaustedError("the system refuses more guard pages (vm.max_map_count)");
    }
    free_.push_back(guard + kPageBytes);
  }
  next_slab_stacks_ = std::min(2 * next_slab_stacks_, kMaxSlabStacks);
  return absl::OkStatus();
}

}  // namespace strandcore
