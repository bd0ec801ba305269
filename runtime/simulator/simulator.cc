#include "runtime/simulator/simulator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/check.h"
#include "runtime/base/refusal.h"
#include "runtime/check/checker.h"
#include "runtime/exec/deterministic_executor.h"
#include "runtime/exec/fiber.h"
#include "runtime/exec/threads_executor.h"
#include "runtime/simulator/checker_hook.h"
#include "runtime/simulator/deadlock.h"
#include "runtime/simulator/operand_memory.h"

namespace strandcore {
namespace {

constexpr int kMostCores = 16384;
constexpr int kMostThreads = 256;
constexpr int kMostOwnEngines = 16;  // when their number is not given
constexpr int kMostEngines = 1024;
constexpr int64_t kLeastStackBytes = 16 * 1024;
constexpr int64_t kMostStackBytes = int64_t{1} << 30;

absl::Status CheckRange(const char* option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Refuse("option ", option, ": expected ", least, " to ", most, ", given ", value);
}

absl::Status CheckOptions(const SimulatorOptions& options) {
  STRANDCORE_RETURN_IF_ERROR(CheckRange("cores", options.cores, 1, kMostCores));
  STRANDCORE_RETURN_IF_ERROR(CheckRange("engines", options.engines, 0, kMostEngines));
  STRANDCORE_RETURN_IF_ERROR(CheckRange("threads", options.threads, 0, kMostThreads));
  STRANDCORE_RETURN_IF_ERROR(CheckRange("stack_bytes", options.stack_bytes, kLeastStackBytes, kMostStackBytes));
  for (const auto& [name, bytes] :
       {std::pair("vmem_bytes", options.vmem_bytes), std::pair("smem_bytes", options.smem_bytes),
        std::pair("hbm_bytes", options.hbm_bytes), std::pair("step_limit", options.step_limit),
        std::pair("max_faults", int64_t{options.max_faults})}) {
    if (bytes < 0) return Refuse("option ", name, ": expected 0 or more, given ", bytes);
  }
  if (options.threads > 0 && options.policy.has_value()) {
    return Refuse("options threads and policy contradict each other: a policy (", options.policy->ToString(),
                  ") picks on one thread, given threads = ", options.threads);
  }
  if (options.threads == 0 && options.dma == DmaMode::kHelp) {
    return Refuse("options dma and policy contradict each other: the policy (",
                  options.policy.value_or(Policy::Eager()).ToString(),
                  ") picks when a copy goes on, so no core can help; expected threads > 0 with dma = kHelp, given 0");
  }
  return absl::OkStatus();
}

// The cause of a failure that is a fault of the emulated program; others are refusals.
std::optional<FaultKind> FaultKindOf(const Failure& failure) {
  if (failure.cause == Failure::Cause::kKernelError) return FaultKind::kKernelError;
  if (failure.cause == Failure::Cause::kStepLimit) return std::nullopt;
  if (failure.status.code() == absl::StatusCode::kOutOfRange) return FaultKind::kOutOfBounds;
  if (failure.status.code() == absl::StatusCode::kResourceExhausted) return FaultKind::kCapacity;
  // KernelContext::UseFromElsewhere.
  if (failure.status.code() == absl::StatusCode::kFailedPrecondition) return FaultKind::kUseAfterScope;
  return std::nullopt;
}

// What a run that stopped midway leaves behind is no fault of the program's.
bool StandsThoughStopped(FaultKind kind, bool comparable) {
  const bool seen_before = kind == FaultKind::kUninitialisedRead || kind == FaultKind::kRevisitedOutput;
  return kind == FaultKind::kRace || (comparable && seen_before);
}

// The first line of the message is the headline.
Fault FaultOf(FaultKind kind, const absl::Status& status) {
  std::vector<std::string> lines = absl::StrSplit(std::string(status.message()), '\n');
  Fault fault;
  fault.kind = kind;
  fault.headline = lines.front();
  fault.lines.assign(lines.begin() + 1, lines.end());
  return fault;
}

}  // namespace

Simulator::Simulator(const SimulatorOptions& options) : options_(options), status_(CheckOptions(options)) {
  if (status_.ok()) Build();
}

// Acquire pairs with the release at the end of Run: what the last run wrote, on whatever thread, is destroyed here.
Simulator::~Simulator() { STRANDCORE_CHECK(!running_.load(std::memory_order_acquire)); }

void Simulator::Build() {
  const ChipSpec& chip = SpecOf(options_.chip);
  auto or_chips = [](int64_t given, int64_t chips) { return given > 0 ? given : chips; };
  limits_ = {or_chips(options_.vmem_bytes, chip.vmem_bytes), or_chips(options_.smem_bytes, chip.smem_bytes)};
  hbm_bytes_ = or_chips(options_.hbm_bytes, chip.hbm_bytes);
  stacks_ = std::make_unique<StackPool>(static_cast<size_t>(options_.stack_bytes));
  if (options_.threads > 0) {
    executor_ = MakeThreadsExecutor(options_.threads);
  } else {
    executor_ = std::make_unique<DeterministicExecutor>(MakePickPolicy(options_.policy.value_or(Policy::Eager())));
  }
  const int engines = options_.engines > 0 ? options_.engines : std::min(2 * options_.cores, kMostOwnEngines);
  for (int i = 0; i < engines; ++i) engines_.push_back(std::make_unique<DmaEngine>(*executor_, i));
  for (int i = 0; i < options_.cores; ++i) {
    const CoreEngines own = {engines_[static_cast<size_t>(2 * i % engines)].get(),
                             engines_[static_cast<size_t>((2 * i + 1) % engines)].get()};
    cores_.push_back(std::make_unique<TensorCore>(CoreId{0, i}, options_.cores, chip, limits_, *executor_, own));
  }
}

RunReport Simulator::Run(const RefFunction& kernel, const Operands& operands) {
  RunReport report;
  report.cores = options_.cores;
  report.status = status_;
  if (!status_.ok()) return report;
  // Acquire pairs with the release below: a run sees all that the one before it left, on another thread of the host.
  if (running_.exchange(true, std::memory_order_acq_rel)) {
    report.status = absl::FailedPreconditionError("a run of this simulator is on: expected to be called after its end");
    return report;
  }
  {
    const ExceptionsSetAside set_aside;
    OperandMemory memory;
    LaunchState launch;
    std::optional<Checker> checker;
    if (options_.check) {
      CheckerRules rules = hook_ == nullptr ? CheckerRules() : hook_->rules();
      // What bodies that are not called would have read and written is not known.
      rules.definedness = rules.definedness && !options_.dry;
      checker.emplace(options_.cores, rules);
      launch.monitor = hook_ == nullptr ? &*checker : &hook_->MonitorFor(*checker);
    }
    report.status = Start(kernel, operands, memory, launch);
    if (report.status.ok()) {
      RunToTheEnd(launch, checker.has_value() ? &*checker : nullptr, report);
      if (checker.has_value()) {
        // A run that stopped hands nothing over.
        if (report.ok()) memory.TellHandOver(*launch.monitor);
        AddVerdict(*checker, report);
      }
      memory.CopyBack();
      if (options_.dry) memory.PoisonOutputs();
    }
    const bool failed = !report.ok();
    for (auto& core : cores_) {
      report.counters.Add(core->TakeCounters());
      core->Finish(failed);
    }
    report.printed = std::move(launch.printed());
  }
  if (report.status.code() == absl::StatusCode::kResourceExhausted) {
    report.faults.push_back(FaultOf(FaultKind::kCapacity, report.status));
    report.status = absl::OkStatus();
  }
  running_.store(false, std::memory_order_release);
  return report;
}

absl::Status Simulator::Start(const RefFunction& kernel, const Operands& operands, OperandMemory& memory,
                              LaunchState& launch) {
  if (!kernel) return Refuse("kernel: expected a function, given none");
  STRANDCORE_RETURN_IF_ERROR(kernel.CheckArity("kernel", operands.size()));
  STRANDCORE_RETURN_IF_ERROR(memory.LayOut(operands, hbm_bytes_, options_.fresh, cores_));
  if (launch.monitor != nullptr) memory.TellOf(*launch.monitor);
  launch.kernel = kernel;
  launch.observer = options_.observer;
  launch.dma = options_.dma;
  launch.dry = options_.dry;
  launch.hbm_allowed = options_.allow_hbm_access;
  launch.bounds = options_.bounds;
  launch.out_of_range_reads = options_.out_of_range_reads;
  launch.fresh = options_.fresh;
  launch.step_limit = options_.step_limit;
  launch.writable = memory.Writable();
  executor_->Restart();
  const std::vector<std::string> names = memory.Names();
  absl::Status status;
  for (size_t i = 0; i < cores_.size() && status.ok(); ++i) {
    status = cores_[i]->Launch(launch, memory.RefsFor(i, cores_[i]->context()), names, *stacks_);
  }
  // Only now: a launch that is refused leaves the host's arrays as they were.
  if (status.ok()) status = memory.RefreshOutputs();
  if (!status.ok()) {
    for (auto& core : cores_) core->DropUnstarted();
  }
  return status;
}

void Simulator::RunToTheEnd(LaunchState& launch, const Checker* checker, RunReport& report) {
  for (auto& core : cores_) core->Post();
  executor_->RunUntilQuiet();
  std::vector<TensorCore*> waiting;
  for (auto& core : cores_) {
    if (core->state() == TensorCore::State::kWaiting) waiting.push_back(core.get());
  }
  const bool failed = launch.stopping();
  if (!failed && !waiting.empty()) report.faults.push_back(DeadlockFault(waiting, checker));
  UnwindWaiting();
  if (failed) ReportFailure(launch, report);
}

void Simulator::AddVerdict(Checker& checker, RunReport& report) const {
  const bool whole = report.ok();
  // How far each core came in a run that stopped: by a deadlock, as far as it can, else by chance where there are
  // several.
  const bool deadlock = !report.faults.empty() && report.faults.front().kind == FaultKind::kDeadlock;
  const bool comparable = whole || deadlock || (options_.cores == 1 && report.status.ok());
  Verdict verdict = checker.Finish();
  int64_t kept = 0;
  for (Fault& fault : verdict.faults) {
    if (!whole && !StandsThoughStopped(fault.kind, comparable)) continue;
    if (options_.max_faults == 0 || kept++ < options_.max_faults) {
      report.faults.push_back(std::move(fault));
    } else if (!report.left_out.empty() && report.left_out.back().kind == fault.kind) {
      ++report.left_out.back().faults;
    } else {
      report.left_out.push_back({fault.kind, 1});
    }
  }
  report.more_faults = verdict.more_faults;
  report.notes = std::move(verdict.notes);
  const auto most = static_cast<size_t>(options_.max_faults);
  if (most != 0 && report.notes.size() > most) {
    report.notes_left_out = static_cast<int64_t>(report.notes.size() - most);
    report.notes.resize(most);
  }
  report.proved = verdict.proved && whole;
  if (!report.proved) report.why_not_proved = whole ? verdict.why_not_proved : "the run did not come to its end";
}

void Simulator::UnwindWaiting() {
  for (;;) {
    bool any = false;
    for (auto& core : cores_) {
      if (core->state() != TensorCore::State::kWaiting) continue;
      core->Cancel();
      core->Post();
      any = true;
    }
    if (!any) break;
    executor_->RunUntilQuiet();
  }
  for (auto& core : cores_) STRANDCORE_CHECK(core->state() == TensorCore::State::kEnded);
}

void Simulator::ReportFailure(LaunchState& launch, RunReport& report) const {
  const Failure& failure = *launch.first_failure();
  const std::optional<FaultKind> kind = FaultKindOf(failure);
  if (!kind.has_value()) {
    const absl::Status& given = failure.status;
    report.status =
        absl::Status(given.code(), absl::StrCat(std::string(given.message()), " (", failure.place.ToString(), ")"));
    if (failure.cause == Failure::Cause::kStepLimit) report.status = StillRunning(report.status);
    given.ForEachPayload([&](const auto& url, const absl::Cord& payload) { report.status.SetPayload(url, payload); });
    return;
  }
  Fault fault = FaultOf(*kind, failure.status);
  std::string where = "at " + failure.place.ToString();
  if (failure.after.known()) absl::StrAppend(&where, ", after its request at ", failure.after.ToString());
  fault.lines.push_back(std::move(where));
  fault.places.push_back(failure.place);
  report.faults.push_back(std::move(fault));
}

// Names the cores that had not ended when the step limit was reached.
absl::Status Simulator::StillRunning(const absl::Status& status) const {
  std::string text(status.message());
  for (const auto& core : cores_) {
    if (const std::optional<Place>& place = core->unwound_at(); place.has_value()) {
      absl::StrAppend(&text, "\n  still running: ", place->ToString());
    }
  }
  return absl::Status(status.code(), text);
}

int64_t Simulator::held() const {
  int64_t held = stacks_ == nullptr ? 0 : stacks_->in_use();
  for (const auto& core : cores_) held += core->held();
  return held;
}

}  // namespace strandcore
