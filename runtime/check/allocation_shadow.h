// AllocationShadow: what the checker keeps of one allocation: by rectangle, the accesses that a later one may race
// with.
//
// Ownership: the checker's. Concurrency: guarded by `lock`, which is taken only where several cores run.
#ifndef STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_
#define STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_

#include <cstdint>
#include <string>

#include "runtime/check/brief_lock.h"
#include "runtime/check/region_tree.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/memory/allocation.h"

namespace strandcore {

class AllocationShadow {
 public:
  AllocationShadow(const Allocation& allocation, int32_t number)
      : number(number),
        name(allocation.name()),
        whole(Dims::Filled(allocation.physical_shape().size(), 0), allocation.physical_shape()),
        tree(allocation.physical_shape(), ShadowCell()) {}
  AllocationShadow(const AllocationShadow&) = delete;
  AllocationShadow& operator=(const AllocationShadow&) = delete;

  static constexpr int32_t kNotLogged = -1;

  const int32_t number;  // in the checker's log
  const std::string name;
  const Region whole;
  BriefLock lock;
  RegionTree<ShadowCell> tree;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_
