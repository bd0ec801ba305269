// What a launch of an empty kernel costs, against what it cannot do without: a post to the pool that the caller waits
// for, or, on the caller's own thread, a fiber.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/strandcore.h"
#include "tests/bench/baseline_rows.h"
#include "tests/bench/machine.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

constexpr int kLaunches = 500;

void MeasureLaunches(Ratios& ratios, const std::string& name, const SimulatorOptions& options) {
  auto simulator = std::make_shared<Simulator>(Unchecked(options));
  ratios.Measure(name, kLaunches, [simulator] {
    const RefFunction kernel([](KernelContext&, Refs) {});
    return SecondsOf([&] {
      for (int i = 0; i < kLaunches; ++i) Require(simulator->Run(kernel, {}).ok(), "an empty launch failed");
    });
  });
}

}  // namespace

void Describe(Ratios& ratios) {
  ratios.Measure("a fiber", kLaunches, [] { return FiberRoundTrip(kLaunches) * kLaunches * 1e-9; });
  MeasureLaunches(ratios, "empty launch, deterministic", {});
  ratios.Compare({.what = "empty launch, deterministic / a fiber",
                  .figure = "empty launch, deterministic",
                  .baseline = "a fiber"});
  for (int threads : {1, 2}) {
    const std::string baseline = absl::StrCat("a post to a pool, ", threads);
    const std::string figure = absl::StrCat("empty launch, ", threads);
    ratios.Measure(baseline, kLaunches, [=] { return PoolRoundTrip(threads, kLaunches) * kLaunches * 1e-9; });
    MeasureLaunches(ratios, figure, {.threads = threads});
    ratios.Compare({.what = absl::StrCat(figure, " / ", baseline),
                    .figure = figure,
                    .baseline = baseline,
                    .two_processors = threads == 2});
  }
}

}  // namespace strandcore::bench
