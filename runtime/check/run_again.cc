#include "runtime/check/run_again.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace strandcore {

// The counters and the order of the repeated run. A transfer is complete as soon as it is started.
struct RunAgain::Machine {
  Machine(const RequestLog& of, const OrderRules& rules) : log(of), order(of.cores(), nullptr, rules) {
    for (int32_t core = 0; core < log.cores(); ++core) {
      for (int32_t i = 0; i < log.SemaphoresOf(core); ++i) {
        const LoggedSemaphore name = log.NameOf(core, i);
        const auto at = static_cast<size_t>(name);
        if (at >= ids.size()) ids.resize(at + 1, kNoSemaphore);
        values.resize(ids.size());
        values[at] = log.HeldAtFirst(name);
        ids[at] = order.AddSemaphore(core, values[at]);
      }
    }
  }
  SemaphoreUnits Pay(LoggedSemaphore semaphore, int64_t units) {
    if (semaphore == kNotLogged) return {};
    values[static_cast<size_t>(semaphore)] += units;
    return {ids[static_cast<size_t>(semaphore)], units};
  }
  const LoggedRequest* Next(int32_t core, int64_t number) const {
    const auto at = static_cast<size_t>(number);
    return at < log.CountOf(core) ? &log.Of(core, at) : nullptr;
  }

  const RequestLog& log;
  LaunchOrder order;
  std::vector<SemaphoreId> ids;
  std::vector<int64_t> values;
};

RunAgain::RunAgain(const RequestLog& log, const OrderRules& rules) : cores_(static_cast<size_t>(log.cores())) {
  Machine machine(log, rules);
  for (int32_t core = 0; core < log.cores(); ++core) {
    cores_[static_cast<size_t>(core)].ticks.push_back(machine.order.Access(core).value);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (int32_t core = 0; core < log.cores(); ++core) moved |= PostAll(machine, core);
    for (int32_t core = 0; core < log.cores() && !moved; ++core) moved = WaitOnce(machine, core);
  }
  for (int32_t core = 0; core < log.cores(); ++core) {
    STRANDCORE_CHECK(machine.Next(core, cores_[static_cast<size_t>(core)].next) == nullptr);
  }
}

bool RunAgain::PostAll(Machine& machine, int32_t core) {
  Core& self = cores_[static_cast<size_t>(core)];
  bool moved = false;
  while (const LoggedRequest* request = machine.Next(core, self.next)) {
    if (request->kind == LoggedRequest::Kind::kSignal) {
      const SemaphoreUnits paid = machine.Pay(request->semaphore, request->units);
      machine.order.Signal(core, paid.semaphore, paid.units);
    } else if (request->kind == LoggedRequest::Kind::kStart) {
      const SemaphoreUnits send = machine.Pay(request->semaphore, request->units);
      const SemaphoreUnits receive = machine.Pay(request->receive, request->receive_units);
      const StartedTransfer started = machine.order.Start(core, send, receive);
      self.transfers.push_back({self.next, started.read, started.written});
    } else {
      break;
    }
    ++self.next;
    self.ticks.push_back(machine.order.Access(core).value);
    moved = true;
  }
  return moved;
}

bool RunAgain::WaitOnce(Machine& machine, int32_t core) {
  Core& self = cores_[static_cast<size_t>(core)];
  const LoggedRequest* request = machine.Next(core, self.next);
  if (request == nullptr) return false;
  const auto semaphore = static_cast<size_t>(request->semaphore);
  if (machine.values[semaphore] < request->units) return false;
  const bool decrement = request->kind == LoggedRequest::Kind::kWait;
  if (decrement) machine.values[semaphore] -= request->units;
  machine.order.Wait(core, machine.ids[semaphore], request->units, decrement);
  ++self.next;
  NoteChanges(machine.order.ClockOf(core), self);
  self.ticks.push_back(machine.order.Access(core).value);
  return true;
}

void RunAgain::NoteChanges(const VectorClock& clock, Core& core) {
  if (core.changes.size() < clock.size()) core.changes.resize(clock.size());
  for (ClockEntry entry = 0; entry < clock.size(); ++entry) {
    if (core.clock.Raise(entry, clock.Get(entry))) core.changes[entry].push_back({core.next, clock.Get(entry)});
  }
}

AccessEpoch RunAgain::EpochOf(const AccessName& access) const {
  if (access.part == AccessName::Part::kCore) {
    const std::vector<uint64_t>& ticks = cores_[static_cast<size_t>(access.core)].ticks;
    return {static_cast<ClockEntry>(access.core), ticks[static_cast<size_t>(access.number)]};
  }
  const Transfer& transfer = TransferOf(access.number);
  return access.part == AccessName::Part::kTransferRead ? transfer.read : transfer.written;
}

int64_t RunAgain::KnownFrom(const AccessName& access, int32_t core) const {
  if (access.part == AccessName::Part::kCore && access.core == core) return access.number;
  const AccessEpoch epoch = EpochOf(access);
  const auto& changes = cores_[static_cast<size_t>(core)].changes;
  if (epoch.value == 0) return 0;
  if (epoch.entry >= changes.size()) return kNever;
  const auto& of_entry = changes[epoch.entry];
  const auto found = std::lower_bound(of_entry.begin(), of_entry.end(), epoch.value,
                                      [](const Change& change, uint64_t value) { return change.value < value; });
  return found == of_entry.end() ? kNever : found->number;
}

}  // namespace strandcore
