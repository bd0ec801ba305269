#include "runtime/testing/backend.h"

#include <cstdlib>
#include <ostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/testing/sanitizer.h"

namespace strandcore::testing {
namespace {

constexpr int kMostSeeds = 100000;

std::vector<uint64_t> Seeds() {
  int count = 0;
  const char* given = std::getenv("STRANDCORE_SEEDS");
  if (given == nullptr || !absl::SimpleAtoi(given, &count) || count < 1 || count > kMostSeeds) {
    return kSanitized ? std::vector<uint64_t>{1} : std::vector<uint64_t>{1, 7, 42};
  }
  std::vector<uint64_t> seeds;
  for (int seed = 1; seed <= count; ++seed) seeds.push_back(static_cast<uint64_t>(seed));
  return seeds;
}

}  // namespace

SimulatorOptions Backend::Apply(SimulatorOptions options) const {
  options.threads = threads;
  options.policy = policy;
  if (options.dma == DmaMode::kOverlap) options.dma = dma;
  return options;
}

std::string Backend::Describe() const {
  if (!policy.has_value()) {
    return absl::StrCat(threads, threads == 1 ? " thread" : " threads", dma == DmaMode::kHelp ? ", cores help" : "");
  }
  if (policy->kind == Policy::Kind::kRandom) return absl::StrCat("policy random, seed ", policy->seed);
  return "policy " + policy->ToString();
}

std::string BackendName(const Backend& backend) {
  if (!backend.policy.has_value()) {
    return absl::StrCat("threads_", backend.threads, backend.dma == DmaMode::kHelp ? "_help" : "");
  }
  if (backend.policy->kind == Policy::Kind::kRandom) return absl::StrCat("random_", backend.policy->seed);
  return backend.policy->ToString();
}

std::ostream& operator<<(std::ostream& out, const Backend& backend) { return out << BackendName(backend); }

std::vector<Backend> ThreadBackends() {
  std::vector<Backend> backends = {Backend::Threads(1), Backend::Threads(2), Backend::Threads(2, DmaMode::kHelp)};
  if (!kSanitized) backends.push_back(Backend::Threads(4));
  return backends;
}

std::vector<Backend> PolicyBackends() {
  std::vector<Backend> backends = {Backend::Of(Policy::Eager())};
  if (!kSanitized) {
    backends.push_back(Backend::Of(Policy::OnWait()));
    backends.push_back(Backend::Of(Policy::InOrder()));
  }
  for (uint64_t seed : Seeds()) backends.push_back(Backend::Of(Policy::Random(seed)));
  return backends;
}

std::vector<Backend> AllBackends() {
  std::vector<Backend> all = ThreadBackends();
  for (const Backend& backend : PolicyBackends()) all.push_back(backend);
  return all;
}

}  // namespace strandcore::testing
