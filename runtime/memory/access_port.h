// AccessPort: how a view tells its core what its kernel touches. The core implements it; a view made by a kernel
// carries it; host-side views carry none.
//
// Ownership: the port outlives every view that carries it. Concurrency: called on the kernel's fiber.
#ifndef STRANDCORE_RUNTIME_MEMORY_ACCESS_PORT_H_
#define STRANDCORE_RUNTIME_MEMORY_ACCESS_PORT_H_

#include <cstdint>

#include "runtime/base/site.h"

namespace strandcore {

class Ref;

enum class AccessMode : uint8_t { kRead, kWrite, kReadWrite };

// Where a kernel's views may reach (bounds.h). SMEM has no padding.
enum class Bounds : uint8_t {
  kLogical,  // to the end of the array's shape
  kPadded,   // to the end of its memory, rounded up to the tile: padding reads as poison, writes to it are dropped
};
// What becomes of a read that reaches further.
enum class OutOfRangeReads : uint8_t {
  kFault,
  kUninitialised,  // the elements outside read as poison
};

class AccessPort {
 public:
  // Called only while `observed`, before the access, with the part that is touched.
  virtual void OnAccess(const Ref& part, AccessMode mode, Site site) = 0;

  // Whether somebody listens; set by the implementer, read on every access.
  bool observed = false;
  // Whether the kernel may load and store HBM without a copy.
  bool hbm_allowed = false;
  // What views that reach outside their array may be used for. Constant while there are such views.
  Bounds bounds = Bounds::kLogical;
  OutOfRangeReads out_of_range_reads = OutOfRangeReads::kFault;

 protected:
  ~AccessPort() = default;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_ACCESS_PORT_H_
