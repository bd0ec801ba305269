#include "runtime/pipeline/emit_pipeline.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/pipeline/pipeline_loop.h"

namespace strandcore {

absl::Status AccumulateFlags::CheckCount(size_t outputs) const {
  if (!one_each_ || each_.size() == outputs) return absl::OkStatus();
  return Refuse("should_accumulate_out: expected one flag, or one for each of ", outputs, " outputs, given ",
                each_.size());
}

absl::StatusOr<Pipeline> EmitPipeline(RefFunction body, PipelineOptions options, Site site) {
  if (!body) return Refuse("body: expected a function, given none");
  STRANDCORE_RETURN_IF_ERROR(ValidateGrid(options.grid));
  STRANDCORE_RETURN_IF_ERROR(options.should_accumulate_out.CheckCount(options.out_specs.size()));
  if (!options.axis_names.empty() && options.axis_names.size() != options.grid.size()) {
    return Refuse("axis_names: expected none, or one for each of ", options.grid.size(),
                  " dimensions of the grid, given ", options.axis_names.size());
  }
  return Pipeline(std::move(body), std::make_shared<const PipelineOptions>(std::move(options)), site);
}

absl::StatusOr<PipelineWithAllocations> EmitPipelineWithAllocations(RefFunction body, PipelineOptions options,
                                                                    Site site) {
  if (options.core_axis.has_value()) {
    return Refuse("core_axis: a pipeline with allocations cannot be split over cores, given axis ", *options.core_axis);
  }
  absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(options), site);
  if (!pipeline.ok()) return pipeline.status();
  return PipelineWithAllocations{
      *pipeline, [p = *pipeline](KernelContext& core, Refs refs) { return p.MakeAllocations(core, refs); }};
}

GridPart Pipeline::PartOf(KernelContext& core) const {
  if (!options_->core_axis.has_value()) return WholeGrid(options_->grid);
  const int axis = *options_->core_axis;
  if (const int rank = core.grid_envs().back()->sizes.size(); axis < 0 || axis >= rank) {
    throw Stop{Refuse("core_axis: expected an axis of the enclosing grid, which has ", rank, ", given ", axis)};
  }
  absl::StatusOr<GridPart> part =
      PartitionGrid(options_->grid, core.ProgramId(axis), core.NumPrograms(axis), options_->dimension_semantics);
  StopUnlessOk(part.status());
  return *part;
}

Allocations Pipeline::MakeAllocations(KernelContext& core, Refs refs, Site site) const {
  const size_t inputs = options_->in_specs.size();
  const size_t operands = inputs + options_->out_specs.size();
  if (refs.size() != operands) {
    throw Stop{Refuse("pipeline: expected ", inputs, " inputs and ", operands - inputs, " outputs, given ", refs.size(),
                      " operands")};
  }
  Allocations made;
  made.scope_ = std::make_unique<Scope>(core);
  made.buffered_.reserve(operands);
  for (size_t i = 0; i < operands; ++i) {
    const BlockSpec& spec = i < inputs ? options_->in_specs[i] : options_->out_specs[i - inputs];
    const Ref& ref = refs[i];
    if (ref.allocation() == nullptr) {
      throw Stop{Refuse("pipeline: expected an array as operand ", i, ", given an empty view")};
    }
    StopUnlessOk(ValidateSpec(ref.name(), spec, ref.shape(), ref.dtype(), core.chip().generation));
    StopUnlessOk(CheckSpace(ref, spec));
    const bool accumulates = i >= inputs && options_->should_accumulate_out.Of(i - inputs);
    const BufferType type = i < inputs    ? BufferType::kInput
                            : accumulates ? BufferType::kAccumulator
                                          : BufferType::kOutput;
    made.buffered_.emplace_back(spec, type, ref, static_cast<int>(i), *made.scope_);
  }
  made.scope_->Allocate(site);
  for (BufferedRef& buffered : made.buffered_) buffered.Bind(*made.scope_);
  return made;
}

void Pipeline::operator()(KernelContext& core, Refs refs, const Invocation& invocation, Site site) const {
  const GridPart part = PartOf(core);
  // A core whose part is empty does nothing at all, but what is refused is refused on every core.
  if (invocation.allocations == nullptr) {
    Allocations own = MakeAllocations(core, refs, site);
    return PipelineLoop(core, part, *options_, refs, invocation, own, body_, site).Run();
  }
  if (refs.size() != invocation.allocations->size()) {
    throw Stop{
        Refuse("pipeline: its allocations are for ", invocation.allocations->size(), " operands, given ", refs.size())};
  }
  PipelineLoop(core, part, *options_, refs, invocation, *invocation.allocations, body_, site).Run();
}

}  // namespace strandcore
