// SemaphoreArray: semaphores of one kind allocated together; SemaphoreRef: what a kernel holds of them.
//
// A SemaphoreRef is a small value: an array, or after indexing one semaphore of it. Copies, signals and waits take a
// single semaphore (rank 0).
//
//   core.RunScoped([&](SemaphoreRef slots) { core.Signal(slots.At(1), 2); }, RegularSemaphore({4}));
//
// Ownership: a SemaphoreRef owns nothing; it is valid while its scope is.
#ifndef STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_REF_H_
#define STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_REF_H_

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/dims.h"
#include "runtime/base/ids.h"
#include "runtime/base/lifetime.h"
#include "runtime/base/refusal.h"
#include "runtime/semaphore/semaphore.h"

namespace strandcore {

// Immutable but for the semaphores themselves.
class SemaphoreArray {
 public:
  SemaphoreArray(std::string name, SemaphoreKind kind, CoreId owner, const Dims& shape, Waiter waiter);
  SemaphoreArray(const SemaphoreArray&) = delete;
  SemaphoreArray& operator=(const SemaphoreArray&) = delete;

  const std::string& name() const { return name_; }
  SemaphoreKind kind() const { return kind_; }
  CoreId owner() const { return owner_; }
  const Dims& shape() const { return shape_; }
  // Once remote copies pay it, it is kept until the run is over.
  Lifetime& lifetime() { return lifetime_; }
  const Lifetime& lifetime() const { return lifetime_; }
  int64_t count() const { return count_; }
  Semaphore& at(int64_t i) { return semaphores_[static_cast<size_t>(i)]; }
  const Semaphore& at(int64_t i) const { return semaphores_[static_cast<size_t>(i)]; }

 private:
  const std::string name_;
  const SemaphoreKind kind_;
  const CoreId owner_;
  const Dims shape_;
  const int64_t count_;
  const std::unique_ptr<Semaphore[]> semaphores_;
  Lifetime lifetime_;
};

// One semaphore of an array, as requests and transfers carry it.
struct OneSemaphore {
  SemaphoreArray* array = nullptr;
  int64_t index = 0;

  // Field by field: a copy of both at once would wait until both have reached the cache.
  __attribute__((always_inline)) void Set(const OneSemaphore& other) {
    array = other.array;
    index = other.index;
  }
  Semaphore& semaphore() const { return array->at(index); }
  SemaphoreKind kind() const { return array->kind(); }
  // "x.recv", "slots[1, 0]"
  std::string Name() const;
};

class SemaphoreRef {
 public:
  SemaphoreRef() = default;
  explicit SemaphoreRef(SemaphoreArray& array) : array_(&array), shape_(array.shape()) {}

  bool valid() const { return array_ != nullptr; }
  SemaphoreArray* array() const { return array_; }
  const Dims& shape() const { return shape_; }
  int rank() const { return shape_.size(); }
  SemaphoreKind kind() const { return array_->kind(); }
  CoreId owner() const { return array_->owner(); }

  // The part of the array at these leading indices. Stops the kernel with OutOfRange where one is outside.
  SemaphoreRef At() const { return *this; }
  template <typename... Indices>
  SemaphoreRef At(const Sited<int64_t>& first, Indices... indices) const {
    return StopAt(first.site, [&] { return AtIndices(Dims{first.value, static_cast<int64_t>(indices)...}); });
  }
  SemaphoreRef AtIndices(const Dims& indices) const;

  // The one semaphore. REQUIRES: rank() == 0.
  Semaphore& semaphore() const { return array_->at(offset_); }
  OneSemaphore one() const { return {array_, offset_}; }
  // "x.recv", "slots[1, 0]"
  std::string Name() const;

 private:
  SemaphoreArray* array_ = nullptr;
  int64_t offset_ = 0;
  Dims shape_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SEMAPHORE_SEMAPHORE_REF_H_
