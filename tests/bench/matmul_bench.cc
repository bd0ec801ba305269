// What a matmul tile of 128³ costs through a pipeline, against Eigen alone: real work must hide the rest.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/bench/matmul_tiles.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

constexpr char kOverArrays[] = "Eigen over the same arrays";
constexpr char kInCache[] = "Eigen, one block in cache";

}  // namespace

void Describe(Ratios& ratios) {
  auto eigen = std::make_shared<EigenTiles>();
  ratios.Measure(kOverArrays, MatmulArrays::kTiles, [eigen] { return eigen->SecondsOverArrays(); });
  ratios.Measure(kInCache, MatmulArrays::kTiles, [eigen] { return eigen->SecondsInCache(); });
  auto compare = [&](const std::string& mode, const SimulatorOptions& options, Target target) {
    const std::string figure = absl::StrCat("matmul tile, ", mode);
    auto tiles = std::make_shared<MatmulTiles>(options);
    ratios.Measure(figure, MatmulArrays::kTiles, [tiles] { return tiles->Seconds(); });
    for (const char* baseline : {kOverArrays, kInCache}) {
      ratios.Compare({.what = absl::StrCat(figure, " / ", baseline),
                      .figure = figure,
                      .baseline = baseline,
                      // The target is about the same work; one block that never leaves the cache is there to compare.
                      .target = baseline == kOverArrays ? target : NoTarget(),
                      .two_processors = options.threads == 2});
    }
  };
  compare("help, 1", {.threads = 1, .dma = DmaMode::kHelp}, AtMost(1.1));
  compare("help, 2", {.threads = 2, .dma = DmaMode::kHelp}, AtMost(1.1));
  compare("overlap, 1", {.threads = 1}, NoTarget());
  compare("overlap, 2", {.threads = 2}, NoTarget());
  compare("deterministic", {}, NoTarget());
}

}  // namespace strandcore::bench
