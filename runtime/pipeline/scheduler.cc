#include "runtime/pipeline/scheduler.h"

#include "runtime/base/refusal.h"

namespace strandcore {

bool Scheduler::HasChanged(const BufferedRef& ref) const { return ref.HasChanged(); }

bool Scheduler::WillChange(const BufferedRef& ref) const { return ref.WillChange(); }

void Scheduler::Enter(Phase phase, const BufferedRef& ref) {
  frame_.phase = phase;
  frame_.operand = ref.position();
  frame_.operand_name = &ref.name();
}

void Scheduler::Initialize(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  Enter(Phase::kInitialize, ref);
  const bool copies = ref.is_input() && schedule.prologue_copy_in(*this, ref, source);
  if (first_step_ever()) ref.InitSlots();
  if (copies) ref.CopyIn(core_, source, walk_.point());
  const int slot_before = ref.current_slot();
  ref.SwapSlots();
  if (first_step_ever() || ref.current_slot() != slot_before) ref.BeginVisit(core_);
}

void Scheduler::WaitIn(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  Enter(Phase::kWaitIn, ref);
  const bool waits = schedule.wait_in(*this, ref, source);
  if (waits) ref.WaitIn(core_, source, walk_.point());
  if (ref.is_accumulator() && (waits || first_step() || HasChanged(ref))) SetAccumulator(ref);
}

void Scheduler::CopyIn(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  if (last_step()) return;
  Enter(Phase::kCopyIn, ref);
  if (schedule.copy_in(*this, ref, source)) ref.CopyIn(core_, source, walk_.next());
}

void Scheduler::Prefetch(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  const Phase outer = frame_.phase;
  Enter(Phase::kPrefetch, ref);
  // The callback may have changed what the index map reads.
  ref.track().Forget();
  if (!schedule.prefetch) throw Stop{Refuse("operand ", ref.name(), ": its schedule has no prefetch")};
  if (ref.is_input() && last_step() && schedule.prefetch(*this, ref, source)) ref.CopyIn(core_, source, walk_.next());
  frame_.phase = outer;
  frame_.operand = -1;
  frame_.operand_name = nullptr;
}

void Scheduler::WaitOut(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kWaitOut, ref);
  if (schedule.wait_out(*this, ref, target)) ref.WaitOut(core_, target, walk_.previous());
}

void Scheduler::CopyOut(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kCopyOut, ref);
  const bool copies = schedule.copy_out(*this, ref, target);
  // Without a copy at the last step, the running sum stays in VMEM over the border of two cycles.
  if (ref.is_accumulator() && (copies || last_step())) Accumulate(ref);
  if (copies) ref.CopyOut(core_, target, walk_.point());
  if (core_.watched() && ref.type() == BufferType::kOutput && !ref.is_alias()) TellVisit(ref, target);
}

void Scheduler::TellVisit(BufferedRef& ref, const Ref& target) {
  if (first_step()) ref.BeginVisit(0);
  if (!last_step() && !WillChange(ref)) return;
  ref.TellVisit(core_, target, walk_.point());
  ref.BeginVisit(step() + 1);
}

void Scheduler::Finalize(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kFinalize, ref);
  if (!schedule.epilogue_wait_out(*this, ref, target)) return;
  ref.SwapSlots();
  ref.WaitOut(core_, target, walk_.point());
}

void Scheduler::SetAccumulator(BufferedRef& ref) {
  Enter(Phase::kSetAccumulator, ref);
  ref.SetAccumulator(core_, init_accumulators());
}

void Scheduler::Accumulate(BufferedRef& ref) {
  Enter(Phase::kAccumulate, ref);
  ref.Accumulate(core_);
  Enter(Phase::kCopyOut, ref);
}

}  // namespace strandcore
