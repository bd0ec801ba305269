#include "runtime/core/kernel_context.h"

#include <exception>
#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/bounds.h"
#include "runtime/memory/footprint.h"

namespace strandcore {

int64_t KernelContext::ProgramId(int axis) const {
  const GridEnv& env = *envs_.back();
  if (axis < 0 || axis >= env.ids.size()) {
    throw Stop{Refuse("ProgramId: expected an axis of a grid of rank ", env.ids.size(), ", given ", axis)};
  }
  return env.ids[axis];
}

int64_t KernelContext::NumPrograms(int axis) const {
  const GridEnv& env = *envs_.back();
  if (axis < 0 || axis >= env.sizes.size()) {
    throw Stop{Refuse("NumPrograms: expected an axis of a grid of rank ", env.sizes.size(), ", given ", axis)};
  }
  return env.sizes[axis];
}

std::pair<const GridEnv*, int> KernelContext::AxisOf(const char* call, const std::string& name) const {
  std::string known;
  for (auto env = envs_.rbegin(); env != envs_.rend(); ++env) {
    if ((*env)->names == nullptr) continue;
    for (size_t axis = 0; axis < (*env)->names->size(); ++axis) {
      if ((*(*env)->names)[axis] == name) return {*env, static_cast<int>(axis)};
      absl::StrAppend(&known, known.empty() ? "" : ", ", (*(*env)->names)[axis]);
    }
  }
  throw Stop{Refuse(call, ": expected the name of a grid axis (", known, "), given \"", name, "\"")};
}

int64_t KernelContext::ProgramId(const std::string& axis) const {
  const auto [env, position] = AxisOf("ProgramId", axis);
  return env->ids[position];
}

int64_t KernelContext::NumPrograms(const std::string& axis) const {
  const auto [env, position] = AxisOf("NumPrograms", axis);
  return env->sizes[position];
}

Ref KernelContext::Filled(const Ref& window) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (const std::optional<Ref> part = (*frame)->windows->FilledPart(window); part.has_value()) return *part;
  }
  return window;
}

void KernelContext::RefuseUnless(bool condition, const char* call, const SemaphoreRef& semaphore,
                                 const char* expected) {
  if (condition) return;
  if (!semaphore.valid()) throw Stop{Refuse(call, ": expected ", expected, ", given no semaphore")};
  throw Stop{Refuse(call, ": expected ", expected, ", given ", SemaphoreKindName(semaphore.kind()), " semaphore ",
                    semaphore.Name(), " of shape ", semaphore.shape().ToString(), " of core ", semaphore.owner().core)};
}

void KernelContext::CheckCopy(const Ref& source, const Ref& target, const SemaphoreRef& done) {
  if (source.allocation() == nullptr || target.allocation() == nullptr) {
    throw Stop{Refuse("copy: expected a source and a target, given an empty view")};
  }
  if (source.shape() != target.shape()) {
    throw Stop{Refuse("copy from ", source.Describe(), " to ", target.Describe(), ": expected equal shapes")};
  }
  if (source.dtype() != target.dtype()) {
    throw Stop{Refuse("copy from ", source.Describe(), " to ", target.Describe(), ": expected equal element types")};
  }
  RefuseReadOnly(target);
  UseFromElsewhere(source, target, SemaphoreRef());
  if (source.dtype() == DType::kBool) {
    throw Stop{Refuse("copy from ", source.Describe(), ": a copy cannot move bool; use int8")};
  }
  CheckUse(source, AccessMode::kRead);
  CheckUse(target, AccessMode::kWrite);
  const bool too_early = done.valid() && done.kind() == SemaphoreKind::kRegular && !CountsOnRegular();
  RefuseUnless(MayCount(done) && done.owner() == id_, "copy", done,
               too_early ? "one DMA semaphore of the copying core (chips from v6e on count copies on regular ones too)"
                         : "one DMA semaphore of the copying core");
}

