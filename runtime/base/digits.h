// How numbers are written in reports.
#ifndef STRANDCORE_RUNTIME_BASE_DIGITS_H_
#define STRANDCORE_RUNTIME_BASE_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace strandcore {

// 65536 -> "65,536"
inline std::string DigitsInGroups(int64_t number) {
  std::string digits = std::to_string(number);
  const int first = number < 0 ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3)
    digits.insert(static_cast<size_t>(at), 1, ',');
  return digits;
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_DIGITS_H_
