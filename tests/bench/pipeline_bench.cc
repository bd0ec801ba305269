// What a tile of a copy pipeline costs, against the copying alone and against the naive way to build it (channels).
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/bench/baseline_rows.h"
#include "tests/bench/copy_tiles.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

constexpr int kTiles = 4'000;

struct Size {
  std::string name;
  Dims tile;
  int64_t steps_share;  // how many times fewer tiles are run than of 4 KiB
  int64_t bytes() const { return tile.Product() * 4; }
};

void MeasureTiles(Ratios& ratios, const std::string& name, const CopyTilesOptions& options) {
  auto tiles = std::make_shared<CopyTiles>(options);
  ratios.Measure(name, tiles->tiles(), [tiles] { return tiles->Seconds(); });
}

void MeasureBaselines(Ratios& ratios, const Size& size) {
  const int tiles = static_cast<int>(kTiles / size.steps_share);
  const size_t bytes = static_cast<size_t>(size.bytes());
  ratios.Measure(size.name + ", two memcpy", tiles, [=] { return TwoMemcpyTile(tiles, bytes) * tiles * 1e-9; });
  for (int threads : {1, 2}) {
    ratios.Measure(absl::StrCat(size.name, ", row A, ", threads), tiles,
                   [=] { return NaiveChannelsTile(threads, tiles, bytes) * tiles * 1e-9; });
    ratios.Measure(absl::StrCat(size.name, ", row K2, ", threads), tiles,
                   [=] { return FastestShapeTile(threads, tiles, bytes) * tiles * 1e-9; });
  }
}

// One mode of the executor: against the memcpys and, on threads, row A and row K2.
void CompareMode(Ratios& ratios, const Size& size, const std::string& mode, const SimulatorOptions& simulator,
                 bool targets) {
  const std::string figure = absl::StrCat(size.name, ", ", mode);
  MeasureTiles(ratios, figure, {.simulator = simulator, .tile = size.tile, .invocations = 250 / size.steps_share});
  const bool two = simulator.threads == 2;
  auto compare = [&](const std::string& baseline, Target target) {
    ratios.Compare({.what = absl::StrCat(figure, " / ", baseline),
                    .figure = figure,
                    .baseline = absl::StrCat(size.name, ", ", baseline),
                    .target = targets ? target : NoTarget(),
                    .two_processors = two});
  };
  compare("two memcpy", AtMost(5));
  if (simulator.threads == 0) return;
  compare(absl::StrCat("row A, ", simulator.threads), AtMost(1.0 / 3));
  if (simulator.dma == DmaMode::kHelp) compare(absl::StrCat("row K2, ", simulator.threads), NoTarget());
}

void DescribeSize(Ratios& ratios, const Size& size, bool targets) {
  MeasureBaselines(ratios, size);
  for (int threads : {1, 2}) {
    CompareMode(ratios, size, absl::StrCat("help, ", threads), {.threads = threads, .dma = DmaMode::kHelp}, targets);
  }
  ratios.Compare({.what = absl::StrCat(size.name, ", help, 2 threads / 1 thread"),
                  .figure = size.name + ", help, 2",
                  .baseline = size.name + ", help, 1",
                  .target = targets ? AtMost(1.25) : NoTarget(),
                  .two_processors = true});
  for (int threads : {1, 2}) {
    CompareMode(ratios, size, absl::StrCat("overlap, ", threads), {.threads = threads}, false);
  }
  CompareMode(ratios, size, "deterministic", {}, false);
}

// The same 4 KiB tile, help, one thread, with other lengths of an invocation.
void DescribeInvocations(Ratios& ratios) {
  const SimulatorOptions simulator = {.threads = 1, .dma = DmaMode::kHelp};
  auto compare = [&](const std::string& figure, const CopyTilesOptions& options) {
    MeasureTiles(ratios, figure, options);
    ratios.Compare({.what = figure + " / two memcpy", .figure = figure, .baseline = "4 KiB, two memcpy"});
  };
  compare("4 KiB, help, 1, one invocation", {.simulator = simulator, .steps = kTiles, .invocations = 1});
  compare("4 KiB, help, 1, buffers made for each 16 steps", {.simulator = simulator, .keep_buffers = false});
  compare("4 KiB, help, 1, over 16 blocks", {.simulator = simulator, .blocks = 16});
}

}  // namespace

void Describe(Ratios& ratios) {
  DescribeSize(ratios, {"4 KiB", {8, 128}, 1}, true);
  DescribeInvocations(ratios);
  DescribeSize(ratios, {"512 B", {1, 128}, 1}, false);
  DescribeSize(ratios, {"64 KiB", {128, 128}, 10}, false);
}

}  // namespace strandcore::bench
