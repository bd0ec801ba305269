// Storage: the bytes behind an allocation or a host array.
//
// Below 1 MiB they are 64-byte aligned heap memory, filled at once. From there on they are mapped, and a page costs
// memory only once it is written, so that gigabytes of emulated HBM are free until used. Zeros are anonymous memory.
// Poison is a small file of poison in memory, mapped privately again and again over one range of addresses:
//
//   addresses  [ piece 0 | piece 1 | piece 2 | ... ]      reads see poison; a write copies its page
//                   \         |         /
//   file            [  max(1 MiB, bytes / 1024)  ]        nothing else holds it open
//
// Ownership: one owner; moved, never copied. Borrowed storage leaves its bytes to whoever they belong to.
// Concurrency: none of its own; the bytes are the emulated program's.
#ifndef STRANDCORE_RUNTIME_MEMORY_STORAGE_H_
#define STRANDCORE_RUNTIME_MEMORY_STORAGE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/memory/dtype.h"

namespace strandcore {

// What fresh memory holds.
enum class Fill : uint8_t { kPoison, kZero };

class Storage {
 public:
  static constexpr int64_t kLazyFromBytes = int64_t{1} << 20;

  // No bytes.
  Storage() = default;
  // `bytes` is a multiple of the size of `dtype`, whose poison is meant. ResourceExhausted if there is no memory.
  static absl::StatusOr<Storage> Make(DType dtype, int64_t bytes, Fill fill);
  // Bytes of somebody else, who keeps them alive.
  static Storage Borrow(DType dtype, void* memory, int64_t bytes);

  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool owned() const { return kind_ != Kind::kBorrowed; }

  // As if just made: mapped memory gives its written pages back. After an error the contents are undefined.
  absl::Status Refill(Fill fill);

 private:
  enum class Kind : uint8_t { kBorrowed, kHeap, kMapped };

  Storage(Kind kind, DType dtype, Fill fill, std::byte* data, int64_t bytes)
      : data_(data), bytes_(bytes), kind_(kind), dtype_(dtype), fill_(fill) {}
  void Free();
  void FillAtOnce(Fill fill);

  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  Kind kind_ = Kind::kBorrowed;
  DType dtype_ = DType::kUint8;
  Fill fill_ = Fill::kZero;  // what unwritten pages hold, if mapped
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_STORAGE_H_
