// PipelineLoop: one invocation: all steps, and in each the phases in their exact order (seed_pipeline.md 1.8).
//
//   bind aliases · initialize ∀ · wait_in ∀ · copy_in ∀ · [last step: prefetch callback] · body
//   wait_out ∀ · [first step: postyeet callback] · copy_out ∀ · finalize ∀          (∀: operands in their order)
//
// wait_in comes before copy_in, so one copy a direction is under way for an operand; wait_out comes after the body, so
// a copy out overlaps the next body.
//
// Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_PIPELINE_PIPELINE_LOOP_H_
#define STRANDCORE_RUNTIME_PIPELINE_PIPELINE_LOOP_H_

#include <vector>

#include "absl/status/status.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/ref_function.h"
#include "runtime/pipeline/emit_pipeline.h"
#include "runtime/pipeline/grid.h"
#include "runtime/pipeline/partition.h"

namespace strandcore {

// Refuses an operand that is not where its spec says: an alias in VMEM, all others anywhere.
absl::Status CheckSpace(const Ref& ref, const BlockSpec& spec);

class PipelineLoop final : private BodyWindows {
 public:
  PipelineLoop(KernelContext& core, const GridPart& part, const PipelineOptions& options, Refs refs,
               const Invocation& invocation, Allocations& allocations, const RefFunction& body, Site site);
  ~PipelineLoop();
  PipelineLoop(const PipelineLoop&) = delete;
  PipelineLoop& operator=(const PipelineLoop&) = delete;

  void Run();

 private:
  std::optional<Ref> FilledPart(const Ref& window) const override;
  void Step();
  // What the phases of an operand are given.
  struct Operand {
    BufferedRef* buffered;
    const Ref* ref;
    const Schedule* schedule;
  };

  // One phase of the scheduler, for these operands in their order.
  template <auto phase>
  void ForAll(const std::vector<Operand>& operands);
  void BindExistingRefs();
  void ForgetIndices();
  void Call(const PipelineCallback& callback, Phase phase);
  void RunBody();
  void DeclareWindows();
  void Emit(Event::Kind kind, int64_t amount, const Dims& start = {}, const Dims& size = {});

  KernelContext& core_;
  const Refs refs_;
  const Invocation& invocation_;
  const RefFunction& body_;
  BufferedRefs buffered_;
  GridWalk walk_;
  const Scheduler::Cycle cycle_;
  PipelineFrame frame_;
  GridEnv env_;  // the body's
  Scheduler scheduler_;
  std::vector<Operand> operands_;
  // Of them: those that are copied in, those that are copied out; accumulators are both.
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
  bool aliases_ = false;  // any
  std::vector<Ref> windows_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_PIPELINE_LOOP_H_
