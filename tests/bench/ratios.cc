#include "tests/bench/ratios.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"

namespace strandcore::bench {
namespace {

// Two processors are free where two threads get at least this much of them.
constexpr double kTwoFree = 1.8;
constexpr double kMedian = 0.5;
constexpr double kQuiet = 0.1;
constexpr char kOneSpins[] = "processors: one thread spins";
constexpr char kTwoSpin[] = "processors: two threads spin";

// Some milliseconds of arithmetic that touches no memory.
void Spin() {
  uint64_t x = 1;
  for (int i = 0; i < 2'000'000; ++i) {
    x = x * 6364136223846793005u + 1;
    benchmark::DoNotOptimize(x);
  }
}

void SpinOn(int threads) {
  std::vector<std::thread> others;
  for (int i = 0; i < threads; ++i) others.emplace_back(Spin);
  for (std::thread& thread : others) thread.join();
}

// The value that this share of all lies below.
double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

class NoReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

bool TakeFlag(std::vector<char*>& arguments, std::string_view flag) {
  return std::erase_if(arguments, [flag](const char* argument) { return argument == flag; }) > 0;
}

int RunAll(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const bool brief = TakeFlag(arguments, "--brief");
  const bool table = TakeFlag(arguments, "--table");
  // Before the caller's own, so that those win.
  std::vector<std::string> defaults = {"--benchmark_enable_random_interleaving=true"};
  defaults.push_back(brief ? "--benchmark_min_time=0.001" : "--benchmark_min_time=0.02");
  defaults.push_back(brief ? "--benchmark_repetitions=1" : "--benchmark_repetitions=21");
  for (size_t i = 0; i < defaults.size(); ++i) arguments.insert(arguments.begin() + 1 + i, defaults[i].data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Ratios ratios;
  Describe(ratios);
  NoReporter none;
  if (benchmark::RunSpecifiedBenchmarks(table ? &none : benchmark::CreateDefaultDisplayReporter()) == 0) return 2;
  ratios.PrintTable();
  return 0;
}

}  // namespace

double SecondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Require(bool condition, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

void Ratios::Measure(const std::string& name, int64_t items, std::function<double()> seconds) {
  Require(items > 0 && !calls_.contains(name), "a variant without items or of a known name: " + name);
  std::vector<double>& calls = calls_[name];
  auto run = [seconds = std::move(seconds), items, &calls](benchmark::State& state) {
    for (auto _ : state) {
      const double taken = seconds();
      calls.push_back(taken / static_cast<double>(items) * 1e9);
      state.SetIterationTime(taken);
    }
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * items);
  };
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

void Ratios::MeasureProcessors() {
  if (calls_.contains(kOneSpins)) return;
  Measure(kOneSpins, 1, [] { return SecondsOf([] { SpinOn(1); }); });
  Measure(kTwoSpin, 2, [] { return SecondsOf([] { SpinOn(2); }); });
}

void Ratios::Compare(const Comparison& comparison) {
  Require(calls_.contains(comparison.figure), "not measured: " + comparison.figure);
  Require(calls_.contains(comparison.baseline), "not measured: " + comparison.baseline);
  if (comparison.two_processors) MeasureProcessors();
  comparisons_.push_back(comparison);
}

// 0 where a filter left the variant out.
double Ratios::Nanoseconds(const std::string& name, double share) const {
  const auto found = calls_.find(name);
  return found == calls_.end() || found->second.empty() ? 0 : Quantile(found->second, share);
}

void Ratios::PrintLine(const Comparison& comparison, double processors) const {
  const Target& target = comparison.target;
  auto ratio_at = [&](double share) {
    const double ratio = Nanoseconds(comparison.figure, share) / Nanoseconds(comparison.baseline, share);
    return target.speed ? comparison.share / ratio : ratio / comparison.share;
  };
  const double ratio = ratio_at(kMedian);
  std::string bound;
  std::string verdict;
  if (target.bound > 0) {
    const bool met = target.speed ? ratio >= target.bound : ratio <= target.bound;
    // With fewer processors a cost can only be met in spite of it, but a gain by chance.
    const bool judged = !comparison.two_processors || processors >= kTwoFree || (met && !target.speed);
    bound = absl::StrFormat("%s %.3g", target.speed ? ">=" : "<=", target.bound);
    verdict = !judged ? "void" : met ? "met" : "MISSED";
  }
  const std::string free = comparison.two_processors ? absl::StrFormat("%.2f", processors) : "";
  absl::PrintF("%-66s %8.0f %8.0f %6.2f %6.2f  %-8s %-7s %s\n", comparison.what,
               Nanoseconds(comparison.figure, kMedian), Nanoseconds(comparison.baseline, kMedian) * comparison.share,
               ratio, ratio_at(kQuiet), bound, verdict, free);
}

void Ratios::PrintTable() const {
  const double one = Nanoseconds(kOneSpins, kMedian);
  const double processors = one == 0 ? 0 : one / Nanoseconds(kTwoSpin, kMedian);
  for (const Comparison& comparison : comparisons_) {
    if (Nanoseconds(comparison.figure, kMedian) == 0 || Nanoseconds(comparison.baseline, kMedian) == 0) continue;
    PrintLine(comparison, processors);
  }
}

}  // namespace strandcore::bench

int main(int argc, char** argv) { return strandcore::bench::RunAll(argc, argv); }
