// Support: what the tests of memory share: allocations and views in a line, and what a Stop says.
#ifndef STRANDCORE_TESTS_MEMORY_SUPPORT_H_
#define STRANDCORE_TESTS_MEMORY_SUPPORT_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/refusal.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// The message of the Stop that `action` throws; "" if it throws none.
template <typename Action>
std::string StopOf(Action&& action) {
  try {
    action();
  } catch (const Stop& stop) {
    return std::string(stop.status.message());
  }
  return "";
}

// Operand x, of poison unless told otherwise.
inline std::unique_ptr<Allocation> MakeX(DType dtype, const Dims& shape, MemorySpace space = MemorySpace::kVmem,
                                         Fill fill = Fill::kPoison) {
  auto made = Allocation::Make(
      {.id = 1, .name = "x", .space = space, .dtype = dtype, .shape = shape, .operand = 0, .fill = fill});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// Writes its own offset into each element of int32 memory, the padding included.
inline void NumberElements(const Allocation& allocation) {
  int32_t* const elements = reinterpret_cast<int32_t*>(allocation.data());
  for (int64_t i = 0; i < allocation.physical_bytes() / 4; ++i) elements[i] = static_cast<int32_t>(i);
}

// A port that writes down what it is told.
class RecordingPort final : public AccessPort {
 public:
  struct Access {
    Ref part;
    AccessMode mode;
    Site site;
  };
  RecordingPort() { observed = true; }
  void OnAccess(const Ref& part, AccessMode mode, Site site) override { accesses.push_back({part, mode, site}); }

  std::vector<Access> accesses;
};

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_MEMORY_SUPPORT_H_
