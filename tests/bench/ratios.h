// Ratios: runs the variants of one benchmark in turns within one process and prints their ratios beside the targets.
//
//   void strandcore::bench::Describe(Ratios& ratios) {
//     ratios.Measure("help", 20'000, [=] { return seconds; });
//     ratios.Measure("memcpy", 20'000, [=] { return seconds; });
//     ratios.Compare({.what = "a tile", .figure = "help", .baseline = "memcpy", .target = AtMost(5)});
//   }
//
// Google Benchmark repeats each variant, all of them in random order, so that whatever slows the machine down for a
// while slows down all alike. A figure is the median over all calls; calls should take a millisecond or a few, so that
// most are not interrupted on a machine that others use too. Where that does not help, the ratio of the tenth
// percentiles (`quiet`) says what a quiet machine would show. A line on two threads says how many processors a test in
// the same run found free: below 1.8, what it misses is void.
//
//   what / baseline   figure   baseline   ratio   quiet   target   verdict   processors
//
// ratios.cc has the main. Its flags, before Google Benchmark's own:
//   --brief   one short run of each variant, to see that it works
//   --table   nothing but the lines of the table (tests/bench/table.sh gathers them)
//
// Concurrency: none.
#ifndef STRANDCORE_TESTS_BENCH_RATIOS_H_
#define STRANDCORE_TESTS_BENCH_RATIOS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace strandcore::bench {

// What a line's ratio is, and its bound, if any: the figure by the baseline, at most so much, or how many times as fast
// the figure is, at least so much.
struct Target {
  bool speed = false;
  double bound = 0;  // 0: none
};
constexpr Target AtMost(double bound) { return {.speed = false, .bound = bound}; }
constexpr Target AtLeast(double bound) { return {.speed = true, .bound = bound}; }
constexpr Target NoTarget() { return {}; }
constexpr Target NoTargetOfSpeed() { return {.speed = true}; }

struct Comparison {
  std::string what;
  std::string figure;    // a variant
  std::string baseline;  // a variant
  double share = 1;      // of the baseline that the figure is compared with
  Target target = NoTarget();
  bool two_processors = false;  // says something only where two processors are free
};

class Ratios {
 public:
  // A variant: one call does `items` and answers its own seconds.
  void Measure(const std::string& name, int64_t items, std::function<double()> seconds);
  // A line of the table, in the order of these calls.
  void Compare(const Comparison& comparison);

  // Figures of a line are nanoseconds an item.
  void PrintTable() const;

 private:
  double Nanoseconds(const std::string& name, double share) const;
  void PrintLine(const Comparison& comparison, double processors) const;
  void MeasureProcessors();

  std::map<std::string, std::vector<double>> calls_;  // of each variant: nanoseconds an item
  std::vector<Comparison> comparisons_;
};

// What each benchmark defines: its variants and its lines.
void Describe(Ratios& ratios);

// How long `work` takes.
double SecondsOf(const std::function<void()>& work);
// Ends the process with `text` unless `condition` holds: what was measured was not what was meant.
void Require(bool condition, const std::string& text);

}  // namespace strandcore::bench

#endif  // STRANDCORE_TESTS_BENCH_RATIOS_H_
