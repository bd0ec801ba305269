#include "tests/check/search.h"

#include <stdexcept>
#include <unordered_set>

namespace strandcore {
namespace {

using Kind = OrderProgram::Operation::Kind;

// Where a transfer is. Only a remote one sends its two posts apart, in either order once its source is read.
//
//   local    waiting ── start ──► started ──► done
//   remote   waiting ── start ──► started ──► read ──┬──► sent ──────┬──► done
//                                                    └──► received ──┘
enum Phase : char { kWaiting, kStarted, kRead, kSent, kReceived, kDone };

struct State {
  std::string places;  // each core's next operation, then each transfer's phase: tells states apart
  std::vector<int64_t> values;
};

class Search {
 public:
  explicit Search(const OrderProgram& program) : program_(program), cores_(program.cores.size()) {}

  std::optional<OrderVerdict> Run(size_t limit) {
    Reach({std::string(cores_ + program_.transfers.size(), '\0'), std::vector<int64_t>(program_.owners.size(), 0)});
    while (!to_do_.empty()) {
      if (seen_.size() > limit) return std::nullopt;
      const State state = std::move(to_do_.back());
      to_do_.pop_back();
      AddRaces(state);
      AddUnfinished(state);
      bool moved = false;
      for (size_t core = 0; core < cores_; ++core) moved |= StepCore(state, core);
      for (size_t transfer = 0; transfer < program_.transfers.size(); ++transfer)
        moved |= StepTransfer(state, transfer);
      if (!moved) End(state);
    }
    return verdict_;
  }

 private:
  struct InProgress {
    std::string text;
    int cell;
    bool write;
    size_t agent;
  };

  const OrderProgram::Operation* Next(const State& state, size_t core) const {
    const auto at = static_cast<size_t>(state.places[core]);
    return at < program_.cores[core].size() ? &program_.cores[core][at] : nullptr;
  }
  void Reach(State state) {
    if (seen_.insert(state.places).second) to_do_.push_back(std::move(state));
  }

  bool StepCore(const State& state, size_t core) {
    const OrderProgram::Operation* next = Next(state, core);
    if (next == nullptr) return false;
    const auto target = static_cast<size_t>(next->target);
    if (next->IsWait() && state.values[target] < next->units) return false;
    State after = state;
    ++after.places[core];
    if (next->kind == Kind::kWait) after.values[target] -= next->units;
    if (next->kind == Kind::kSignal) after.values[target] += next->units;
    if (next->kind == Kind::kStart) after.places[cores_ + target] = kStarted;
    Reach(std::move(after));
    return true;
  }

  bool StepTransfer(const State& state, size_t number) {
    const OrderProgram::Transfer& transfer = program_.transfers[number];
    const auto go = [&](Phase phase, int paid) {
      State after = state;
      after.places[cores_ + number] = phase;
      if (paid >= 0) after.values[static_cast<size_t>(paid)] += transfer.units;
      Reach(std::move(after));
      return true;
    };
    switch (state.places[cores_ + number]) {
      case kStarted:
        return transfer.remote() ? go(kRead, -1) : go(kDone, transfer.send);
      case kRead:
        return go(kSent, transfer.send) && go(kReceived, transfer.receive);
      case kSent:
        return go(kDone, transfer.receive);
      case kReceived:
        return go(kDone, transfer.send);
      default:
        return false;
    }
  }

  std::vector<InProgress> AccessesInProgress(const State& state) const {
    std::vector<InProgress> accesses;
    for (size_t core = 0; core < cores_; ++core) {
      const OrderProgram::Operation* next = Next(state, core);
      if (next == nullptr || !next->IsAccess()) continue;
      const auto at = static_cast<size_t>(state.places[core]);
      accesses.push_back({CoreAccessText(static_cast<int>(core), at), next->target, next->kind == Kind::kWrite, core});
    }
    for (size_t i = 0; i < program_.transfers.size(); ++i) {
      const OrderProgram::Transfer& transfer = program_.transfers[i];
      const char phase = state.places[cores_ + i];
      const bool writes = phase == kStarted || phase == kRead || phase == kSent;
      const auto number = static_cast<int>(i);
      if (phase == kStarted)
        accesses.push_back({TransferAccessText(number, false), transfer.source, false, cores_ + i});
      if (writes) accesses.push_back({TransferAccessText(number, true), transfer.target, true, cores_ + i});
    }
    std::erase_if(accesses, [](const InProgress& access) { return access.cell < 0; });
    return accesses;
  }

  void AddRaces(const State& state) {
    const std::vector<InProgress> accesses = AccessesInProgress(state);
    for (size_t i = 0; i < accesses.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const InProgress& a = accesses[i];
        const InProgress& b = accesses[j];
        if (a.agent == b.agent || !(a.write || b.write) || !program_.Overlap(a.cell, b.cell)) continue;
        verdict_.races.insert(SortedPair(a.text, b.text));
      }
    }
  }

  void AddUnfinished(const State& state) {
    for (size_t core = 0; core < cores_; ++core) {
      if (Next(state, core) != nullptr) return;
    }
    for (size_t i = 0; i < program_.transfers.size(); ++i) {
      const char phase = state.places[cores_ + i];
      if (phase == kStarted || phase == kRead || phase == kSent) verdict_.unfinished.insert(static_cast<int>(i));
    }
  }

  void End(const State& state) {
    if (!verdict_.left.empty()) throw std::logic_error("two ends of one program");
    verdict_.left = state.values;
    for (size_t core = 0; core < cores_; ++core) {
      if (Next(state, core) != nullptr) verdict_.blocked.emplace(core, state.places[core]);
    }
  }

  const OrderProgram& program_;
  const size_t cores_;
  std::unordered_set<std::string> seen_;
  std::vector<State> to_do_;
  OrderVerdict verdict_;
};

}  // namespace

std::optional<OrderVerdict> SearchAllSchedules(const OrderProgram& program, size_t limit) {
  return Search(program).Run(limit);
}

}  // namespace strandcore
