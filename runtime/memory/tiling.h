// Tiling: how a logical shape lies in emulated memory. The two minor dimensions are padded to whole (8, 128) tiles
// (SMEM never is), and the padded shape is stored in row-major order:
//
//   logical (3, 20)            physical (8, 128), strides (128, 1)
//   +--------+                 +--------+-----------+
//   |  3x20  |                 |  3x20  |  padding  |
//   +--------+                 +--------+           |
//                              |                    |
//                              +--------------------+
#ifndef STRANDCORE_RUNTIME_MEMORY_TILING_H_
#define STRANDCORE_RUNTIME_MEMORY_TILING_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/memory/dtype.h"

namespace strandcore {

inline constexpr int64_t kTileRows = 8;
inline constexpr int64_t kTileColumns = 128;

enum class Padding : uint8_t { kTiled, kNone };

constexpr int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// REQUIRES: ValidateShape accepts `logical`. A dimension of 0 stays 0.
Dims PhysicalShape(const Dims& logical, Padding padding = Padding::kTiled);

// In elements. A dimension of 0 counts as 1, so that no stride is 0.
Dims RowMajorStrides(const Dims& physical);

// The bytes of an array stored in this shape; an error if they cannot be counted in 64 bits.
absl::StatusOr<int64_t> PhysicalBytes(DType dtype, const Dims& physical);

// Refuses more than eight dimensions, negative ones, and shapes too large to be counted, padded, in 64 bits. `name`
// begins the message: "operand x".
absl::Status ValidateShape(const std::string& name, const Dims& dims);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_TILING_H_
