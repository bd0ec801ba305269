// Ids: small values that name the emulated things. A device and a core are run-time values in every address, also
// where there is only one device.
#ifndef STRANDCORE_RUNTIME_BASE_IDS_H_
#define STRANDCORE_RUNTIME_BASE_IDS_H_

#include <compare>
#include <cstdint>

namespace strandcore {

struct CoreId {
  int32_t device = 0;
  int32_t core = 0;
  friend auto operator<=>(const CoreId&, const CoreId&) = default;
};

// Position of an operand in the launch's list; kNoOperand for memory that is nobody's operand.
using OperandId = int32_t;
inline constexpr OperandId kNoOperand = -1;

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_IDS_H_
