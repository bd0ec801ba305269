#include "tests/bench/copy_tiles.h"

#include "absl/strings/str_cat.h"
#include "tests/bench/machine.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

Pipeline MakePipeline(const CopyTilesOptions& options) {
  Require(options.steps % options.blocks == 0, "copy tiles: whole rounds through the blocks");
  const auto map = [](const GridIndex& g) { return BlockIndex{g[1], 0}; };
  const BlockSpec block({options.tile[0], options.tile[1]}, map);
  // Says that it writes its window, or the checker would be right to complain.
  const auto body = [](KernelContext&, const Ref&, const Ref& y) { y.Write<float>(); };
  return *EmitPipeline(
      body, {.grid = {options.steps / options.blocks, options.blocks}, .in_specs = {block}, .out_specs = {block}});
}

Array MakeArray(const CopyTilesOptions& options) {
  return Array(DType::kFloat32, {options.simulator.cores * options.blocks * options.tile[0], options.tile[1]});
}

}  // namespace

CopyTiles::CopyTiles(const CopyTilesOptions& options)
    : options_(options),
      simulator_(Checked(options.simulator, options.check)),
      x_(MakeArray(options)),
      y_(MakeArray(options)),
      pipeline_(MakePipeline(options)) {}

void CopyTiles::Kernel(KernelContext& core, const Ref& x, const Ref& y) const {
  const int64_t rows = options_.blocks * options_.tile[0];
  const Index own = Ds(core.core_index() * rows, rows);
  const Ref operands[] = {x.At(own), y.At(own)};
  if (!options_.keep_buffers) {
    for (int64_t i = 0; i < options_.invocations; ++i) pipeline_(core, operands);
    return;
  }
  Allocations buffers = pipeline_.MakeAllocations(core, operands);
  for (int64_t i = 0; i < options_.invocations; ++i) pipeline_(core, operands, {.allocations = &buffers});
}

double CopyTiles::Seconds() {
  RunReport report;
  const double seconds = SecondsOf([&] {
    const auto kernel = [this](KernelContext& core, const Ref& x, const Ref& y) { Kernel(core, x, y); };
    report = simulator_.Run(kernel, {In("x", x_), Out("y", y_)});
  });
  Require(report.ok() && report.counters.transfers == 2 * tiles(),
          absl::StrCat("copy tiles: ", report.counters.transfers, " transfers of ", tiles(), " tiles"));
  return seconds;
}

}  // namespace strandcore::bench
