// Grouped: numbers as people read them.
#ifndef STRANDCORE_RUNTIME_BASE_GROUPED_H_
#define STRANDCORE_RUNTIME_BASE_GROUPED_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace strandcore {

// 65536 -> "65,536". REQUIRES: number >= 0.
inline std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), 1, ',');
  return digits;
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_GROUPED_H_
