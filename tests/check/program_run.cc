#include "tests/check/program_run.h"

#include <algorithm>
#include <random>
#include <string>

#include "runtime/check/order.h"
#include "runtime/check/request_log.h"
#include "runtime/check/solve.h"

namespace strandcore {
namespace {

using Kind = OrderProgram::Operation::Kind;

struct MadeAccess {
  std::string text;
  int cell;
  bool write;
  int agent;  // a core, or after the cores a transfer
  AccessEpoch epoch;
  AccessName name;

  bool Conflicts(const MadeAccess& other) const {
    return cell == other.cell && (write || other.write) && agent != other.agent;
  }
};

// What can happen next: a core's operation, or a post of a transfer in flight.
struct Event {
  int core = -1;
  int transfer = -1;
  bool receive = false;
};

class Machine {
 public:
  Machine(const OrderProgram& program, uint64_t seed, const OrderRules& rules)
      : program_(program),
        rules_(rules),
        random_(seed),
        manner_(static_cast<int>(seed % 6)),
        log_(static_cast<int32_t>(program.cores.size()), 4096),
        order_(static_cast<int32_t>(program.cores.size()), &log_, rules),
        next_(program.cores.size(), 0),
        values_(program.owners.size(), 0) {
    for (const int owner : program.owners) ids_.push_back(order_.AddSemaphore(owner));
    for (size_t i = 0; i < program.cores.size() + program.transfers.size(); ++i) rank_.push_back(random_());
  }

  ProgramRun Run() {
    for (std::vector<Event> events = Possible(); !events.empty(); events = Possible()) Do(Pick(events));
    ProgramRun run;
    run.races_of_run = races_of_run_;
    run.late = order_.late();
    run.late_posts = order_.late_posts();
    run.verdict.left = values_;
    for (int core = 0; core < Cores(); ++core) {
      if (Next(core) != nullptr) run.verdict.blocked.emplace(core, next_[static_cast<size_t>(core)]);
    }
    SolvedOrder solved(log_, rules_);
    for (size_t i = 0; i < accesses_.size(); ++i) AddRacesWith(i, solved, run.verdict.races);
    run.passes = solved.stats().passes;
    for (size_t s = 0; s < ids_.size(); ++s) {
      if (order_.IsOpen(program_.owners[s], ids_[s])) run.open.push_back(static_cast<int>(s));
    }
    return run;
  }

 private:
  int Cores() const { return static_cast<int>(program_.cores.size()); }
  const OrderProgram::Operation* Next(int core) const {
    const auto& operations = program_.cores[static_cast<size_t>(core)];
    const size_t at = next_[static_cast<size_t>(core)];
    return at < operations.size() ? &operations[at] : nullptr;
  }
  int64_t& ValueOf(int semaphore) { return values_[static_cast<size_t>(semaphore)]; }
  SemaphoreId IdOf(int semaphore) const { return ids_[static_cast<size_t>(semaphore)]; }

  std::vector<Event> Possible() {
    std::vector<Event> events = in_flight_;
    for (int core = 0; core < Cores(); ++core) {
      const OrderProgram::Operation* next = Next(core);
      if (next == nullptr || (next->IsWait() && ValueOf(next->target) < next->units)) continue;
      events.push_back({core, -1, false});
    }
    return events;
  }

  // Evenly; transfers first, or last; waits first, or last; or by a fixed rank of the agents.
  uint64_t RankOf(const Event& event) {
    const bool transfer = event.core < 0;
    const bool wait = !transfer && Next(event.core)->IsWait();
    switch (manner_) {
      case 1:
        return transfer ? 0 : 1;
      case 2:
        return transfer ? 1 : 0;
      case 3:
        return wait ? 0 : 1;
      case 4:
        return wait ? 1 : 0;
      case 5:
        return rank_[static_cast<size_t>(transfer ? Cores() + event.transfer : event.core)];
      default:
        return 0;
    }
  }
  Event Pick(std::vector<Event> events) {
    std::shuffle(events.begin(), events.end(), random_);
    return *std::min_element(events.begin(), events.end(),
                             [&](const Event& a, const Event& b) { return RankOf(a) < RankOf(b); });
  }

