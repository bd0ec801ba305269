// OutputVisits: which blocks of a plain output one invocation of a pipeline has visited, and whether it comes back to
// one that it has left. Such a block is overwritten, never read back (quirk Q15).
//
// Blocks that come in the order of their numbers, as most do, are appended to a list and never searched. Memory is
// bounded by the blocks of an invocation and used again by the next one.
//
// Concurrency: the core's.
#ifndef STRANDCORE_RUNTIME_CHECK_OUTPUT_VISITS_H_
#define STRANDCORE_RUNTIME_CHECK_OUTPUT_VISITS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace strandcore {

class OutputVisits {
 public:
  struct Steps {
    int64_t first;
    int64_t left;
  };

  // Begins anew for an invocation that it does not know yet. Numbers: of the core.
  void Follow(int64_t invocation) {
    if (invocation == invocation_) return;
    invocation_ = invocation;
    rising_.clear();
    if (!others_.empty()) others_.clear();
  }
  // A visit of these steps to a block ends. The visit before, if it is not the first; valid until the next call.
  const Steps* Leave(int64_t block, const Steps& steps) {
    if (rising_.empty() || (others_.empty() && rising_.back().block < block)) {
      rising_.push_back({block, steps});
      return nullptr;
    }
    return LeaveOutOfOrder(block, steps);
  }

 private:
  struct Visit {
    int64_t block;
    Steps steps;
  };

  const Steps* LeaveOutOfOrder(int64_t block, const Steps& steps);

  int64_t invocation_ = -1;
  std::vector<Visit> rising_;                   // by rising number, up to the first that did not rise
  absl::flat_hash_map<int64_t, Steps> others_;  // by block
  Steps before_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_OUTPUT_VISITS_H_
