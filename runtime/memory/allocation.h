// Allocation: one piece of emulated memory: an operand in HBM, a window's buffer in VMEM, a cell in SMEM. What a view
// (`Ref`) points into, and what the checker keeps its shadow by.
//
// Ownership: a resource with one owner, neither copied nor moved; views do not keep it alive. Borrowed bytes (those
// of an Array or of the host) belong to their owner and must outlive it.
// Concurrency: immutable but for its bytes, which are the emulated program's, and its shadow.
#ifndef STRANDCORE_RUNTIME_MEMORY_ALLOCATION_H_
#define STRANDCORE_RUNTIME_MEMORY_ALLOCATION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/base/ids.h"
#include "runtime/base/lifetime.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/storage.h"

namespace strandcore {

enum class MemorySpace : uint8_t { kAny, kHbm, kVmem, kSmem, kCmem };

// "ANY", "HBM", "VMEM", "SMEM", "CMEM".
const char* MemorySpaceName(MemorySpace space);

// (Each field has an initialiser, so that GCC does not warn where designated ones leave some out.)
struct AllocationOptions {
  uint64_t id = 0;        // unique among the allocations of a run; who makes them counts
  std::string name = {};  // as reports say it: "x", "x window"
  MemorySpace space = MemorySpace::kVmem;
  DType dtype = DType::kFloat32;
  Dims shape = {};
  CoreId owner = {};
  OperandId operand = kNoOperand;
  Fill fill = Fill::kPoison;  // not for borrowed bytes
  bool read_only = false;     // its bytes are the host's, and not given to be changed: a store is refused
};

// What a checker keeps of an allocation.
class AllocationShadow;

class Allocation {
 public:
  using Options = AllocationOptions;

  // Padded to the tile, except in SMEM.
  static absl::StatusOr<std::unique_ptr<Allocation>> Make(const Options& options);
  // Over bytes of somebody else, stored in row-major order in `physical_shape`, which is no smaller than the shape in
  // any dimension: an Array's, or dense memory of the host (then equal to the shape).
  static absl::StatusOr<std::unique_ptr<Allocation>> Borrow(const Options& options, const Dims& physical_shape,
                                                            void* memory);

  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  uint64_t id() const { return options_.id; }
  const std::string& name() const { return options_.name; }
  MemorySpace space() const { return options_.space; }
  DType dtype() const { return options_.dtype; }
  const Dims& shape() const { return options_.shape; }
  CoreId owner() const { return options_.owner; }
  OperandId operand() const { return options_.operand; }
  bool read_only() const { return options_.read_only; }
  const Dims& physical_shape() const { return physical_shape_; }
  const Dims& physical_strides() const { return physical_strides_; }  // in elements
  std::byte* data() const { return storage_.data(); }
  int64_t physical_bytes() const { return storage_.bytes(); }

  // Null until a checker that watches the launch first meets it. The checker's; not destroyed with the allocation.
  std::atomic<AllocationShadow*>& shadow() const { return shadow_; }

  // Of scoped memory. Once others copy from or to it, only the end of the run tells that nobody does.
  Lifetime& lifetime() const { return lifetime_; }

  // How messages begin: "operand x" for an operand's memory, else the name.
  std::string Title() const;
  // As if just made.
  absl::Status Refill(Fill fill) { return storage_.Refill(fill); }
  // What is left names what was there.
  void GiveBackBytes() { storage_ = Storage(); }

 private:
  Allocation(const Options& options, const Dims& physical_shape, Storage storage);

  const Options options_;
  const Dims physical_shape_;
  const Dims physical_strides_;
  Storage storage_;
  // Self-synchronised.
  mutable std::atomic<AllocationShadow*> shadow_{nullptr};
  mutable Lifetime lifetime_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_ALLOCATION_H_
