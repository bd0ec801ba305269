// Scope: memory and semaphores that live as long as a piece of a kernel (Pallas's run_scoped).
//
//   core.RunScoped([&](Ref tile, SemaphoreRef done) { ... }, Vmem({8, 128}, DType::kFloat32), DmaSemaphore());
//
// Ownership: a Scope belongs to the kernel's stack; what it holds belongs to the core and is freed when the scope
// ends, however it ends. Memory that a transfer in flight still touches is given back when the transfer is complete.
// Concurrency: the core's.
#ifndef STRANDCORE_RUNTIME_CORE_SCOPE_H_
#define STRANDCORE_RUNTIME_CORE_SCOPE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/base/dims.h"
#include "runtime/base/site.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/ref.h"
#include "runtime/semaphore/semaphore_ref.h"

namespace strandcore {

class KernelContext;

// What RunScoped is asked for. An empty name becomes "scratch 0", "semaphore 0", ...: the position among its kind in
// the call.
struct ScopedMemory {
  MemorySpace space = MemorySpace::kVmem;
  Dims shape;
  DType dtype = DType::kFloat32;
  std::string name;
  std::string buffer_of = {};  // the operand that it is a buffer of, in a pipeline
  Site site = {};              // where it was asked for

  // Whether its author may hand it to others: not a buffer of a pipeline.
  bool handed_out() const { return buffer_of.empty(); }
};
struct ScopedSemaphore {
  SemaphoreKind kind = SemaphoreKind::kDma;
  Dims shape;
  std::string name;
  Site site = {};
  bool handed_out = true;  // to its author, who may hand it on: not the runtime's own
};

inline ScopedMemory Vmem(const Dims& shape, DType dtype, std::string name = "", Site site = Site::Here()) {
  return {MemorySpace::kVmem, shape, dtype, std::move(name), {}, site};
}
inline ScopedMemory Smem(const Dims& shape, DType dtype, std::string name = "", Site site = Site::Here()) {
  return {MemorySpace::kSmem, shape, dtype, std::move(name), {}, site};
}
// One semaphore, or an array of this shape.
inline ScopedSemaphore DmaSemaphore(const Dims& shape = {}, std::string name = "", Site site = Site::Here()) {
  return {SemaphoreKind::kDma, shape, std::move(name), site};
}
inline ScopedSemaphore RegularSemaphore(const Dims& shape = {}, std::string name = "", Site site = Site::Here()) {
  return {SemaphoreKind::kRegular, shape, std::move(name), site};
}

class Scope {
 public:
  explicit Scope(KernelContext& core) : core_(core) {}
  ~Scope() { Free(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Plans an item; its index among the items of its sort, for ref() or semaphore() once allocated.
  int Add(const ScopedMemory& memory);
  int Add(const ScopedSemaphore& semaphore);
  // Allocates all that was planned; stops the kernel where the core has not enough memory or a shape is bad. An unknown
  // site: where the first item was asked for.
  void Allocate(Site site);
  void Free() noexcept;

  Ref ref(int i) const;
  SemaphoreRef semaphore(int i) const { return SemaphoreRef(*semaphores_[static_cast<size_t>(i)].array); }

 private:
  friend class ScopeKeeper;
  friend class TensorCore;

  struct MemoryItem {
    ScopedMemory asked;
    Allocation* allocation = nullptr;
  };
  struct SemaphoreItem {
    ScopedSemaphore asked;
    SemaphoreArray* array = nullptr;
  };

  Site SiteOfItems() const;

  KernelContext& core_;
  std::vector<MemoryItem> memory_;
  std::vector<SemaphoreItem> semaphores_;
  absl::Status status_;
  Site site_;  // where it was asked for, if that is known
  bool allocated_ = false;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_SCOPE_H_
