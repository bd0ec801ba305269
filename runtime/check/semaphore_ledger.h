// SemaphoreLedger: who paid which semaphore, and which semaphores ended with units left.
//
// What is left is counted over the whole run: where the scope of a semaphore ends, another core may not have signalled
// it yet in one schedule and have done so in another, so nothing is said before the end.
//
// Concurrency: what names a core first is called on that core's strand, for different cores at once; Faults after the
// run. A post costs a look-up in what belongs to its core; nothing is allocated but for a semaphore that is new to it.
#ifndef STRANDCORE_RUNTIME_CHECK_SEMAPHORE_LEDGER_H_
#define STRANDCORE_RUNTIME_CHECK_SEMAPHORE_LEDGER_H_

#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "runtime/trace/fault.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

class SemaphoreLedger {
 public:
  explicit SemaphoreLedger(int32_t cores) : cores_(static_cast<size_t>(cores)) {}

  // A signal, or a copy that pays when it is complete.
  void Post(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp);
  // The scope of a semaphore of `core` ends. `forget`: it holds nothing, and its number stands for another from now on.
  void End(int32_t core, const EndingSemaphore& ending, bool forget, const Stamp& stamp);
  // Another fault says why the semaphore, paid by a transfer of `core`, holds what it does.
  void Explain(int32_t core, int32_t semaphore);
  void ForgetExplanations() {
    for (Core& core : cores_) core.explained.clear();
  }

  // One for each scope and name, with how many semaphores of that scope ended so. `units_of`: what a semaphore holds
  // now that the run is over.
  std::vector<Fault> Faults(const std::function<int64_t(int32_t)>& units_of,
                            const std::function<std::string(int32_t)>& name_of) const;

 private:
  static constexpr int kMostPlaces = 3;
  static constexpr int kMostPayers = 8;

  // What one core has posted to one semaphore.
  struct Posts {
    int64_t times = 0;
    int64_t units = 0;
    Stamp first[kMostPlaces];  // of each line of the source, the first
    int places = 0;
    bool elsewhere = false;  // on more lines
  };
  struct Ended {
    int32_t semaphore;
    bool dma;
    Stamp stamp;
  };
  struct Recent {
    int32_t semaphore = -1;
    Posts* posts = nullptr;
  };
  struct alignas(64) Core {
    absl::node_hash_map<int32_t, Posts> posts;
    // Of them the last used, by the last bits of their semaphore's number: a pipeline posts to a few in turn.
    Recent recent[8];
    std::vector<Ended> ended;
    std::vector<int32_t> explained;
  };

  Posts& PostsOf(int32_t core, int32_t semaphore) {
    Core& self = cores_[static_cast<size_t>(core)];
    Recent& recent = self.recent[static_cast<size_t>(semaphore) % std::size(self.recent)];
    if (__builtin_expect(recent.semaphore != semaphore, 0)) recent = {semaphore, &self.posts[semaphore]};
    return *recent.posts;
  }
  Fault FaultOf(int32_t owner, const Ended& ended, int64_t left, const std::string& name) const;

  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_SEMAPHORE_LEDGER_H_
