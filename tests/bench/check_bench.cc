// What the checker costs: a copy tile and a matmul tile, watched and not, and whether that depends on the length of a
// run; and how much memory it takes, which must not depend on it either.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/bench/copy_tiles.h"
#include "tests/bench/matmul_tiles.h"
#include "tests/bench/ratios.h"
#include "tests/bench/resident.h"

namespace strandcore::bench {
namespace {

const SimulatorOptions kMachine = {.threads = 1, .dma = DmaMode::kHelp};

// Repeated invocations of 16 steps over the same 16 blocks, in one launch.
void MeasureCopyTiles(Ratios& ratios, const std::string& name, bool check, int64_t invocations) {
  const CopyTilesOptions options = {.simulator = kMachine, .blocks = 16, .invocations = invocations, .check = check};
  auto tiles = std::make_shared<CopyTiles>(options);
  ratios.Measure(name, tiles->tiles(), [tiles] { return tiles->Seconds(); });
}

void MeasureMatmulTiles(Ratios& ratios, const std::string& name, bool check) {
  auto tiles = std::make_shared<MatmulTiles>(kMachine, check);
  ratios.Measure(name, MatmulArrays::kTiles, [tiles] { return tiles->Seconds(); });
}

constexpr int64_t kTenThousand = 640;  // invocations of 16 steps
constexpr int64_t kAMillion = 65'536;

// A variant whose figure is the resident size in KiB, measured once.
void MeasureResident(Ratios& ratios, const std::string& name, int cores, int64_t invocations) {
  const int64_t peak = PeakKibibytesOf([=] {
    SimulatorOptions machine = kMachine;
    machine.cores = cores;
    CopyTiles({.simulator = machine, .blocks = 16, .invocations = invocations, .check = true}).Seconds();
  });
  ratios.Measure(name, 1, [peak] { return static_cast<double>(peak) * 1e-9; });
}

void CompareResident(Ratios& ratios, int cores) {
  const std::string who = cores == 1 ? "KiB, a core" : absl::StrCat("KiB, ", cores, " cores");
  const std::string short_run = absl::StrCat(who, ", ten thousand checked tiles");
  const std::string long_run = absl::StrCat(who, ", a million checked tiles");
  MeasureResident(ratios, short_run, cores, kTenThousand);
  MeasureResident(ratios, long_run, cores, kAMillion);
  ratios.Compare({.what = absl::StrCat("resident ", who, ", a million checked tiles / ten thousand"),
                  .figure = long_run,
                  .baseline = short_run,
                  .target = AtMost(1.1)});
}

}  // namespace

void Describe(Ratios& ratios) {
  // First, as the process is small.
  CompareResident(ratios, 1);
  CompareResident(ratios, 2);
  MeasureCopyTiles(ratios, "copy tile", false, 64);
  MeasureCopyTiles(ratios, "checked copy tile", true, 64);
  MeasureCopyTiles(ratios, "checked copy tile, a million", true, kAMillion);
  MeasureMatmulTiles(ratios, "matmul tile", false);
  MeasureMatmulTiles(ratios, "checked matmul tile", true);
  auto eigen = std::make_shared<EigenTiles>();
  ratios.Measure("Eigen over the same arrays", MatmulArrays::kTiles, [eigen] { return eigen->SecondsOverArrays(); });
  ratios.Compare({.what = "checked copy tile / unchecked",
                  .figure = "checked copy tile",
                  .baseline = "copy tile",
                  .target = AtMost(2)});
  ratios.Compare({.what = "checked copy tile, a million of them / a thousand",
                  .figure = "checked copy tile, a million",
                  .baseline = "checked copy tile",
                  .target = AtMost(1.1)});
  ratios.Compare(
      {.what = "checked matmul tile / unchecked", .figure = "checked matmul tile", .baseline = "matmul tile"});
  ratios.Compare({.what = "checked matmul tile / Eigen over the same arrays",
                  .figure = "checked matmul tile",
                  .baseline = "Eigen over the same arrays",
                  .target = AtMost(1.2)});
}

}  // namespace strandcore::bench
