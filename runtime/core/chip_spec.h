// ChipSpec: what a chip has, per TensorCore (primitives.md 1.1).
//
// A value, immutable. Concurrency: none needed.
#ifndef STRANDCORE_RUNTIME_CORE_CHIP_SPEC_H_
#define STRANDCORE_RUNTIME_CORE_CHIP_SPEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace strandcore {

enum class Chip : uint8_t { kV2, kV3, kV4i, kV4, kV5e, kV5p, kV6e, kV7x, kV8i, kV8t };

struct ChipSpec {
  const char* name;
  int generation;
  int64_t vmem_bytes;
  int64_t smem_bytes;
  int64_t hbm_bytes;
};

const ChipSpec& SpecOf(Chip chip);

// From "v5e" and the like; refuses other names, listing those it knows.
absl::StatusOr<Chip> ChipFromName(const std::string& name);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_CHIP_SPEC_H_
