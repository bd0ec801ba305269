#include "runtime/base/dims.h"

namespace strandcore {

std::string Dims::ToString() const {
  std::string text = "(";
  for (int i = 0; i < size_; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values_[i]);
  }
  if (overflowed_) text += ", ...";
  return text + (size_ == 1 ? ",)" : ")");
}

}  // namespace strandcore
