#include "runtime/memory/storage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMostPieces = 1024;  // the system limits the mappings of a process
constexpr std::align_val_t kAlignment{64};

absl::Status NoMemory(int64_t bytes, const std::string& what) {
  return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes: ", what));
}

absl::Status SystemError(int64_t bytes, const std::string& call) {
  return NoMemory(bytes, absl::StrCat(call, ": ", std::generic_category().message(errno)));
}

// A file in memory, closed with this object; its mappings stay.
class TemplateFile {
 public:
  TemplateFile() : descriptor_(memfd_create("strandcore-poison", MFD_CLOEXEC)) {}
  ~TemplateFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  TemplateFile(const TemplateFile&) = delete;
  TemplateFile& operator=(const TemplateFile&) = delete;

  bool FillWithPoison(DType dtype, int64_t bytes) {
    if (descriptor_ < 0 || ftruncate(descriptor_, bytes) != 0) return false;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) return false;
    FillPoison(dtype, memory, bytes / DTypeSize(dtype));
    munmap(memory, bytes);
    return true;
  }
  bool MapOver(std::byte* address, int64_t bytes) const {
    return mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, descriptor_, 0) !=
           MAP_FAILED;
  }

 private:
  const int descriptor_;
};

// Replaces whatever is mapped at these addresses.
absl::Status MapPoisonOver(DType dtype, std::byte* address, int64_t bytes) {
  const int64_t piece_bytes = std::max(kMiB, RoundUp((bytes + kMostPieces - 1) / kMostPieces, kMiB));
  TemplateFile file;
  if (!file.FillWithPoison(dtype, piece_bytes)) return SystemError(bytes, "the file of poison");
  for (int64_t at = 0; at < bytes; at += piece_bytes) {
    if (!file.MapOver(address + at, std::min(piece_bytes, bytes - at))) return SystemError(bytes, "mmap");
  }
  return absl::OkStatus();
}

// At `address` if it is not null, replacing what is mapped there; null on failure.
std::byte* MapZeros(std::byte* address, int64_t bytes) {
  const int fixed = address == nullptr ? 0 : MAP_FIXED;
  void* const memory =
      mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

absl::StatusOr<Storage> Storage::Make(DType dtype, int64_t bytes, Fill fill) {
  STRANDCORE_CHECK(bytes >= 0 && bytes % DTypeSize(dtype) == 0);
  if (bytes < kLazyFromBytes) {
    void* const memory = ::operator new(static_cast<size_t>(std::max<int64_t>(bytes, 1)), kAlignment, std::nothrow);
    if (memory == nullptr) return NoMemory(bytes, "the heap is exhausted");
    Storage storage(Kind::kHeap, dtype, fill, static_cast<std::byte*>(memory), bytes);
    storage.FillAtOnce(fill);
    return storage;
  }
  std::byte* const memory = MapZeros(nullptr, bytes);
  if (memory == nullptr) return SystemError(bytes, "mmap");
  Storage storage(Kind::kMapped, dtype, fill, memory, bytes);
  if (fill == Fill::kPoison) {
    if (absl::Status mapped = MapPoisonOver(dtype, memory, bytes); !mapped.ok()) return mapped;
  }
  return storage;
}

Storage Storage::Borrow(DType dtype, void* memory, int64_t bytes) {
  return Storage(Kind::kBorrowed, dtype, Fill::kZero, static_cast<std::byte*>(memory), bytes);
}

Storage::Storage(Storage&& other) noexcept { *this = std::move(other); }

Storage& Storage::operator=(Storage&& other) noexcept {
  if (this == &other) return *this;
  Free();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  kind_ = std::exchange(other.kind_, Kind::kBorrowed);
  dtype_ = other.dtype_;
  fill_ = other.fill_;
  return *this;
}

Storage::~Storage() { Free(); }

absl::Status Storage::Refill(Fill fill) {
  if (kind_ != Kind::kMapped) {
    FillAtOnce(fill);
    return absl::OkStatus();
  }
  // Without its written pages, a mapping shows again what it was mapped over.
  if (fill == fill_ && madvise(data_, bytes_, MADV_DONTNEED) == 0) return absl::OkStatus();
  fill_ = fill;
  if (fill == Fill::kPoison) return MapPoisonOver(dtype_, data_, bytes_);
  return MapZeros(data_, bytes_) != nullptr ? absl::OkStatus() : SystemError(bytes_, "mmap");
}

void Storage::Free() {
  if (kind_ == Kind::kHeap) ::operator delete(data_, kAlignment);
  if (kind_ == Kind::kMapped) munmap(data_, bytes_);
}

void Storage::FillAtOnce(Fill fill) {
  if (fill == Fill::kPoison) {
    FillPoison(dtype_, data_, bytes_ / DTypeSize(dtype_));
  } else if (bytes_ > 0) {
    std::memset(data_, 0, static_cast<size_t>(bytes_));
  }
}

}  // namespace strandcore