// Whether copies can be counted on it. From generation 6 on also on a regular semaphore (primitives.md 2.1).
bool KernelContext::MayCount(const SemaphoreRef& semaphore) const {
  return semaphore.valid() && semaphore.rank() == 0 && (semaphore.kind() == SemaphoreKind::kDma || CountsOnRegular());
}

void KernelContext::UseFromElsewhere(const Ref& source, const Ref& target, const SemaphoreRef& receive) const {
  for (const Ref* side : {&source, &target}) {
    const Allocation& memory = *side->allocation();
    if (memory.space() == MemorySpace::kHbm || memory.owner() == id_ || memory.lifetime().Use()) continue;
    throw Stop{absl::FailedPreconditionError(
        absl::StrCat("a copy of core ", id_.core, " would ", side == &source ? "read " : "fill ", memory.name(),
                     " of core ", memory.owner().core, ", whose scope has ended"))};
  }
  if (!receive.valid() || receive.array()->lifetime().Use()) return;
  throw Stop{absl::FailedPreconditionError(absl::StrCat("a copy of core ", id_.core, " would pay ", receive.Name(),
                                                        " of core ", receive.owner().core, ", whose scope has ended"))};
}

void KernelContext::RefuseReadOnly(const Ref& target) const {
  const OperandId operand = target.allocation()->operand();
  if (operand == kNoOperand || (*writable_)[static_cast<size_t>(operand)]) return;
  throw Stop{Refuse("copy into operand ", target.name(),
                    ": expected an operand given with Out or InOut, it was given with In")};
}

AsyncCopy KernelContext::MakeAsyncCopy(const Ref& source, const Ref& target, SemaphoreRef done, Site site) {
  StopAt(site, [&] { CheckCopy(source, target, done); });
  return AsyncCopy(*this, source, target, done);
}

AsyncCopy KernelContext::MakeAsyncRemoteCopy(const Ref& source, const Ref& target, SemaphoreRef send,
                                             SemaphoreRef receive, Site site) {
  StopAt(site, [&] {
    CheckCopy(source, target, send);
    RefuseUnless(MayCount(receive) && receive.kind() == send.kind(), "remote copy", receive,
                 send.kind() == SemaphoreKind::kDma ? "one DMA semaphore to be paid on arrival"
                                                    : "one regular semaphore, as the sender's, to be paid on arrival");
    UseFromElsewhere(source, target, receive);
  });
  return AsyncCopy(*this, source, target, send, receive);
}

void KernelContext::SyncCopy(const Ref& source, const Ref& target, Site site) {
  RunScoped(
      [&](SemaphoreRef done) {
        AsyncCopy copy = MakeAsyncCopy(source, target, done, site);
        copy.Start(site);
        copy.Wait(site);
      },
      ScopedSemaphore{SemaphoreKind::kDma, {}, "sync_copy", site, /*handed_out=*/false});
}

void AsyncCopy::Start(Site site) const {
  StopAt(site, [&] { core_->UseFromElsewhere(source_, target_, receive_); });
  core_->StartCopy(
      [this](Transfer::Request& copy) {
        copy = {source_, target_, done_.one(), receive_.valid() ? receive_.one() : OneSemaphore()};
      },
      site);
}

void AsyncCopy::Wait(Site site) const {
  RefuseToWaitOnRegular(done_, site);
  core_->WaitForBytes(done_, target_.bytes(), site);
}

void AsyncCopy::RefuseToWaitOnRegular(const SemaphoreRef& semaphore, Site site) {
  if (semaphore.kind() == SemaphoreKind::kDma) return;
  StopAt(site, [&] {
    StopUnlessOk(Refuse("Wait of a copy: expected a copy on a DMA semaphore, given one on regular semaphore ",
                        semaphore.Name(), ", which holds 1 a copy: wait for it by KernelContext::Wait"));
  });
}

void AsyncCopy::WaitReceived(KernelContext& core, Site site) const {
  if (!receive_.valid() || receive_.owner() != core.id()) {
    StopAt(site, [] {
      StopUnlessOk(Refuse("WaitReceived: expected a remote copy that pays a semaphore of the waiting core"));
    });
  }
  RefuseToWaitOnRegular(receive_, site);
  core.WaitForBytes(receive_, target_.bytes(), site);
}

