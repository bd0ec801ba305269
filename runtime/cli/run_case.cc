#include "runtime/cli/run_case.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/cli/case_body.h"
#include "runtime/memory/array.h"
#include "runtime/pipeline/emit_pipeline.h"
#include "runtime/simulator/checker_hook.h"
#include "runtime/simulator/simulator.h"
#include "runtime/trace/recorder.h"

namespace strandcore {
namespace {

// As in the golden files; no expected value depends on the padding's.
constexpr double kOldOutput = 5;
constexpr double kPadding = 777;

std::vector<Array> MakeArrays(const Case& given) {
  std::vector<Array> arrays;
  for (size_t k = 0; k < given.refs.size(); ++k) {
    const CaseRef& ref = given.refs[k];
    arrays.push_back(Array(ref.dtype, ref.shape));
    if (ref.kind == BufferType::kInput) {
      arrays.back().Generate(
          [k](int64_t flat) { return static_cast<double>(flat * static_cast<int64_t>(k + 3) % 61); });
    } else {
      arrays.back().Fill(kOldOutput);
    }
    arrays.back().FillPadding(kPadding);
  }
  return arrays;
}

Operands MakeOperands(const Case& given, std::vector<Array>& arrays) {
  Operands operands;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const MemorySpace space = given.refs[k].vmem ? MemorySpace::kVmem : MemorySpace::kHbm;
    const std::string name = absl::StrCat("ref ", k);
    operands.push_back(given.refs[k].kind == BufferType::kInput ? In(name, arrays[k], space)
                                                                : InOut(name, arrays[k], space));
  }
  return operands;
}

PipelineOptions MakePipeline(const Case& given, size_t& inputs) {
  PipelineOptions options;
  options.grid = given.grid;
  std::vector<bool> accumulate;
  inputs = 0;
  for (const CaseRef& ref : given.refs) {
    BlockSpec spec(
        ref.block, [map = ref.map](const GridIndex& point) { return Evaluate(map, point); },
        ref.vmem ? MemorySpace::kVmem : MemorySpace::kAny);
    if (ref.kind == BufferType::kInput) {
      options.in_specs.push_back(std::move(spec));
      ++inputs;
    } else {
      options.out_specs.push_back(std::move(spec));
      accumulate.push_back(ref.kind == BufferType::kAccumulator);
    }
  }
  options.should_accumulate_out = AccumulateFlags(accumulate);
  if (given.cores.has_value()) options.core_axis = 0;
  options.dimension_semantics = given.semantics;
  return options;
}

std::vector<std::optional<Schedule>> MakeSchedules(const Case& given, const CaseRunOptions& options) {
  std::vector<std::optional<Schedule>> schedules;
  for (const CaseRef& ref : given.refs) {
    const Schedule& schedule = ref.fixed ? Schedule::Fixed() : Schedule::Default();
    schedules.push_back(options.alter_schedule ? options.alter_schedule(schedule) : schedule);
  }
  return schedules;
}

PipelineCallback MakePrefetch(const Case& given, size_t cycle, Refs args, const Schedules& schedules) {
  const bool next_inits = cycle + 1 < given.cycles.size() && given.cycles[cycle + 1].init;
  const bool surplus = given.cycles[cycle].surplus;
  return [=](BufferedRefs refs, Scheduler& scheduler) {
    for (size_t i = 0; i < refs.size(); ++i) {
      if (!refs[i].is_input() || (refs[i].is_accumulator() && next_inits && !surplus)) continue;
      scheduler.Prefetch(refs[i], args[i], schedules.Of(i));
    }
  };
}

void RunCycles(const Case& given, const Pipeline& pipeline, const Schedules& schedules, KernelContext& core,
               Refs args) {
  if (given.cycles.empty()) return pipeline(core, args, {.schedule = schedules});
  Allocations allocations = pipeline.MakeAllocations(core, args);
  for (size_t i = 0; i < given.cycles.size(); ++i) {
    const CaseCycle& cycle = given.cycles[i];
    Invocation invocation;
    invocation.allocations = &allocations;
    invocation.first_cycle = cycle.first;
    invocation.last_cycle = cycle.last;
    invocation.init_accumulators = cycle.init;
    invocation.schedule = schedules;
    if (cycle.prefetch) invocation.prefetch = MakePrefetch(given, i, args, schedules);
    if (cycle.postyeet) invocation.postyeet = [](BufferedRefs, Scheduler&) {};
    pipeline(core, args, invocation);
  }
}

Json DimsJson(const Dims& dims) { return Json(std::vector<int64_t>(dims.begin(), dims.end())); }

// The event as an entry of a trace; null for kinds that a trace does not hold.
Json TraceEntry(const Event& event, bool cycles) {
  const int32_t ref = event.place.pipeline_operand;
  switch (event.kind) {
    case Event::Kind::kCopyIn:
      return {"ci", ref, event.slot, DimsJson(event.start), DimsJson(event.size)};
    case Event::Kind::kWaitIn:
      return {"wi", ref, DimsJson(event.start), DimsJson(event.size)};
    case Event::Kind::kCopyOut:
      return {"co", ref, event.slot, DimsJson(event.start), DimsJson(event.size)};
    case Event::Kind::kWaitOut:
      return {"wo", ref, DimsJson(event.start), DimsJson(event.size)};
    case Event::Kind::kSetAccumulator:
      return {"set", ref, event.amount};
    case Event::Kind::kAccumulate:
      return {"acc", ref};
    case Event::Kind::kBody:
      return {"body", DimsJson(event.start), DimsJson(event.size)};
    case Event::Kind::kPostyeet:
      return Json::array({"postyeet"});
    case Event::Kind::kCycle:
      return cycles ? Json{"cycle", event.amount} : Json();
    default:
      return Json();
  }
}

Json Trace(const Case& given, const Recorder& recorder) {
  Json trace = Json::array();
  for (int c = 0; c < given.cores.value_or(1); ++c) {
    if (given.cores.has_value()) trace.push_back({"core", c});
    for (const Event& event : recorder.EventsOf({0, c})) {
      Json entry = TraceEntry(event, !given.cycles.empty());
      if (!entry.is_null()) trace.push_back(std::move(entry));
    }
  }
  return trace;
}

Json Checksums(const Case& given, const std::vector<Array>& arrays) {
  Json sums = Json::array();
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (given.refs[k].kind == BufferType::kInput) continue;
    double sum = 0;
    arrays[k].ForEach([&](int64_t flat, double value) { sum += value * static_cast<double>(flat % 1009 + 1); });
    sums.push_back(sum);
  }
  return sums;
}

