// SemaphoreNames: what semaphores are called. A name has a tag, a small number, however many semaphores have had it.
//
// Concurrency: self-synchronised.
#ifndef STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_
#define STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace strandcore {

class SemaphoreNames {
 public:
  int32_t TagOf(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = tags_.try_emplace(name, static_cast<int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  std::string NameOf(int32_t tag) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = static_cast<size_t>(tag);
    return tag >= 0 && at < names_.size() ? names_[at] : "its semaphore";
  }

 private:
  mutable std::mutex mutex_;
  // Under mutex_.
  absl::flat_hash_map<std::string, int32_t> tags_;
  std::vector<std::string> names_;  // by tag
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SEMAPHORE_NAMES_H_
