// Place: where in the emulated program something happens, in the kernel author's words: core, phase, cycle, grid
// point, operand.
//
// *step*: a grid point; *cycle*: one invocation of a pipeline over lasting allocations.
#ifndef STRANDCORE_RUNTIME_TRACE_PLACE_H_
#define STRANDCORE_RUNTIME_TRACE_PLACE_H_

#include <cstdint>
#include <string>

#include "runtime/base/dims.h"
#include "runtime/base/ids.h"
#include "runtime/base/site.h"

namespace strandcore {

// The pipeline's phases carry the names of Pallas's trace scopes (seed_pipeline.md 1.8).
enum class Phase : uint8_t {
  kKernel,  // outside any pipeline
  kInitialize,
  kWaitIn,
  kCopyIn,
  kPrefetch,
  kBody,
  kWaitOut,
  kPostyeet,
  kCopyOut,
  kFinalize,
  kSetAccumulator,
  kAccumulate,
};

// "kernel", "initialize", "wait_in", ...
const char* PhaseName(Phase phase);

struct Place {
  CoreId core;
  Phase phase = Phase::kKernel;
  int64_t cycle = 0;
  bool in_pipeline = false;
  Dims grid_point;                // valid in a pipeline
  int32_t pipeline_operand = -1;  // position among the pipeline's operands; -1 where the phase has none
  std::string operand;            // its name, or ""
  Site site;

  // "core 0, cycle 1, step (0, 0), wait_in of x"
  std::string ToString() const;
  // The same without the core: ", cycle 1, step (0, 0), wait_in of x"
  std::string AfterCore() const;
  friend bool operator==(const Place& a, const Place& b) = default;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_PLACE_H_
