// RequestLog: what the cores of a launch asked for that has to do with order, kept so that the order can be solved.
//
// Each core has a list of its own, and a request's place in it is its request number. The lists need no common order:
// any that lets no wait through before its posts is a run of the same input, and solving it gives the same. Accesses
// are not in it: their names (AccessName) say where they belong.
//
// A list holds at most `capacity` requests; a log that lost some is `cut` and cannot be solved.
//
// Concurrency: each core's list belongs to its strand; it is read when all cores are done.
#ifndef STRANDCORE_RUNTIME_CHECK_REQUEST_LOG_H_
#define STRANDCORE_RUNTIME_CHECK_REQUEST_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace strandcore {

// A semaphore in the log. Never used again, unlike a SemaphoreId: the n-th that core c owns is n * cores + c.
using LoggedSemaphore = int32_t;
inline constexpr LoggedSemaphore kNotLogged = -1;

// Of 32 bytes, all of them written when it is appended.
struct LoggedRequest {
  enum class Kind : uint8_t { kSignal, kStart, kWait, kWaitWithoutDecrement };

  int64_t units;
  int64_t receive_units;
  LoggedSemaphore semaphore;  // of a start: the one that `send` pays
  LoggedSemaphore receive;    // of a remote start; else kNotLogged
  Kind kind;
};

class RequestLog {
 public:
  RequestLog(int32_t cores, size_t capacity) : capacity_(capacity), cores_(static_cast<size_t>(cores)) {}

  // For the next launch; keeps its memory, which is what appending costs most.
  void Clear() {
    for (Core& core : cores_) {
      core.count = 0;
      core.cut = false;
      core.semaphores.clear();
    }
  }

  int32_t cores() const { return static_cast<int32_t>(cores_.size()); }
  bool cut() const {
    for (const Core& core : cores_) {
      if (core.cut) return true;
    }
    return false;
  }

  // kNotLogged from where its owner's list is cut: a kernel may make semaphores without end.
  LoggedSemaphore AddSemaphore(int32_t owner, int64_t units) {
    if (cores_[static_cast<size_t>(owner)].cut) return kNotLogged;
    std::vector<int64_t>& held = cores_[static_cast<size_t>(owner)].semaphores;
    held.push_back(units);
    return NameOf(owner, static_cast<int32_t>(held.size()) - 1);
  }
  LoggedSemaphore NameOf(int32_t owner, int32_t n) const { return n * cores() + owner; }
  int32_t SemaphoresOf(int32_t core) const {
    return static_cast<int32_t>(cores_[static_cast<size_t>(core)].semaphores.size());
  }
  // What it held when it was added.
  int64_t HeldAtFirst(LoggedSemaphore semaphore) const {
    return cores_[static_cast<size_t>(semaphore % cores())].semaphores[static_cast<size_t>(semaphore / cores())];
  }

  // A new request, to be filled in; null if the list is full.
  LoggedRequest* Append(int32_t by) {
    Core& core = cores_[static_cast<size_t>(by)];
    if (core.count == core.chunks.size() * kChunk && !Grow(core)) return nullptr;
    LoggedRequest* request = &core.chunks[core.count / kChunk][core.count % kChunk];
    ++core.count;
    return request;
  }
  size_t CountOf(int32_t core) const { return cores_[static_cast<size_t>(core)].count; }
  const LoggedRequest& Of(int32_t core, size_t number) const {
    return cores_[static_cast<size_t>(core)].chunks[number / kChunk][number % kChunk];
  }

 private:
  static constexpr size_t kChunk = 512;

  struct alignas(64) Core {
    size_t count = 0;
    bool cut = false;
    std::vector<std::unique_ptr<LoggedRequest[]>> chunks;
    std::vector<int64_t> semaphores;
  };

  bool Grow(Core& core) {
    core.cut |= core.count >= capacity_;
    if (!core.cut) core.chunks.push_back(std::make_unique_for_overwrite<LoggedRequest[]>(kChunk));
    return !core.cut;
  }

  const size_t capacity_;  // rounded up to whole chunks
  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REQUEST_LOG_H_
