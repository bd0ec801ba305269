// How many times as many tiles a second two cores on two threads finish as one core on one thread.
#include <memory>
#include <string>

#include "tests/bench/copy_tiles.h"
#include "tests/bench/matmul_tiles.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

SimulatorOptions Machine(int cores, DmaMode dma) { return {.cores = cores, .threads = cores, .dma = dma}; }

std::string Name(const std::string& tile, int cores) {
  return tile + (cores == 1 ? ", one core on one thread" : ", two cores on two threads");
}

void CompareCores(Ratios& ratios, const std::string& tile, Target target) {
  ratios.Compare({.what = tile + ", tiles a second: two cores, two threads / one, one",
                  .figure = Name(tile, 2),
                  .baseline = Name(tile, 1),
                  .target = target,
                  .two_processors = true});
}

void DescribeMode(Ratios& ratios, const std::string& mode, DmaMode dma, Target target) {
  for (int cores : {1, 2}) {
    auto copy = std::make_shared<CopyTiles>(CopyTilesOptions{.simulator = Machine(cores, dma)});
    ratios.Measure(Name("copy tile, " + mode, cores), copy->tiles(), [copy] { return copy->Seconds(); });
    auto matmul = std::make_shared<MatmulTiles>(Machine(cores, dma));
    ratios.Measure(Name("matmul tile, " + mode, cores), MatmulArrays::kTiles, [matmul] { return matmul->Seconds(); });
  }
  CompareCores(ratios, "copy tile, " + mode, target);
  CompareCores(ratios, "matmul tile, " + mode, target);
}

}  // namespace

void Describe(Ratios& ratios) {
  DescribeMode(ratios, "help", DmaMode::kHelp, AtLeast(1.5));
  DescribeMode(ratios, "overlap", DmaMode::kOverlap, NoTargetOfSpeed());
}

}  // namespace strandcore::bench