  void Do(const Event& event) {
    if (event.core >= 0) return Step(event.core);
    const auto& transfer = program_.transfers[static_cast<size_t>(event.transfer)];
    ValueOf(event.receive ? transfer.receive : transfer.send) += transfer.units;
    std::erase_if(in_flight_, [&](const Event& other) {
      return other.transfer == event.transfer && other.receive == event.receive;
    });
  }

  void Step(int core) {
    const OrderProgram::Operation& operation = *Next(core);
    const size_t at = next_[static_cast<size_t>(core)]++;
    switch (operation.kind) {
      case Kind::kRead:
      case Kind::kWrite:
        return Made(core, {CoreAccessText(core, at), operation.target, operation.kind == Kind::kWrite, core,
                           order_.Access(core), AccessName::OfCore(core, order_.RequestsOf(core))});
      case Kind::kSignal:
        order_.Signal(core, IdOf(operation.target), operation.units);
        ValueOf(operation.target) += operation.units;
        return;
      case Kind::kWait:
      case Kind::kWaitWithoutDecrement:
        if (operation.kind == Kind::kWait) ValueOf(operation.target) -= operation.units;
        return order_.Wait(core, IdOf(operation.target), operation.units, operation.kind == Kind::kWait);
      case Kind::kStart:
        return StartTransfer(core, operation.target);
    }
  }

  void StartTransfer(int core, int number) {
    const auto& transfer = program_.transfers[static_cast<size_t>(number)];
    SemaphoreUnits receive;
    if (transfer.remote()) receive = {IdOf(transfer.receive), transfer.units};
    const StartedTransfer started = order_.Start(core, {IdOf(transfer.send), transfer.units}, receive);
    const int agent = Cores() + number;
    if (transfer.source >= 0) {
      Made(core, {TransferAccessText(number, false), transfer.source, false, agent, started.read,
                  AccessName::OfTransfer(started.serial, false)});
    }
    if (transfer.target >= 0) {
      Made(core, {TransferAccessText(number, true), transfer.target, true, agent, started.written,
                  AccessName::OfTransfer(started.serial, true)});
    }
    in_flight_.push_back({-1, number, false});
    if (transfer.remote()) in_flight_.push_back({-1, number, true});
  }

  void Made(int core, const MadeAccess& access) {
    for (const MadeAccess& earlier : accesses_) {
      if (!earlier.Conflicts(access) || order_.Ordered(earlier.epoch, core)) continue;
      races_of_run_.insert(SortedPair(earlier.text, access.text));
    }
    accesses_.push_back(access);
  }

  void AddRacesWith(size_t i, SolvedOrder& solved, std::set<RacePair>& races) {
    const MadeAccess& a = accesses_[i];
    for (size_t j = 0; j < i; ++j) {
      const MadeAccess& b = accesses_[j];
      if (!a.Conflicts(b) || solved.Ordered(a.name, b.name) || solved.Ordered(b.name, a.name)) continue;
      races.insert(SortedPair(a.text, b.text));
    }
  }

  const OrderProgram& program_;
  const OrderRules rules_;
  std::mt19937_64 random_;
  const int manner_;
  RequestLog log_;
  LaunchOrder order_;
  std::vector<SemaphoreId> ids_;
  std::vector<size_t> next_;
  std::vector<int64_t> values_;
  std::vector<Event> in_flight_;
  std::vector<uint64_t> rank_;
  std::vector<MadeAccess> accesses_;
  std::set<RacePair> races_of_run_;
};

}  // namespace

ProgramRun RunProgram(const OrderProgram& program, uint64_t seed, const OrderRules& rules) {
  return Machine(program, seed, rules).Run();
}

}  // namespace strandcore
