#include "tests/check/closure.h"

namespace strandcore {
namespace {

using Kind = OrderProgram::Operation::Kind;

// An access by its place: an operation of a core, or a half of a transfer.
struct Place {
  int core = -1;
  size_t operation = 0;
  int transfer = -1;
  bool write = false;
  int cell = -1;

  bool SameAgent(const Place& other) const { return core == other.core && transfer == other.transfer; }
  std::string Text() const { return core >= 0 ? CoreAccessText(core, operation) : TransferAccessText(transfer, write); }
};

// Runs the program as far as it goes while the held accesses do not end.
class Run {
 public:
  Run(const OrderProgram& program, const std::vector<Place>& held)
      : program_(program),
        held_(held),
        next_(program.cores.size()),
        started_(program.transfers.size()),
        values_(program.owners.size()) {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t core = 0; core < next_.size(); ++core) {
        while (Step(core)) moved = true;
      }
    }
  }

  bool Begins(const Place& place) const {
    if (place.core >= 0) return next_[static_cast<size_t>(place.core)] >= place.operation;
    return started_[static_cast<size_t>(place.transfer)];
  }
  const std::vector<size_t>& next() const { return next_; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  bool Step(size_t core) {
    if (next_[core] >= program_.cores[core].size()) return false;
    const OrderProgram::Operation& operation = program_.cores[core][next_[core]];
    const auto target = static_cast<size_t>(operation.target);
    for (const Place& place : held_) {
      if (place.core == static_cast<int>(core) && place.operation == next_[core]) return false;
    }
    if (operation.IsWait() && values_[target] < operation.units) return false;
    if (operation.kind == Kind::kWait) values_[target] -= operation.units;
    if (operation.kind == Kind::kSignal) values_[target] += operation.units;
    if (operation.kind == Kind::kStart) Start(operation.target);
    ++next_[core];
    return true;
  }

  void Start(int number) {
    const OrderProgram::Transfer& transfer = program_.transfers[static_cast<size_t>(number)];
    started_[static_cast<size_t>(number)] = true;
    bool reads = true;
    bool writes = true;
    for (const Place& place : held_) {
      if (place.transfer == number) (place.write ? writes : reads) = false;
    }
    // A held write holds both posts of a local transfer; a held read holds all.
    if (transfer.remote()) {
      if (reads) values_[static_cast<size_t>(transfer.send)] += transfer.units;
      if (reads && writes) values_[static_cast<size_t>(transfer.receive)] += transfer.units;
    } else if (reads && writes) {
      values_[static_cast<size_t>(transfer.send)] += transfer.units;
    }
  }

  const OrderProgram& program_;
  const std::vector<Place> held_;
  std::vector<size_t> next_;
  std::vector<bool> started_;
  std::vector<int64_t> values_;
};

std::vector<Place> PlacesIn(const OrderProgram& program) {
  std::vector<Place> places;
  for (size_t core = 0; core < program.cores.size(); ++core) {
    for (size_t i = 0; i < program.cores[core].size(); ++i) {
      const OrderProgram::Operation& operation = program.cores[core][i];
      if (!operation.IsAccess()) continue;
      places.push_back({static_cast<int>(core), i, -1, operation.kind == Kind::kWrite, operation.target});
    }
  }
  for (size_t i = 0; i < program.transfers.size(); ++i) {
    const OrderProgram::Transfer& transfer = program.transfers[i];
    const auto number = static_cast<int>(i);
    if (transfer.source >= 0) places.push_back({-1, 0, number, false, transfer.source});
    if (transfer.target >= 0) places.push_back({-1, 0, number, true, transfer.target});
  }
  return places;
}

// All that a transfer does not hold up ends: then it may still copy.
void AddUnfinished(const OrderProgram& program, OrderVerdict& verdict) {
  for (size_t i = 0; i < program.transfers.size(); ++i) {
    const auto number = static_cast<int>(i);
    const Place write = {-1, 0, number, true, program.transfers[i].target};
    const Run held(program, {write});
    bool all_end = held.Begins(write);
    for (size_t core = 0; core < program.cores.size(); ++core) {
      all_end &= held.next()[core] == program.cores[core].size();
    }
    if (all_end) verdict.unfinished.insert(number);
  }
}

}  // namespace

OrderVerdict JudgeByClosure(const OrderProgram& program) {
  OrderVerdict verdict;
  const Run whole(program, {});
  verdict.left = whole.values();
  for (size_t core = 0; core < program.cores.size(); ++core) {
    if (whole.next()[core] < program.cores[core].size()) {
      verdict.blocked.emplace(static_cast<int>(core), static_cast<int>(whole.next()[core]));
    }
  }
  const std::vector<Place> places = PlacesIn(program);
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Place& a = places[i];
      const Place& b = places[j];
      if (!(a.write || b.write) || a.SameAgent(b) || !program.Overlap(a.cell, b.cell)) continue;
      const Run held(program, {a, b});
      if (held.Begins(a) && held.Begins(b)) verdict.races.insert(SortedPair(a.Text(), b.Text()));
    }
  }
  AddUnfinished(program, verdict);
  return verdict;
}

}  // namespace strandcore
