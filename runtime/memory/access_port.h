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

class AccessPort {
 public:
  // Called only while `observed`, before the access, with the part that is touched.
  virtual void OnAccess(const Ref& part, AccessMode mode, Site site) = 0;

  // Whether somebody listens; set by the implementer, read on every access.
  bool observed = false;
  // Whether the kernel may load and store HBM without a copy.
  bool hbm_allowed = false;

 protected:
  ~AccessPort() = default;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_ACCESS_PORT_H_
