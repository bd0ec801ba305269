// AllocationShadow: what the checker keeps of one allocation: by rectangle, the accesses that a later one may race
// with, and which
// elements are defined.
//
// Ownership: the checker's. Concurrency: guarded by `lock`, which is taken only where several cores run.
#ifndef STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_
#define STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_

#include <cstdint>
#include <string>

#include "runtime/check/brief_lock.h"
#include "runtime/check/definedness.h"
#include "runtime/check/region_tree.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/memory/allocation.h"

namespace strandcore {

class AllocationShadow {
 public:
  // `name`: kept as long as any shadow.
  AllocationShadow(const Allocation& allocation, int32_t number, const std::string* name)
      : number(number),
        name(name),
        whole(Dims::Filled(allocation.physical_shape().size(), 0), allocation.physical_shape()),
        tree(allocation.physical_shape(), ShadowCell()),
        definedness(allocation.shape(), allocation.physical_shape()) {}
  AllocationShadow(const AllocationShadow&) = delete;
  AllocationShadow& operator=(const AllocationShadow&) = delete;

  static constexpr int32_t kNotLogged = -1;

  const int32_t number;     // in the checker's log
  const std::string* name;  // changes before the run only
  const Region whole;
  BriefLock lock;
  RegionTree<ShadowCell> tree;
  Definedness definedness;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_ALLOCATION_SHADOW_H_
