#include "runtime/pipeline/scheduler.h"

#include "runtime/base/refusal.h"

namespace strandcore {

bool Scheduler::HasChanged(const BufferedRef& ref) const {
  // The indices are a cache: asking changes nothing that anybody sees.
  return const_cast<BufferedRef&>(ref).Differs(walk_.point(), walk_.previous());
}

bool Scheduler::WillChange(const BufferedRef& ref) const {
  return const_cast<BufferedRef&>(ref).Differs(walk_.point(), walk_.next());
}

void Scheduler::Enter(Phase phase, const BufferedRef& ref) {
  frame_.phase = phase;
  frame_.operand = ref.position();
  frame_.operand_name = &ref.name();
}

bool Scheduler::Holds(const Schedule::Predicate& predicate, const char* key, const BufferedRef& ref,
                      const Ref& source) const {
  if (__builtin_expect(!predicate, 0)) throw Stop{Refuse("operand ", ref.name(), ": its schedule has no ", key)};
  return predicate(*this, ref, source);
}

void Scheduler::Initialize(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  Enter(Phase::kInitialize, ref);
  const bool copies = Holds(schedule.prologue_copy_in, "prologue_copy_in", ref, source);
  if (first_step_ever()) ref.InitSlots();
  if (copies && ref.is_input()) ref.CopyIn(core_, source, walk_.point());
  ref.SwapSlots();
}

void Scheduler::WaitIn(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  Enter(Phase::kWaitIn, ref);
  if (Holds(schedule.wait_in, "wait_in", ref, source)) {
    if (ref.is_input()) ref.WaitIn(core_, source, walk_.point());
    if (ref.is_accumulator()) SetAccumulator(ref);
  } else if (ref.is_accumulator() && (first_step() || HasChanged(ref))) {
    SetAccumulator(ref);
  }
}

void Scheduler::CopyIn(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  Enter(Phase::kCopyIn, ref);
  if (Holds(schedule.copy_in, "copy_in", ref, source) && ref.is_input() && !last_step()) {
    ref.CopyIn(core_, source, walk_.next());
  }
}

void Scheduler::Prefetch(BufferedRef& ref, const Ref& source, const Schedule& schedule) {
  const Phase outer = frame_.phase;
  Enter(Phase::kPrefetch, ref);
  // The callback may have changed what the index map reads.
  ref.ForgetIndices();
  if (Holds(schedule.prefetch, "prefetch", ref, source) && ref.is_input() && last_step()) {
    ref.CopyIn(core_, source, walk_.next());
  }
  frame_.phase = outer;
  frame_.operand = -1;
  frame_.operand_name = nullptr;
}

void Scheduler::WaitOut(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kWaitOut, ref);
  if (Holds(schedule.wait_out, "wait_out", ref, target) && ref.is_output()) {
    ref.WaitOut(core_, target, walk_.previous());
  }
}

void Scheduler::CopyOut(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kCopyOut, ref);
  if (Holds(schedule.copy_out, "copy_out", ref, target)) {
    if (ref.is_accumulator()) Accumulate(ref);
    if (ref.is_output()) ref.CopyOut(core_, target, walk_.point());
  } else if (ref.is_accumulator() && last_step()) {
    // The running sum stays in VMEM over the border of two cycles.
    Accumulate(ref);
  }
}

void Scheduler::Finalize(BufferedRef& ref, const Ref& target, const Schedule& schedule) {
  Enter(Phase::kFinalize, ref);
  if (Holds(schedule.epilogue_wait_out, "epilogue_wait_out", ref, target) && ref.is_output()) {
    ref.SwapSlots();
    ref.WaitOut(core_, target, walk_.point());
  }
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
