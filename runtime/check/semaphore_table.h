// SemaphoreTable: all semaphores of a launch, by id. It grows while others look things up in it, and nothing moves.
//
//   block   0        1         2          ...
//   ids     0..31    32..95    96..223           block b holds 32 << b
//
// Concurrency: self-synchronised. Ordering: who knows an id was told so by the core that added it, after it was added.
#ifndef STRANDCORE_RUNTIME_CHECK_SEMAPHORE_TABLE_H_
#define STRANDCORE_RUNTIME_CHECK_SEMAPHORE_TABLE_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/check/order_names.h"
#include "runtime/check/semaphore_order.h"

namespace strandcore {

class SemaphoreTable {
 public:
  SemaphoreTable() = default;
  SemaphoreTable(const SemaphoreTable&) = delete;
  SemaphoreTable& operator=(const SemaphoreTable&) = delete;

  // REQUIRES: `id` came from Add.
  SemaphoreOrder& operator[](SemaphoreId id) const {
    const auto [block, offset] = PlaceOf(id);
    return blocks_[block].load(std::memory_order_acquire)[offset];
  }

  SemaphoreId Add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const SemaphoreId id = count_++;
    const auto [block, offset] = PlaceOf(id);
    if (offset == 0) {
      owned_[block] = std::make_unique<SemaphoreOrder[]>(kFirstBlock << block);
      // Pairs with the acquire of a look-up.
      blocks_[block].store(owned_[block].get(), std::memory_order_release);
    }
    return id;
  }

 private:
  static constexpr size_t kFirstBlock = 32;
  static constexpr size_t kBlocks = 26;  // as many as ids need

  struct Place {
    size_t block;
    size_t offset;
  };
  static Place PlaceOf(SemaphoreId id) {
    const size_t shifted = static_cast<size_t>(id) + kFirstBlock;
    const size_t block = static_cast<size_t>(std::bit_width(shifted) - std::bit_width(kFirstBlock));
    return {block, shifted - (kFirstBlock << block)};
  }

  std::array<std::atomic<SemaphoreOrder*>, kBlocks> blocks_ = {};
  std::mutex mutex_;
  // Under mutex_.
  SemaphoreId count_ = 0;
  std::array<std::unique_ptr<SemaphoreOrder[]>, kBlocks> owned_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SEMAPHORE_TABLE_H_
