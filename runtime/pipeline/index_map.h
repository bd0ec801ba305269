// IndexMap: which block of an operand a grid point works on (Pallas's index_map), as a function
// (const GridIndex&) -> BlockIndex. It answers in blocks, not elements.
//
// Concurrency: immutable; called by many cores at once.
#ifndef STRANDCORE_RUNTIME_PIPELINE_INDEX_MAP_H_
#define STRANDCORE_RUNTIME_PIPELINE_INDEX_MAP_H_

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "runtime/pipeline/grid.h"

namespace strandcore {

class IndexMap {
 public:
  IndexMap() = default;
  IndexMap(std::nullptr_t) {}  // NOLINT: none
  template <typename Function>
  requires(!std::is_same_v<std::decay_t<Function>, IndexMap> &&
           std::is_invocable_r_v<BlockIndex, std::decay_t<Function>&, const GridIndex&>)
      IndexMap(Function&& function)  // NOLINT: a function is meant to convert
      : call_(std::forward<Function>(function)),
        stateless_(std::is_empty_v<std::decay_t<Function>> || std::is_function_v<std::remove_reference_t<Function>>) {}

  explicit operator bool() const { return static_cast<bool>(call_); }
  // Whether it holds nothing, so that its answer depends on the grid point alone. A map with captures may read memory
  // that a body writes, and is asked again after each body.
  bool stateless() const { return stateless_; }
  BlockIndex operator()(const GridIndex& point) const { return call_(point); }

 private:
  std::function<BlockIndex(const GridIndex&)> call_;
  bool stateless_ = false;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_INDEX_MAP_H_
