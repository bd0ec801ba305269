// Schedules that race: three pipelines that look right, and give right numbers on most days. For each: what the checker
// says under the policy eager, where every copy is complete at its start; a wrong number that another policy gives; and
// the repair, which is proved.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "demos/05_schedules_that_race/pipelines.h"
#include "runtime/strandcore.h"

namespace sc = strandcore;

namespace {

sc::Array Numbers(const sc::Dims& shape, int64_t factor) {
  sc::Array array(sc::DType::kFloat32, shape);
  array.Generate([factor](int64_t flat) { return flat * factor % 7 + 1; });
  return array;
}

// The first element that is not as it must be: "z[8, 0] is 12, must be 15"; nothing if there is none.
std::string WrongNumber(const sc::Array& z, const sc::Array& right) {
  for (int64_t row = 0; row < z.shape()[0]; ++row) {
    for (int64_t column = 0; column < z.shape()[1]; ++column) {
      const double is = z.Get({row, column}), must = right.Get({row, column});
      if (is != must) return absl::StrCat("z[", row, ", ", column, "] is ", is, ", must be ", must);
    }
  }
  return "";
}

struct Outcome {
  sc::RunReport report;
  std::string wrong;
};

Outcome RunUnder(const sc::Policy& policy, const Demonstration& demonstration, bool repaired) {
  const sc::Array x = Numbers(demonstration.XShape(), 3);
  const sc::Array old = Numbers(demonstration.ZShape(), 5);
  sc::Array z = old;
  sc::Simulator simulator({.policy = policy});
  Outcome outcome;
  outcome.report = simulator.Run(demonstration.make(demonstration, repaired),
                                 {sc::In("x", x), sc::In("old", old), sc::InOut("z", z)});
  outcome.wrong = WrongNumber(z, demonstration.PlainLoop(x, old));
  return outcome;
}

// The first policy under which the numbers are wrong. on_wait completes a copy only when it is waited for, so it hides
// what goes wrong when a copy is early: then some seed of random shows it.
std::optional<sc::Policy> FindWrongNumber(const Demonstration& demonstration) {
  std::vector<sc::Policy> policies = {sc::Policy::OnWait()};
  for (uint64_t seed = 0; seed < 100; ++seed) policies.push_back(sc::Policy::Random(seed));
  for (const sc::Policy& policy : policies) {
    if (!RunUnder(policy, demonstration, /*repaired=*/false).wrong.empty()) return policy;
  }
  return std::nullopt;
}

// True if all is as the demo says that it is.
bool Show(const Demonstration& demonstration) {
  std::cout << "\n" << demonstration.title << "\n\n";
  const Outcome eager = RunUnder(sc::Policy::Eager(), demonstration, /*repaired=*/false);
  std::cout << eager.report << "\n\n";
  const std::optional<sc::Policy> policy = FindWrongNumber(demonstration);
  if (!policy.has_value()) return false;
  const Outcome wrong = RunUnder(*policy, demonstration, /*repaired=*/false);
  const Outcome repaired = RunUnder(*policy, demonstration, /*repaired=*/true);
  std::cout << "  eager: " << (eager.wrong.empty() ? "the numbers are right, by luck" : eager.wrong) << "\n"
            << "  " << policy->ToString() << ": " << wrong.wrong << "\n"
            << "  repair: " << demonstration.repair << "\n"
            << "  " << repaired.report << (repaired.wrong.empty() ? "" : "\n  " + repaired.wrong) << "\n";
  const bool same_verdict = eager.report.faults == wrong.report.faults;
  return same_verdict && !eager.report.ok() && repaired.wrong.empty() && repaired.report.proved;
}

}  // namespace

int main() {
  bool as_said = true;
  for (const Demonstration& demonstration : Demonstrations()) as_said = Show(demonstration) && as_said;
  std::cout
      << (as_said
              ? "\nWhat this proves: each report came from a run in which every copy was complete at its start, and\n"
                "is the same, word for word, as that of the run whose numbers are wrong.\n"
              : "\nSomething is not as it must be.\n");
  return as_said ? 0 : 1;
}