void KernelContext::CheckUnits(const char* call, const SemaphoreRef& semaphore, int64_t units) {
  if (units >= 0 && units <= std::numeric_limits<int32_t>::max()) return;
  throw Stop{Refuse(call, " of ", semaphore.Name(), ": expected 0 to 2147483647 units, given ", units)};
}

void KernelContext::Signal(SemaphoreRef semaphore, int64_t units, Site site) {
  StopAt(site, [&] {
    RefuseUnless(semaphore.valid() && semaphore.kind() == SemaphoreKind::kRegular && semaphore.rank() == 0, "Signal",
                 semaphore, "one regular semaphore");
    CheckUnits("Signal", semaphore, units);
  });
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kSignal;
        request.site = site;
        request.semaphore.Set(semaphore.one());
        request.amount = units;
      },
      [](Request&) {});
}

void KernelContext::Wait(SemaphoreRef semaphore, int64_t units, Site site) {
  StopAt(site, [&] {
    RefuseUnless(semaphore.valid() && semaphore.kind() == SemaphoreKind::kRegular && semaphore.rank() == 0 &&
                     semaphore.owner() == id_,
                 "Wait", semaphore,
                 "one regular semaphore of the waiting core (a copy is waited for by AsyncCopy::Wait)");
    CheckUnits("Wait", semaphore, units);
  });
  WaitFor(semaphore, units, /*subtract=*/true, site);
}

void KernelContext::WaitUntil(SemaphoreRef semaphore, int64_t units, Site site) {
  StopAt(site, [&] {
    RefuseUnless(semaphore.valid() && semaphore.kind() == SemaphoreKind::kRegular && semaphore.rank() == 0 &&
                     semaphore.owner() == id_,
                 "WaitUntil", semaphore, "one regular semaphore of the waiting core");
    CheckUnits("WaitUntil", semaphore, units);
  });
  WaitFor(semaphore, units, /*subtract=*/false, site);
}

int64_t KernelContext::ReadSemaphore(SemaphoreRef semaphore, Site site) {
  StopAt(site, [&] {
    RefuseUnless(semaphore.valid() && semaphore.rank() == 0 && semaphore.owner() == id_, "ReadSemaphore", semaphore,
                 "one semaphore of the reading core");
  });
  int64_t held = 0;
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kRead;
        request.site = site;
        request.semaphore.Set(semaphore.one());
      },
      [&](Request& request) { held = request.amount; });
  return held;
}

void KernelContext::Delay(int64_t turns, Site site) {
  if (turns < 0) {
    StopAt(site, [&] { StopUnlessOk(Refuse("Delay: expected 0 or more turns, given ", turns)); });
  }
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kDelay;
        request.site = site;
        request.amount = turns;
      },
      [](Request&) {});
}

void KernelContext::Print(std::string text, Site site) {
  std::string line = absl::StrCat(Where(site).ToString(), ": ", text);
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kPrint;
        request.site = site;
        request.text = std::move(line);
      },
      [](Request&) {});
}

void KernelContext::Check(bool condition, const std::string& text, Site site) {
  if (!condition) throw CheckFailure{absl::StrCat("Check failed at ", site.ToString(), ": ", text)};
}

void KernelContext::WaitForBytes(const SemaphoreRef& done, int64_t bytes, Site site) {
  WaitFor(done, bytes, /*subtract=*/true, site);
}

void KernelContext::WaitFor(const SemaphoreRef& semaphore, int64_t units, bool subtract, Site site) {
  Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kWait;
        request.site = site;
        request.semaphore.Set(semaphore.one());
        request.amount = units;
        request.subtract = subtract;
      },
      [](Request&) {});
}

void KernelContext::Unwind() {
  // A request made by a destructor while the kernel is unwound already must not throw again.
  if (std::uncaught_exceptions() > 0) return;
  if (!unwound_at_.has_value()) unwound_at_ = Where(request_.site);
  throw Unwound{};
}

