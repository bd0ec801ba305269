#include "runtime/check/output_visits.h"

#include <algorithm>

namespace strandcore {

const OutputVisits::Steps* OutputVisits::LeaveOutOfOrder(int64_t block, const Steps& steps) {
  const auto found = std::lower_bound(rising_.begin(), rising_.end(), block,
                                      [](const Visit& visit, int64_t block) { return visit.block < block; });
  Steps* known = nullptr;
  if (found != rising_.end() && found->block == block) {
    known = &found->steps;
  } else if (const auto [at, is_new] = others_.emplace(block, steps); !is_new) {
    known = &at->second;
  }
  if (known == nullptr) return nullptr;
  before_ = *known;
  known->left = steps.left;
  return &before_;
}

}  // namespace strandcore
