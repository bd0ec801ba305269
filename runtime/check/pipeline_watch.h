// PipelineWatch: what the pipelines of a launch do that no access shows: they come back to a block of an output, or an
// index map changes its mind while a copy is under way.
//
// Concurrency: what names a core first is called on that core's strand or in its kernel, for different cores at once;
// Faults and Notes after the run.
#ifndef STRANDCORE_RUNTIME_CHECK_PIPELINE_WATCH_H_
#define STRANDCORE_RUNTIME_CHECK_PIPELINE_WATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/check/output_visits.h"
#include "runtime/trace/fault.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

class PipelineWatch {
 public:
  explicit PipelineWatch(int32_t cores) : cores_(static_cast<size_t>(cores)) {}

  void OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp);
  void OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp);

  // One for each operand of a pipeline, with how often, in the order of cores and of what they met.
  std::vector<Fault> Faults() const;
  // The first of each operand of a pipeline and of each wait.
  std::vector<Note> Notes() const;

 private:
  struct Revisit {
    std::string operand;
    Dims block;
    OutputVisits::Steps before;
    Stamp stamp;  // where the visit ends
    int64_t again;
    int64_t count;
  };
  struct Unstable {
    std::string operand;
    Dims was;
    Dims is;
    Stamp started;
    Stamp stamp;
  };
  struct alignas(64) Core {
    // By depth of nested pipelines, by position of the operand: of an inner pipeline's invocations the last one.
    std::vector<std::vector<OutputVisits>> visits;
    std::vector<Revisit> revisits;
    std::vector<Unstable> unstable;
  };

  static Fault FaultOf(int32_t core, const Revisit& revisit);
  static Note NoteOf(int32_t core, const Unstable& unstable);

  std::vector<Core> cores_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_PIPELINE_WATCH_H_
