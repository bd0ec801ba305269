// SemaphoreNames: what semaphores are called, and what they count. A name has a tag, a small number, however many
// semaphores have had it.
//
// Concurrency: self-synchronised.
#ifndef STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_
#define STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace strandcore {

class SemaphoreNames {
 public:
  int32_t TagOf(const std::string& name, bool counts_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = tags_.try_emplace(Named(name, counts_bytes), static_cast<int32_t>(names_.size()));
    if (is_new) names_.push_back({name, counts_bytes});
    return found->second;
  }
  std::string NameOf(int32_t tag) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = static_cast<size_t>(tag);
    return tag >= 0 && at < names_.size() ? names_[at].first : "its semaphore";
  }
  bool CountsBytes(int32_t tag) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = static_cast<size_t>(tag);
    return tag >= 0 && at < names_.size() && names_[at].second;
  }

 private:
  mutable std::mutex mutex_;
  // Under mutex_.
  using Named = std::pair<std::string, bool>;  // and whether it counts bytes
  absl::flat_hash_map<Named, int32_t> tags_;
  std::vector<Named> names_;  // by tag
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_
