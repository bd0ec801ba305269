// Site: where in the author's source a request was made, as a small value.
//
// Every public call that a report may have to point at takes `Site site = Site::Here()` last; the default argument is
// evaluated at the caller's line. (The same as std::source_location, which clang 14 does not offer.)
#ifndef STRANDCORE_RUNTIME_BASE_SITE_H_
#define STRANDCORE_RUNTIME_BASE_SITE_H_

#include <concepts>
#include <cstdint>
#include <string>

namespace strandcore {

struct Site {
  const char* file = "";
  const char* function = "";
  uint32_t line = 0;

  static constexpr Site Here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                             uint32_t line = __builtin_LINE()) {
    return Site{file, function, line};
  }
  constexpr bool known() const { return line != 0; }
  // "matmul.cc:41": the file's last component and the line; "" when unknown.
  std::string ToString() const;
  friend bool operator==(const Site& a, const Site& b) = default;
};

// A first argument with the line of the call: for calls with any number of arguments, which cannot take a site last.
template <typename T>
struct Sited {
  // NOLINTNEXTLINE(google-explicit-constructor): made where the call is.
  constexpr Sited(const std::convertible_to<T> auto& value, Site site = Site::Here()) : value(value), site(site) {}

  T value;
  Site site;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_SITE_H_
