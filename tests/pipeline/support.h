// Support: what the tests of the pipeline share: pipelines and specs in a line, arrays of whole numbers, and what a
// recorder saw as short text.
//
// Whole numbers of few bits: sums of them are exact in every element type used, so that tests compare for equality.
#ifndef STRANDCORE_TESTS_PIPELINE_SUPPORT_H_
#define STRANDCORE_TESTS_PIPELINE_SUPPORT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/core/kernel_context.h"
#include "runtime/memory/array.h"
#include "runtime/pipeline/emit_pipeline.h"
#include "runtime/simulator/simulator.h"
#include "runtime/trace/recorder.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRANDCORE_RACES_ARE_REPORTED 1
#endif
#endif

namespace strandcore::testing {

// The block index is made of these dimensions of the grid point; -1 stands for 0.
inline IndexMap Picking(std::vector<int> dims) {
  return [dims = std::move(dims)](const GridIndex& g) {
    BlockIndex index;
    for (int d : dims) index.push_back(d < 0 ? 0 : g[d]);
    return index;
  };
}

// (8, 128) blocks, of which the grid point's first dimension picks the row: block (i, 0).
inline BlockSpec RowTile() { return BlockSpec({8, 128}, Picking({0, -1})); }
// (8, 128) blocks, of which the grid point's two dimensions pick row and column.
inline BlockSpec Tile() { return BlockSpec({8, 128}, Picking({0, 1})); }
// The one (8, 128) block at the origin.
inline BlockSpec StayingTile() { return BlockSpec({8, 128}, Picking({-1, -1})); }

// A pipeline that must be accepted.
inline Pipeline Emit(RefFunction body, PipelineOptions options) {
  absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(options));
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  return *std::move(pipeline);
}

// A kernel that runs a pipeline once over all its operands.
inline RefFunction Once(Pipeline pipeline, Invocation invocation = {}) {
  return [pipeline = std::move(pipeline), invocation = std::move(invocation)](KernelContext& core, Refs refs) {
    pipeline(core, refs, invocation);
  };
}

// 0 ... 60 in an order that no block repeats.
inline Array Numbers(DType dtype, const Dims& shape, int64_t factor = 7) {
  Array array(dtype, shape);
  array.Generate([factor](int64_t flat) { return static_cast<double>(flat * factor % 61); });
  return array;
}

inline Array Poisoned(DType dtype, const Dims& shape) {
  Array array(dtype, shape);
  array.FillPoison();
  return array;
}

// The part of a window that an array of this shape fills at this step, where dimension d of the grid goes along
// dimension d of the array, as far as there is one.
inline Ref FilledPart(const KernelContext& core, const Ref& window, const Dims& shape) {
  std::vector<Index> part;
  for (int d = 0; d < shape.size(); ++d) {
    const int64_t block = window.shape()[d];
    const int64_t start = d < core.grid_envs().back()->ids.size() ? block * core.ProgramId(d) : 0;
    part.push_back(Ds(0, std::min(block, shape[d] - start)));
  }
  return window.Slice(part);
}

// Bodies.
inline void Nothing(KernelContext&, Refs) {}
template <typename T>
void Copy(KernelContext&, const Ref& x, const Ref& y) {
  y.Write<T>() = x.Read<T>();
}
inline void Double(KernelContext&, const Ref& x, const Ref& y) { y.Write<float>() = 2.0f * x.Read<float>(); }

// The events of a pipeline on one core, one word and what belongs to it each:
//   cycle 0 | ci x s1 (0, 0) | wi x (0, 0) | set z load | acc z | body (0,) | postyeet | co z s0 (8, 0) | wo z (8, 0)
inline std::string ShortText(const Event& event) {
  using Kind = Event::Kind;
  auto block = [&](const char* word) {
    return absl::StrCat(word, " ", event.place.operand, event.slot < 0 ? "" : absl::StrCat(" s", event.slot), " ",
                        event.start.ToString());
  };
  switch (event.kind) {
    case Kind::kCycle:
      return absl::StrCat("cycle ", event.place.cycle);
    case Kind::kCopyIn:
      return block("ci");
    case Kind::kWaitIn:
      return block("wi");
    case Kind::kCopyOut:
      return block("co");
    case Kind::kWaitOut:
      return block("wo");
    case Kind::kSetAccumulator:
      return absl::StrCat("set ", event.place.operand, event.amount == 1 ? " zero" : " load");
    case Kind::kAccumulate:
      return absl::StrCat("acc ", event.place.operand);
    case Kind::kBody:
      return absl::StrCat("body ", event.start.ToString());
    case Kind::kPostyeet:
      return "postyeet";
    default:
      return "";
  }
}

inline std::vector<std::string> ShortTrace(const Recorder& recorder, CoreId core = {}) {
  std::vector<std::string> lines;
  for (const Event& event : recorder.EventsOf(core)) {
    if (std::string text = ShortText(event); !text.empty()) lines.push_back(std::move(text));
  }
  return lines;
}

// Runs a kernel that must succeed on a simulator of its own, which picks eagerly, and tells what its pipelines did.
inline std::vector<std::string> TraceOf(const RefFunction& kernel, const Operands& operands, int cores = 1,
                                        CoreId core = {}) {
  Recorder recorder;
  // Also of schedules that race: what is told here is what happens, not whether it is right.
  Simulator simulator({.cores = cores, .check = false, .observer = &recorder});
  const RunReport report = simulator.Run(kernel, operands);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_EQ(simulator.held(), 0);
  return ShortTrace(recorder, core);
}

// What the report of a run on a simulator of its own says; for runs that fail.
inline RunReport Failing(const RefFunction& kernel, const Operands& operands, SimulatorOptions options = {}) {
  Simulator simulator(options);
  RunReport report = simulator.Run(kernel, operands);
  EXPECT_FALSE(report.ok()) << report;
  EXPECT_EQ(simulator.held(), 0);
  // It is usable again.
  EXPECT_TRUE(simulator.Run([](KernelContext&, Refs) {}, {}).ok());
  return report;
}

// The message of a run that was refused.
inline std::string RefusalText(const RefFunction& kernel, const Operands& operands, SimulatorOptions options = {}) {
  const RunReport report = Failing(kernel, operands, options);
  EXPECT_TRUE(report.faults.empty()) << report;
  return std::string(report.status.message());
}

// The only fault of a run that has one.
inline Fault FaultOf(const RefFunction& kernel, const Operands& operands, SimulatorOptions options = {}) {
  const RunReport report = Failing(kernel, operands, options);
  EXPECT_TRUE(report.status.ok()) << report;
  EXPECT_EQ(report.faults.size(), 1u) << report;
  return report.faults.empty() ? Fault() : report.faults[0];
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_PIPELINE_SUPPORT_H_