bool IsBetweenCores(const Fault& fault) {
  return fault.kind == FaultKind::kRace && fault.places[0].core != fault.places[1].core;
}

// The kinds of what one core alone does wrong, sorted, each once (golden/README.md).
Json Hazards(const RunReport& report) {
  std::set<std::string> kinds;
  for (const Fault& fault : report.faults) {
    if (fault.kind == FaultKind::kTransferInFlightAtExit) kinds.insert(FaultName(fault.kind));
    if (fault.kind != FaultKind::kRace || IsBetweenCores(fault)) continue;
    kinds.insert(absl::StrCat(AccessKindName(fault.accesses[0]), "/", AccessKindName(fault.accesses[1])));
  }
  for (const Note& note : report.notes) {
    if (note.kind == NoteKind::kAmbiguousWait) kinds.insert(NoteName(note.kind));
  }
  return Json(std::vector<std::string>(kinds.begin(), kinds.end()));
}

Json Result(const Case& given, const RunReport& report, const Recorder& recorder, const std::vector<Array>& arrays) {
  Json result;
  result["name"] = given.name;
  if (const RefusalKind kind = RefusalKindOf(report.status); kind != RefusalKind::kOther) {
    result["error"] = RefusalName(kind);
    return result;
  }
  if (!report.status.ok()) {
    result["error"] = std::string(report.status.message());
    return result;
  }
  const Fault* stopped = nullptr;
  for (const Fault& fault : report.faults) {
    if (stopped == nullptr && StopsTheRun(fault.kind)) stopped = &fault;
  }
  if (stopped != nullptr && stopped->kind != FaultKind::kDeadlock) {
    result["error"] = stopped->ToString();
    return result;
  }
  result["trace"] = Trace(given, recorder);
  if (stopped != nullptr) {
    result["deadlock"] = stopped->ToString();
    return result;
  }
  result["outputs"] = Checksums(given, arrays);
  result["hazards"] = Hazards(report);
  result["cross_core"] = std::any_of(report.faults.begin(), report.faults.end(), IsBetweenCores);
  return result;
}

}  // namespace

absl::StatusOr<Json> RunCase(const Case& given, const CaseRunOptions& options) {
  Recorder recorder;
  SimulatorOptions machine;
  machine.cores = given.cores.value_or(1);
  machine.threads = options.threads;
  if (options.threads == 0) machine.policy = options.policy;
  machine.observer = &recorder;
  machine.check = true;
  machine.max_faults = 0;
  Simulator simulator(machine);
  if (!simulator.status().ok()) return simulator.status();
  if (options.checker_hook != nullptr) options.checker_hook->AttachTo(simulator);

  std::vector<Array> arrays = MakeArrays(given);
  size_t inputs = 0;
  PipelineOptions pipeline_options = MakePipeline(given, inputs);
  const int grid_rank = static_cast<int>(given.grid.size());
  RefFunction body = [inputs, grid_rank](KernelContext& core, Refs windows) {
    RunCaseBody(core, windows, inputs, grid_rank);
  };
  RunReport report;
  absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(pipeline_options));
  if (!pipeline.ok()) {
    report.status = pipeline.status();
  } else {
    const Schedules schedules(MakeSchedules(given, options));
    report = simulator.Run([&](KernelContext& core, Refs args) { RunCycles(given, *pipeline, schedules, core, args); },
                           MakeOperands(given, arrays));
  }
  return Result(given, report, recorder, arrays);
}

}  // namespace strandcore
