// Backend: what a run is carried out by, as a test's parameter: a number of threads, with engines beside the cores or
// cores that help them, or a policy on one thread.
//
// Sanitizer builds are some ten times slower and take fewer backends: what a sanitizer finds hardly depends on the
// seed. STRANDCORE_SEEDS=n in the environment sets how many seeds of the policy random are tried.
#ifndef STRANDCORE_RUNTIME_TESTING_BACKEND_H_
#define STRANDCORE_RUNTIME_TESTING_BACKEND_H_

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "runtime/exec/pick_policy.h"
#include "runtime/simulator/simulator.h"

namespace strandcore::testing {

struct Backend {
  int threads = 0;  // 0: the policy's one thread
  std::optional<Policy> policy;
  DmaMode dma = DmaMode::kOverlap;

  static Backend Threads(int threads, DmaMode dma = DmaMode::kOverlap) { return {threads, std::nullopt, dma}; }
  static Backend Of(const Policy& policy) { return {0, policy}; }

  // Nothing overlaps anything.
  bool one_thread() const { return threads <= 1; }
  // One thread, each step picked: the same run every time.
  bool deterministic() const { return threads == 0; }
  // These options on this backend. A DmaMode that they ask for stays: it is what the test is about.
  SimulatorOptions Apply(SimulatorOptions options) const;
  // "2 threads", "2 threads, cores help", "policy random, seed 7"
  std::string Describe() const;
};

// "threads_2", "threads_2_help", "on_wait", "random_7": a test's name may hold no bracket.
std::string BackendName(const Backend& backend);
std::ostream& operator<<(std::ostream& out, const Backend& backend);

// 1, 2 and 4 threads, and 2 whose cores help the engines.
std::vector<Backend> ThreadBackends();
// eager, on_wait, in_order, and random with each seed.
std::vector<Backend> PolicyBackends();
std::vector<Backend> AllBackends();

}  // namespace strandcore::testing

#endif  // STRANDCORE_RUNTIME_TESTING_BACKEND_H_
