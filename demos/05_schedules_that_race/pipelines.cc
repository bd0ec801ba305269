#include "demos/05_schedules_that_race/pipelines.h"

#include <algorithm>
#include <vector>

namespace sc = strandcore;

namespace {

// The first step of a block's visit writes the window, the others add to it; the pipeline adds the old block.
void Add(sc::KernelContext& core, sc::Ref x, sc::Ref z) {
  if (core.ProgramId(1) == 0) {
    z.Write<float>() = x.Read<float>();
  } else {
    z.ReadWrite<float>() += x.Read<float>();
  }
}

// The same for one whose old block is an input of its own.
void AddOld(sc::KernelContext&, sc::Ref x, sc::Ref old, sc::Ref z) {
  z.Write<float>() = x.Read<float>() + old.Read<float>();
}

sc::BlockSpec XBlocks() {
  return sc::BlockSpec({8, 128}, [](sc::GridIndex g) { return sc::BlockIndex{g[0], g[1]}; });
}
sc::BlockSpec ZBlocks() {
  return sc::BlockSpec({8, 128}, [](sc::GridIndex g) { return sc::BlockIndex{g[0], 0}; });
}

// All cycles over the same buffers. The prefetch of a cycle starts the copies that the next one's first step waits for.
sc::RefFunction Cycles(const Demonstration& shape, const sc::Schedule& of_z, bool asks_before_prefetch) {
  const sc::Pipeline pipeline = *sc::EmitPipeline(Add, {.grid = {shape.blocks, shape.steps},
                                                        .in_specs = {XBlocks()},
                                                        .out_specs = {ZBlocks()},
                                                        .should_accumulate_out = true});
  return [=, last = shape.cycles - 1, restart = shape.restart](sc::KernelContext& core, sc::Ref x, sc::Ref, sc::Ref z) {
    sc::Allocations buffers = pipeline.MakeAllocations(core, std::vector<sc::Ref>{x.At(0), z});
    for (int64_t cycle = 0; cycle <= last; ++cycle) {
      const std::vector<sc::Ref> next = {x.At(std::min(cycle + 1, last)), z};
      auto prefetch = [&](sc::BufferedRefs refs, sc::Scheduler& scheduler) {
        scheduler.Prefetch(refs[0], next[0], sc::Schedule::Default());
        if (asks_before_prefetch && cycle + 1 == restart) return;  // that cycle waits for no old block
        scheduler.Prefetch(refs[1], next[1], of_z);
      };
      pipeline(core, std::vector<sc::Ref>{x.At(cycle), z},
               {.allocations = &buffers,
                .first_cycle = cycle == 0,
                .last_cycle = cycle == last,
                .init_accumulators = cycle == restart,
                .prefetch = prefetch,
                .schedule = {sc::Schedule::Default(), of_z}});
    }
  };
}

sc::RefFunction RunningSum(const Demonstration& shape, bool repaired) {
  return Cycles(shape, repaired ? sc::Schedule::Fixed() : sc::Schedule::Default(), true);
}

sc::RefFunction ThreeBlocks(const Demonstration& shape, bool repaired) {
  if (!repaired) return Cycles(shape, sc::Schedule::Default(), true);
  return [pipeline = *sc::EmitPipeline(
              AddOld,
              {.grid = {shape.blocks, shape.steps}, .in_specs = {XBlocks(), ZBlocks()}, .out_specs = {ZBlocks()}})](
             sc::KernelContext& core, sc::Ref x, sc::Ref old, sc::Ref z) {
    pipeline(core, std::vector<sc::Ref>{x.At(0), old, z}, {});
  };
}

sc::RefFunction SurplusPrefetch(const Demonstration& shape, bool repaired) {
  return Cycles(shape, sc::Schedule::Default(), /*asks_before_prefetch=*/repaired);
}

}  // namespace

sc::Array Demonstration::PlainLoop(const sc::Array& x, const sc::Array& old) const {
  sc::Array z = old;
  auto sum = z.Matrix<float>();
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    if (cycle == restart) sum.setZero();
    const auto part = x.Matrix<float>({cycle});
    for (int64_t step = 0; step < steps; ++step) sum += part.middleCols(step * 128, 128);
  }
  return z;
}

absl::Span<const Demonstration> Demonstrations() {
  static const Demonstration kAll[] = {
      {.title =
           "1. A running sum in one block of one step (quirk Q2): z is prefetched before the sum is on its way out",
       .repair = "the schedule fixed keeps the sum in VMEM: one copy out, at the end",
       .cycles = 4,
       .blocks = 1,
       .steps = 1,
       .restart = -1,
       .make = RunningSum},
      {.title = "2. Three blocks of one step (quirk Q1): a block is copied in over one that is still going out",
       .repair = "the old blocks are an input of their own, with buffers of their own",
       .cycles = 1,
       .blocks = 3,
       .steps = 1,
       .restart = -1,
       .make = ThreeBlocks},
      {.title = "3. A prefetch too many (quirk Q3): the next cycle starts from zero and waits for no old block",
       .repair = "the prefetch asks whether the next cycle starts from zero",
       .cycles = 4,
       .blocks = 2,
       .steps = 2,
       .restart = 2,
       .make = SurplusPrefetch},
  };
  return kAll;
}
