#include "kernels/accumulate.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace strandcore {
namespace {

void Body(KernelContext& core, Ref x, Ref w, Ref z) {
  const auto product = w.Read<float>() * x.Read<float>();
  if (core.ProgramId(1) == 0) {
    z.Write<float>() = product;
  } else {
    z.ReadWrite<float>() += product;
  }
}

}  // namespace

absl::StatusOr<Pipeline> AccumulatePipeline(const AccumulateShape& shape) {
  const BlockSpec x({shape.block_rows, shape.block_columns}, [](GridIndex g) { return BlockIndex{g[0], g[1]}; });
  const BlockSpec w({shape.block_rows, shape.block_columns}, [](GridIndex) { return BlockIndex{0, 0}; });
  const BlockSpec z({shape.block_rows, shape.block_columns}, [](GridIndex g) { return BlockIndex{g[0], 0}; });
  return EmitPipeline(
      Body, {.grid = {shape.blocks, shape.steps}, .in_specs = {x, w}, .out_specs = {z}, .should_accumulate_out = true});
}

absl::StatusOr<RefFunction> AccumulateKernel(const AccumulateShape& shape, const Schedule& schedule) {
  if (shape.cycles <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("cycles: expected 1 or more, given ", shape.cycles));
  }
  absl::StatusOr<Pipeline> pipeline = AccumulatePipeline(shape);
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction(
      [pipeline = *pipeline, schedule, last = shape.cycles - 1](KernelContext& core, Ref x, Ref w, Ref z) {
        const auto initialises = [](int64_t cycle) { return cycle == 0; };
        const auto operands = [&](int64_t cycle) { return std::vector<Ref>{x.At(cycle), w, z}; };
        Allocations buffers = pipeline.MakeAllocations(core, operands(0));
        for (int64_t cycle = 0; cycle <= last; ++cycle) {
          // In the last cycle the schedule starts nothing, whatever it is asked for.
          const std::vector<Ref> next = operands(std::min(cycle + 1, last));
          auto prefetch = [&](BufferedRefs refs, Scheduler& scheduler) {
            for (size_t i = 0; i < refs.size(); ++i) {
              if (refs[i].is_accumulator() && initialises(cycle + 1)) continue;
              scheduler.Prefetch(refs[i], next[i], schedule);
            }
          };
          pipeline(core, operands(cycle),
                   {.allocations = &buffers,
                    .first_cycle = cycle == 0,
                    .last_cycle = cycle == last,
                    .init_accumulators = initialises(cycle),
                    .prefetch = prefetch,
                    .schedule = schedule});
        }
      });
}

}  // namespace strandcore
