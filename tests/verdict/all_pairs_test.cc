// All pairs of a run's accesses: exactly those that race are unordered, and the checker, which drops what a later
// access makes needless, reports one of them for every place that has any.
#include "tests/verdict/all_pairs.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <tuple>

#include "runtime/testing/sanitizer.h"
#include "tests/check/search.h"
#include "tests/verdict/kernel_generator.h"
#include "tests/verdict/kernel_run.h"
#include "tests/verdict/shipped_kernels.h"

namespace strandcore {
namespace {

using testing::kSanitized;
using testing::Times;

// Without the ends of memory, which are compared by the names of their transfers.
std::set<RacePair> RacesOf(const UnrolledKernel& unrolled, const std::vector<UnorderedPair>& pairs) {
  const auto name = [&](const KeptAccess& kept) {
    return NameOfAccess(unrolled, kept.access.core, kept.access.stamp.site, kept.kind());
  };
  std::set<RacePair> races;
  for (const UnorderedPair& pair : pairs) {
    if (!pair.one->access.ends && !pair.other->access.ends)
      races.insert(SortedPair(name(*pair.one), name(*pair.other)));
  }
  return races;
}

std::set<int> UsesAfterScope(const UnrolledKernel& unrolled, const std::vector<UnorderedPair>& pairs) {
  std::set<int> transfers;
  for (const UnorderedPair& pair : pairs) {
    if (!pair.one->access.ends && !pair.other->access.ends) continue;
    const SeenAccess& transfer = (pair.one->access.ends ? pair.other : pair.one)->access;
    transfers.insert(unrolled.started.at({transfer.core, static_cast<int>(transfer.stamp.site.line) - 1}));
  }
  return transfers;
}

struct Tally {
  int racy = 0;
  int late = 0;  // in which a post was late, so that the run's own order was too strong
};

// Kernels judged by all pairs as the search does, to the pair.
Tally Compare(int count, uint64_t first_seed) {
  Tally tally;
  int judged = 0;
  for (uint64_t seed = first_seed; judged < count; ++seed) {
    const KernelProgram program = GenerateKernel(seed);
    const UnrolledKernel unrolled = Unroll(program);
    const std::optional<OrderVerdict> found = SearchAllSchedules(unrolled.program, 5'000);
    if (!found.has_value()) continue;
    const KernelVerdict truth = VerdictOf(unrolled, *found);
    ++judged;
#ifdef STRANDCORE_TSAN
    if (!truth.clean()) continue;  // the sanitizer reports it too
#endif
    SimulatorOptions options;
    options.policy = Policy::Random(seed);
    AllPairs all(static_cast<int32_t>(program.cores.size()));
    RunKernel(program, unrolled, !truth.blocked.empty(), options, &all);
    const std::vector<UnorderedPair> pairs = all.Unordered();
    EXPECT_EQ(RacesOf(unrolled, pairs), truth.races) << ToText(program) << "\n" << ToText(unrolled.program);
    if (truth.blocked.empty()) {
      EXPECT_EQ(UsesAfterScope(unrolled, pairs), truth.used_after_scope) << ToText(program);
    }
    if (::testing::Test::HasFailure()) break;
    tally.racy += truth.races.empty() ? 0 : 1;
    tally.late += all.late() ? 1 : 0;
  }
  return tally;
}

TEST(AllPairsTest, OfGeneratedKernelsAreThoseOfTheSearch) {
  const Tally tally = Compare(Times(300, 40), 20'000);
  if (kSanitized) return;
  EXPECT_GT(tally.racy, 30);
  EXPECT_GT(tally.late, 3);
}
TEST(LongAllPairsTest, OfTenThousandGeneratedKernelsAreThoseOfTheSearch) {
  const Tally tally = Compare(10'000, 300'000);
  EXPECT_GT(tally.racy, 1'000);
  EXPECT_GT(tally.late, 100);
}

TEST(AllPairsTest, OfTheShippedKernelsAreAllOrdered) {
  size_t accesses = 0;
  for (const ShippedKernel& kernel : ShippedKernels()) {
    for (const Policy& policy : {Policy::Eager(), Policy::OnWait(), Policy::Random(5)}) {
      Simulator simulator({.cores = kernel.cores, .policy = policy});
      AllPairs all(kernel.cores);
      all.AttachTo(simulator);
      const ShippedRun run = RunShipped(simulator, kernel);
      EXPECT_TRUE(run.report.ok()) << kernel.name << ": " << run.report;
      EXPECT_TRUE(all.Unordered().empty()) << kernel.name;
      accesses += all.accesses();
    }
  }
  EXPECT_GT(accesses, 1'000u);
}

}  // namespace
}  // namespace strandcore
