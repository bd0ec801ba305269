// EmitPipeline: makes a pipeline of a body, a grid and the specs of its operands; calling it inside a kernel runs it
// (Pallas's emit_pipeline).
//
//   auto pipeline = EmitPipeline(Double, {.grid = {4, 4}, .in_specs = {block}, .out_specs = {block}, .core_axis = 0,
//                                         .dimension_semantics = {kArbitrary, kParallel}});
//   simulator.Run([&](KernelContext& core, Refs args) { (*pipeline)(core, args); }, {In("x", x), Out("y", y)});
//
// Each step: the next blocks of the inputs start to travel in, the body works on the current windows, the blocks it
// has finished travel out. In the body ProgramId is the grid point, core offset included, and NumPrograms the core's
// own part of the grid (quirk Q5); in index maps and callbacks both still mean the enclosing grid (Q6).
#ifndef STRANDCORE_RUNTIME_PIPELINE_EMIT_PIPELINE_H_
#define STRANDCORE_RUNTIME_PIPELINE_EMIT_PIPELINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/ref_function.h"
#include "runtime/core/scope.h"
#include "runtime/pipeline/block_spec.h"
#include "runtime/pipeline/buffered_ref.h"
#include "runtime/pipeline/grid.h"
#include "runtime/pipeline/partition.h"
#include "runtime/pipeline/schedule.h"
#include "runtime/pipeline/scheduler.h"

namespace strandcore {

// Which outputs are accumulators: one flag for all, or one an output.
class AccumulateFlags {
 public:
  AccumulateFlags() = default;
  AccumulateFlags(bool all) : all_(all) {}  // NOLINT: a flag converts
  AccumulateFlags(std::initializer_list<bool> each) : each_(each), one_each_(true) {}
  explicit AccumulateFlags(std::vector<bool> each) : each_(std::move(each)), one_each_(true) {}

  absl::Status CheckCount(size_t outputs) const;
  bool Of(size_t output) const { return one_each_ ? each_[output] : all_; }

 private:
  bool all_ = false;
  std::vector<bool> each_;
  bool one_each_ = false;
};

struct PipelineOptions {
  Grid grid = {};
  std::vector<BlockSpec> in_specs = {};
  std::vector<BlockSpec> out_specs = {};
  AccumulateFlags should_accumulate_out = false;
  std::optional<int> core_axis = std::nullopt;  // the axis of the enclosing grid that numbers the cores
  Semantics dimension_semantics = {};
  std::vector<std::string> axis_names =
      {};  // of the grid, for ProgramId and NumPrograms in the body; one each, or none
};

// The buffers and semaphores of a pipeline, in its operands' order; they last as long as this does, over any number of
// invocations (cycles). Made and destroyed inside the kernel; the pipeline that made them must outlive them.
class Allocations {
 public:
  Allocations(Allocations&&) = default;
  BufferedRefs refs() { return absl::MakeSpan(buffered_); }
  size_t size() const { return buffered_.size(); }
  // Invocations made over them so far.
  int64_t cycles = 0;

 private:
  friend class Pipeline;
  Allocations() = default;

  std::unique_ptr<Scope> scope_;
  std::vector<BufferedRef> buffered_;
};

// Called at the last step before the body (prefetch), or at the first step after it (postyeet), of every invocation.
using PipelineCallback = std::function<void(BufferedRefs, Scheduler&)>;

// How one invocation runs.
struct Invocation {
  std::vector<Ref> scratches = {};     // appended to the body's windows, as they are
  Allocations* allocations = nullptr;  // null: buffers for this invocation alone
  bool first_cycle = true;
  bool last_cycle = true;
  bool init_accumulators = false;
  PipelineCallback prefetch = nullptr;
  PipelineCallback postyeet = nullptr;
  Schedules schedule = {};
};

class Pipeline {
 public:
  // Runs the pipeline over these operands, inputs first. Stops the kernel with what it refuses: operands that do not
  // fit the specs, a grid that cannot be split, blocks that are not there. With allocations the specs are theirs.
  void operator()(KernelContext& core, Refs refs, const Invocation& invocation, Site site = Site::Here()) const;
  // The same with the defaults, as a kernel: reports give the line that made the pipeline.
  void operator()(KernelContext& core, Refs refs) const { (*this)(core, refs, Invocation(), made_at_); }

  Allocations MakeAllocations(KernelContext& core, Refs refs, Site site = Site::Here()) const;
  const PipelineOptions& options() const { return *options_; }

 private:
  friend absl::StatusOr<Pipeline> EmitPipeline(RefFunction body, PipelineOptions options, Site site);
  Pipeline(RefFunction body, std::shared_ptr<const PipelineOptions> options, Site made_at)
      : body_(std::move(body)), options_(std::move(options)), made_at_(made_at) {}

  GridPart PartOf(KernelContext& core) const;

  RefFunction body_;
  std::shared_ptr<const PipelineOptions> options_;
  Site made_at_;
};

// Refuses a grid with static sizes <= 0 or more steps than can be counted, flags that do not match the outputs, and a
// missing body.
absl::StatusOr<Pipeline> EmitPipeline(RefFunction body, PipelineOptions options, Site site = Site::Here());

// The same with the function that makes its allocations (Pallas's emit_pipeline_with_allocations). It cannot be
// partitioned over cores (quirk Q18): core_axis is refused.
struct PipelineWithAllocations {
  Pipeline pipeline;
  std::function<Allocations(KernelContext&, Refs)> make_allocations;
};
absl::StatusOr<PipelineWithAllocations> EmitPipelineWithAllocations(RefFunction body, PipelineOptions options,
                                                                    Site site = Site::Here());

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_EMIT_PIPELINE_H_
