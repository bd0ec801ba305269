#include "runtime/check/vector_clock.h"

#include <algorithm>

namespace strandcore {

void VectorClock::Join(const VectorClock& other) {
  if (other.values_.size() > values_.size()) values_.resize(other.values_.size());
  for (size_t i = 0; i < other.values_.size(); ++i) values_[i] = std::max(values_[i], other.values_[i]);
}

bool VectorClock::Contains(const VectorClock& other) const {
  const size_t common = std::min(values_.size(), other.values_.size());
  for (size_t i = 0; i < common; ++i) {
    if (values_[i] < other.values_[i]) return false;
  }
  for (size_t i = common; i < other.values_.size(); ++i) {
    if (other.values_[i] != 0) return false;
  }
  return true;
}

}  // namespace strandcore
