#include "runtime/check/region.h"

#include "absl/strings/str_cat.h"

namespace strandcore {

std::string Region::ToString() const {
  std::string text = "[";
  for (int d = 0; d < rank; ++d) absl::StrAppend(&text, d == 0 ? "" : ", ", start[d], ":", end[d]);
  return text + "]";
}

}  // namespace strandcore