void KernelContext::NoteThrow() {
  if (std::current_exception() == thrown_) return;
  thrown_ = std::current_exception();
  // No site: what the kernel last asked for is not where it threw.
  thrown_at_ = Where(Site{});
}

Place KernelContext::ThrownAt() const { return std::current_exception() == thrown_ ? thrown_at_ : Where(Site{}); }

Place KernelContext::Where(Site site) const {
  Place place;
  place.core = id_;
  place.site = site;
  if (frames_.empty()) return place;
  const PipelineFrame& frame = *frames_.back();
  if (!site.known()) place.site = frame.site;
  place.in_pipeline = true;
  place.phase = frame.phase;
  place.cycle = frame.cycle;
  if (frame.grid_point != nullptr) place.grid_point = *frame.grid_point;
  place.pipeline_operand = frame.operand;
  if (frame.operand_name != nullptr) place.operand = *frame.operand_name;
  return place;
}

void KernelContext::Emit(Event event) {
  event.place = Where(event.place.site);
  // Handed over with the next request: between two requests nothing of this core is ordered with anybody else.
  HiddenFromSanitizer hidden;
  events_.push_back(std::move(event));
}

Stamp KernelContext::StampOf(Site site) const {
  Stamp stamp;
  stamp.site = site;
  if (frames_.empty()) return stamp;
  const PipelineFrame& frame = *frames_.back();
  if (!site.known()) stamp.site = frame.site;
  stamp.grid = frame.grid;
  stamp.step = frame.step;
  stamp.cycle = frame.cycle;
  stamp.operand = frame.operand;
  stamp.phase = frame.phase;
  return stamp;
}

const GridInfo* KernelContext::KeepGrid(const Dims& sizes, const Dims& offsets) {
  const GridInfo wanted{sizes, offsets};
  for (const GridInfo& grid : grids_) {
    if (grid == wanted) return &grid;
  }
  grids_.push_back(wanted);
  return &grids_.back();
}

void KernelContext::OnAccess(const Ref& part, AccessMode mode, Site site) {
  if (monitor_ != nullptr) {
    Tell([&](Monitor& monitor) {
      const Stamp stamp = StampOf(site);
      if (mode != AccessMode::kWrite) monitor.OnRead(id_.core, part, stamp);
      if (mode != AccessMode::kRead) monitor.OnWrite(id_.core, part, stamp);
    });
  }
  if (emits_) EmitAccess(part, mode, site);
}

void KernelContext::TellBlockLeft(const Dims& block, int64_t number, int64_t first_step) const {
  Tell([&](Monitor& monitor) {
    BlockVisit visit;
    visit.invocation = frames_.back()->invocation;
    visit.depth = static_cast<int32_t>(frames_.size()) - 1;
    visit.first_step = first_step;
    visit.number = number;
    visit.block = &block;
    visit.operand = frames_.back()->operand_name;
    monitor.OnBlockLeft(id_.core, visit, StampOf(Site{}));
  });
}

void KernelContext::TellIndexChange(const Dims& was, const Stamp& started, const Dims& is) const {
  Tell([&](Monitor& monitor) {
    IndexChange change;
    change.operand = frames_.back()->operand_name;
    change.was = &was;
    change.is = &is;
    change.started = &started;
    monitor.OnIndexChange(id_.core, change, StampOf(Site{}));
  });
}

void KernelContext::EmitAccess(const Ref& part, AccessMode mode, Site site) {
  for (Event::Kind kind : {Event::Kind::kRead, Event::Kind::kWrite}) {
    if (mode == (kind == Event::Kind::kRead ? AccessMode::kWrite : AccessMode::kRead)) continue;
    Event event;
    event.kind = kind;
    event.place.site = site;
    event.start = BaseStarts(part);
    event.size = part.shape();
    if (part.reaches_out()) MemoryExtent(part, &event.size);
    Emit(std::move(event));
    HiddenFromSanitizer hidden;
    events_.back().place.operand = part.name();
  }
}

}  // namespace strandcore
