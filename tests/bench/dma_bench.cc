// What start and wait of one 4 KiB copy cost a kernel that makes them by hand, against half a tile of the fastest
// shape that the prototype found: a copy of the same size, without anything around it.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/strandcore.h"
#include "tests/bench/baseline_rows.h"
#include "tests/bench/machine.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

constexpr int kCopies = 8'000;
constexpr int64_t kBlocks = 4;
constexpr int64_t kRows = 8;

// Copies the blocks of x to VMEM, over and over.
class Copies {
 public:
  // `anew`: each copy is made before it is started, else all are made at the beginning.
  Copies(const SimulatorOptions& options, bool anew) : simulator_(Unchecked(options)), anew_(anew) {}

  double Seconds() {
    RunReport report;
    const double seconds = SecondsOf([&] {
      const auto kernel = [this](KernelContext& core, const Ref& x) {
        core.RunScoped([&](Ref tile, SemaphoreRef done) { Copy(core, x, tile, done); },
                       Vmem({kRows, 128}, DType::kFloat32), DmaSemaphore());
      };
      report = simulator_.Run(kernel, {In("x", x_)});
    });
    Require(report.ok() && report.counters.transfers == kCopies, "copies: a run that failed");
    return seconds;
  }

 private:
  static AsyncCopy Make(KernelContext& core, const Ref& x, const Ref& tile, const SemaphoreRef& done, int64_t block) {
    return core.MakeAsyncCopy(x.At(Ds(block * kRows, kRows)), tile, done);
  }
  void Copy(KernelContext& core, const Ref& x, const Ref& tile, const SemaphoreRef& done) const {
    std::vector<AsyncCopy> copies;
    for (int64_t block = 0; block < kBlocks; ++block) copies.push_back(Make(core, x, tile, done, block));
    for (int64_t i = 0; i < kCopies; ++i) {
      const size_t block = static_cast<size_t>(i % kBlocks);
      if (anew_) copies[block] = Make(core, x, tile, done, i % kBlocks);
      copies[block].Start();
      copies[block].Wait();
    }
  }

  Simulator simulator_;
  const bool anew_;
  Array x_{DType::kFloat32, {kBlocks * kRows, 128}};
};

void MeasureCopies(Ratios& ratios, const std::string& name, const SimulatorOptions& options, bool anew) {
  auto copies = std::make_shared<Copies>(options, anew);
  ratios.Measure(name, kCopies, [copies] { return copies->Seconds(); });
}

}  // namespace

void Describe(Ratios& ratios) {
  for (int threads : {1, 2}) {
    const std::string baseline = absl::StrCat("row K2, ", threads);
    ratios.Measure(baseline, kCopies / 2,
                   [=] { return FastestShapeTile(threads, kCopies / 2, kRows * 128 * 4) * (kCopies / 2) * 1e-9; });
    auto compare = [&](const std::string& figure, Target target) {
      ratios.Compare({.what = absl::StrCat(figure, " / half a tile of ", baseline),
                      .figure = figure,
                      .baseline = baseline,
                      .share = 0.5,
                      .target = target,
                      .two_processors = threads == 2});
    };
    const SimulatorOptions help = {.threads = threads, .dma = DmaMode::kHelp};
    const std::string name = absl::StrCat("start + wait of 4 KiB, help, ", threads);
    MeasureCopies(ratios, name, help, false);
    compare(name, AtMost(2));
    MeasureCopies(ratios, name + ", made anew", help, true);
    compare(name + ", made anew", NoTarget());
    const std::string overlap = absl::StrCat("start + wait of 4 KiB, overlap, ", threads);
    MeasureCopies(ratios, overlap, {.threads = threads}, false);
    compare(overlap, NoTarget());
  }
}

}  // namespace strandcore::bench
