#include "runtime/pipeline/pipeline_loop.h"

#include <utility>

#include "runtime/base/refusal.h"

namespace strandcore {

absl::Status CheckSpace(const Ref& ref, const BlockSpec& spec) {
  if (!spec.alias() || ref.space() == MemorySpace::kVmem) return absl::OkStatus();
  return Refuse("operand ", ref.name(),
                ": its spec says that it lives in VMEM (its window is an alias of it), it lives in ",
                MemorySpaceName(ref.space()));
}

template <auto phase>
void PipelineLoop::ForAll(const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) (scheduler_.*phase)(*operand.buffered, *operand.ref, *operand.schedule);
}

PipelineLoop::PipelineLoop(KernelContext& core, const GridPart& part, const PipelineOptions& options, Refs refs,
                           const Invocation& invocation, Allocations& allocations, const RefFunction& body, Site site)
    : core_(core),
      refs_(refs),
      invocation_(invocation),
      body_(body),
      buffered_(allocations.refs()),
      walk_(part.sizes, part.offsets),
      cycle_{invocation.first_cycle, invocation.last_cycle, invocation.init_accumulators},
      scheduler_(core, walk_, cycle_, frame_) {
  StopUnlessOk(invocation.schedule.CheckCount(buffered_.size()));
  StopUnlessOk(body.CheckArity("body", refs.size() + invocation.scratches.size()));
  for (size_t i = 0; i < buffered_.size(); ++i) {
    if (buffered_[i].track().following()) {
      throw Stop{Refuse("pipeline: its allocations are in use by an invocation that has not ended")};
    }
    buffered_[i].CheckArray(refs[i]);
    StopUnlessOk(CheckSpace(refs[i], buffered_[i].spec()));
    if (buffered_[i].is_output()) core.RefuseReadOnly(refs[i]);
    const Schedule& schedule = invocation.schedule.Of(i);
    StopUnlessOk(schedule.CheckComplete(refs[i].name()));
    const Operand operand{&buffered_[i], &refs_[i], &schedule};
    operands_.push_back(operand);
    if (buffered_[i].is_input()) inputs_.push_back(operand);
    if (buffered_[i].is_output()) outputs_.push_back(operand);
    aliases_ = aliases_ || buffered_[i].is_alias();
  }
  windows_.assign(refs.begin(), refs.end());
  windows_.insert(windows_.end(), invocation.scratches.begin(), invocation.scratches.end());
  frame_.windows = this;
  frame_.grid_point = &walk_.point();
  frame_.site = site;
  frame_.grid = core.KeepGrid(part.sizes, part.offsets);
  frame_.cycle = allocations.cycles++;
  for (BufferedRef& ref : buffered_) ref.track().Follow(&walk_);
  env_.sizes = walk_.sizes();
  if (!options.axis_names.empty()) env_.names = &options.axis_names;
  core_.PushFrame(&frame_);
}

PipelineLoop::~PipelineLoop() {
  for (BufferedRef& ref : buffered_) ref.track().Follow(nullptr);
  core_.PopFrame();
}

void PipelineLoop::Run() {
  if (core_.observing()) Emit(Event::Kind::kCycle, frame_.cycle);
  try {
    for (int64_t left = walk_.steps(); left > 0; --left) {
      Step();
      walk_.Advance();
      frame_.step = walk_.step();
      for (BufferedRef& ref : buffered_) ref.track().Advance();
    }
  } catch (...) {
    core_.NoteThrow();
    throw;
  }
}

void PipelineLoop::Step() {
  if (aliases_) BindExistingRefs();
  ForAll<&Scheduler::Initialize>(operands_);
  ForAll<&Scheduler::WaitIn>(inputs_);
  ForAll<&Scheduler::CopyIn>(inputs_);
  if (walk_.last() && invocation_.prefetch) Call(invocation_.prefetch, Phase::kPrefetch);
  RunBody();
  ForAll<&Scheduler::WaitOut>(outputs_);
  if (walk_.first() && invocation_.postyeet) {
    if (core_.observing()) Emit(Event::Kind::kPostyeet, 0);
    Call(invocation_.postyeet, Phase::kPostyeet);
  }
  ForAll<&Scheduler::CopyOut>(outputs_);
  ForAll<&Scheduler::Finalize>(outputs_);
}

void PipelineLoop::BindExistingRefs() {
  frame_.phase = Phase::kInitialize;
  for (const Operand& operand : operands_) {
    frame_.operand = operand.buffered->position();
    frame_.operand_name = &operand.buffered->name();
    operand.buffered->BindExistingRef(*operand.ref, walk_.point());
  }
}

// User code may write what an index map reads.
void PipelineLoop::ForgetIndices() {
  for (BufferedRef& ref : buffered_) ref.track().Forget();
}

void PipelineLoop::Call(const PipelineCallback& callback, Phase phase) {
  frame_.phase = phase;
  frame_.operand = -1;
  frame_.operand_name = nullptr;
  callback(buffered_, scheduler_);
  ForgetIndices();
}

void PipelineLoop::RunBody() {
  for (size_t i = 0; i < buffered_.size(); ++i) windows_[i] = buffered_[i].current_ref();
  frame_.phase = Phase::kBody;
  frame_.operand = -1;
  frame_.operand_name = nullptr;
  if (core_.observing()) Emit(Event::Kind::kBody, 0, walk_.point(), walk_.sizes());
  env_.ids = walk_.point();
  core_.RunBody(env_, [this] {
    if (core_.dry()) return DeclareWindows();
    body_(core_, windows_);
  });
  if (core_.observing()) Emit(Event::Kind::kBodyEnd, 0);
  ForgetIndices();
}

std::optional<Ref> PipelineLoop::FilledPart(const Ref& window) const {
  for (size_t i = 0; i < buffered_.size(); ++i) {
    const Ref& own = windows_[i];
    if (own.allocation() != window.allocation()) continue;
    if (own.data() == window.data() && own.shape() == window.shape()) {
      return buffered_[i].FilledPart(refs_[i].shape(), walk_.point());
    }
    // An alias is a part of its operand, which the body may have got hold of too.
    if (buffered_[i].is_alias()) continue;
    throw Stop{Refuse("Filled: expected a window of the body, given ", window.Describe(), ", a part of one")};
  }
  return std::nullopt;
}

// What a body counts as that is not called: it reads its whole input windows and writes its whole output windows.
void PipelineLoop::DeclareWindows() {
  for (size_t i = 0; i < buffered_.size(); ++i) {
    const bool input = buffered_[i].type() == BufferType::kInput;
    windows_[i].Declare(input ? AccessMode::kRead : AccessMode::kWrite, Site{});
  }
}

void PipelineLoop::Emit(Event::Kind kind, int64_t amount, const Dims& start, const Dims& size) {
  Event event;
  event.kind = kind;
  event.amount = amount;
  event.start = start;
  event.size = size;
  core_.Emit(std::move(event));
}

}  // namespace strandcore
