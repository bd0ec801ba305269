// RoomList: what fills a memory and what is asked for beside it, a line an operand: what a full memory says.
//
//   VMEM of core 0 is full: 139,264 bytes are needed, the limit is 131,072
//     tile: 8,192 bytes, (16, 128) float32
//     operand x: 2 buffers × 65,536 bytes, (128, 128) float32: does not fit, 122,880 are free
#ifndef STRANDCORE_RUNTIME_CORE_ROOM_LIST_H_
#define STRANDCORE_RUNTIME_CORE_ROOM_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/core/scope.h"
#include "runtime/memory/allocation.h"

namespace strandcore {

class RoomList {
 public:
  // The memory of `owner` in this space, of `limit` bytes.
  RoomList(MemorySpace space, CoreId owner, int64_t limit) : space_(space), owner_(owner), limit_(limit) {}

  // In the order in which they were asked for. What is in another space is left out.
  void Add(const Allocation& operand);
  // Buffers of one operand that come one after another are one line.
  void Add(const ScopedMemory& asked);
  // The headline and the lines. Lines that do not fit say so, the first of them with what is free.
  std::string ToString() const;

 private:
  struct Line {
    std::string title;
    int64_t buffers;
    int64_t bytes;  // each
    std::string what;
  };

  void Add(std::string title, int64_t bytes, const Dims& shape, DType dtype);

  const MemorySpace space_;
  const CoreId owner_;
  const int64_t limit_;
  std::vector<Line> lines_;
};

// What memory of this kind takes up there. Refuses shapes that are none.
absl::StatusOr<int64_t> BytesOf(const ScopedMemory& asked);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_ROOM_LIST_H_
