// Scheduler: one step's view of a pipeline: where it stands, and the phases that carry out a Schedule
// (seed_pipeline.md 1.5, 1.7).
//
// A user sees it in the prefetch and postyeet callbacks, which may call Prefetch; predicates ask it where they are.
// The contract of prefetch (1.10): where another cycle follows, exactly the copies that its first step will wait for
// must be started, with the same schedule; a missing one hangs, a surplus one leaves the semaphore raised.
//
// Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_PIPELINE_SCHEDULER_H_
#define STRANDCORE_RUNTIME_PIPELINE_SCHEDULER_H_

#include <cstdint>

#include "runtime/core/kernel_context.h"
#include "runtime/memory/ref.h"
#include "runtime/pipeline/buffered_ref.h"
#include "runtime/pipeline/grid.h"
#include "runtime/pipeline/schedule.h"

namespace strandcore {

class Scheduler {
 public:
  struct Cycle {
    bool first = true;
    bool last = true;
    bool init_accumulators = false;
  };

  Scheduler(KernelContext& core, const GridWalk& walk, const Cycle& cycle, PipelineFrame& frame)
      : core_(core), walk_(walk), cycle_(cycle), frame_(frame) {}
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  int64_t step() const { return walk_.step(); }
  int64_t num_steps() const { return walk_.steps(); }
  const GridIndex& indices() const { return walk_.point(); }
  bool first_step() const { return walk_.first(); }
  bool last_step() const { return walk_.last(); }
  bool first_cycle() const { return cycle_.first; }
  bool last_cycle() const { return cycle_.last; }
  bool init_accumulators() const { return cycle_.init_accumulators; }
  bool first_step_ever() const { return cycle_.first && first_step(); }
  bool last_step_ever() const { return cycle_.last && last_step(); }
  // Whether the block differs from the previous step's (at step 0: from the last step's), or will from the next's.
  bool HasChanged(const BufferedRef& ref) const;
  bool WillChange(const BufferedRef& ref) const;

  // For the prefetch callback (or postyeet, where step 0 is the last): starts the copy of the next cycle's first block
  // from `source`, if the schedule's prefetch predicate holds. Default where no schedule is given.
  void Prefetch(BufferedRef& ref, const Ref& source, const Schedule& schedule = Schedule::Default());

  // The phases of one operand, in the order of the loop; the pipeline calls them: WaitIn and CopyIn of inputs, WaitOut,
  // CopyOut and Finalize of outputs, all of accumulators. A predicate is asked only where its answer matters.
  // REQUIRES: the schedule is complete.
  void Initialize(BufferedRef& ref, const Ref& source, const Schedule& schedule);
  void WaitIn(BufferedRef& ref, const Ref& source, const Schedule& schedule);
  void CopyIn(BufferedRef& ref, const Ref& source, const Schedule& schedule);
  void WaitOut(BufferedRef& ref, const Ref& target, const Schedule& schedule);
  void CopyOut(BufferedRef& ref, const Ref& target, const Schedule& schedule);
  void Finalize(BufferedRef& ref, const Ref& target, const Schedule& schedule);

 private:
  void Enter(Phase phase, const BufferedRef& ref);
  // Of a plain output, in its copy-out phase: the checker is told of a block that the walk leaves.
  void TellVisit(BufferedRef& ref, const Ref& target);
  void SetAccumulator(BufferedRef& ref);
  void Accumulate(BufferedRef& ref);

  KernelContext& core_;
  const GridWalk& walk_;
  const Cycle& cycle_;
  PipelineFrame& frame_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_SCHEDULER_H_
