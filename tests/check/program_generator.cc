#include "tests/check/program_generator.h"

#include <algorithm>
#include <initializer_list>
#include <random>

namespace strandcore {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    program_.name = "generated-" + std::to_string(seed);
    program_.cells = 1 + Below(3);
    program_.cores.resize(static_cast<size_t>(OneOf({1, 2, 2, 3, 3, 4})));
    for (int i = 1 + Below(3); i > 0; --i) program_.owners.push_back(AnyCore());
    held_.resize(program_.owners.size(), 0);
    largest_ = OneOf({1, 1, 2, 3});
    access_percent_ = OneOf({20, 35, 50});
    transfer_percent_ = OneOf({0, 30, 60, 90});
    remote_percent_ = OneOf({0, 40, 80});
  }

  OrderProgram Make(int steps) {
    max_transfers_ = steps == 0 ? 5 : steps;
    for (steps = steps == 0 ? OneOf({4, 6, 8, 10, 12}) : steps; steps > 0; --steps) {
      if (!(Chance(50) && AddWait())) AddPost();
      if (Chance(access_percent_)) AddAccess(AnyCore());
    }
    if (Chance(70)) WaitForTheRest();
    for (int core = 0; core < static_cast<int>(program_.cores.size()); ++core) {
      if (Chance(access_percent_)) AddAccess(core);
    }
    return std::move(program_);
  }

 private:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool Chance(int percent) { return Below(100) < percent; }
  int OneOf(std::initializer_list<int> values) { return values.begin()[Below(static_cast<int>(values.size()))]; }
  int AnyCore() { return Below(static_cast<int>(program_.cores.size())); }
  int AnySemaphore() { return Below(static_cast<int>(program_.owners.size())); }
  int AnyCell() { return Below(program_.cells); }
  int64_t& HeldBy(int semaphore) { return held_[static_cast<size_t>(semaphore)]; }
  void Add(int core, const OrderProgram::Operation& operation) {
    program_.cores[static_cast<size_t>(core)].push_back(operation);
  }

  void AddAccess(int core) { Add(core, Chance(60) ? Write(AnyCell()) : Read(AnyCell())); }

  // A wait that may go through at this place; now and then one that may not.
  bool AddWait() {
    const int semaphore = AnySemaphore();
    const int64_t held = HeldBy(semaphore);
    if (held == 0 && !Chance(4)) return false;
    const int64_t units = 1 + Below(static_cast<int>(std::clamp<int64_t>(held, 1, 4)));
    const int core = program_.owners[static_cast<size_t>(semaphore)];
    if (Chance(12)) {
      Add(core, Peek(semaphore, units));
    } else {
      Add(core, Wait(semaphore, units));
      HeldBy(semaphore) = std::max<int64_t>(0, held - units);
    }
    return true;
  }

  void AddPost() {
    const int64_t units = 1 + Below(largest_);
    if (static_cast<int>(program_.transfers.size()) < max_transfers_ && Chance(transfer_percent_))
      return AddTransfer(units);
    const int semaphore = AnySemaphore();
    Add(AnyCore(), Signal(semaphore, units));
    HeldBy(semaphore) += units;
  }

  // It may pay any core's semaphores, and both halves the same one; it may copy a cell onto itself.
  void AddTransfer(int64_t units) {
    OrderProgram::Transfer transfer;
    transfer.source = Chance(40) ? -1 : AnyCell();
    transfer.target = Chance(20) ? -1 : AnyCell();
    if (transfer.source == transfer.target && Chance(50)) transfer.source = -1;
    transfer.units = units;
    transfer.send = AnySemaphore();
    HeldBy(transfer.send) += units;
    if (Chance(remote_percent_)) {
      transfer.receive = Chance(20) ? transfer.send : AnySemaphore();
      HeldBy(transfer.receive) += units;
    }
    Add(AnyCore(), Start(static_cast<int>(program_.transfers.size())));
    program_.transfers.push_back(transfer);
  }

  void WaitForTheRest() {
    for (int semaphore = 0; semaphore < static_cast<int>(held_.size()); ++semaphore) {
      if (HeldBy(semaphore) == 0) continue;
      const int core = program_.owners[static_cast<size_t>(semaphore)];
      Add(core, Wait(semaphore, HeldBy(semaphore)));
      if (Chance(50)) AddAccess(core);
    }
  }

  std::mt19937_64 random_;
  OrderProgram program_;
  std::vector<int64_t> held_;  // posted and not waited, in the order of making: keeps most programs from blocking
  int largest_;
  int max_transfers_ = 0;
  int access_percent_;
  int transfer_percent_;
  int remote_percent_;
};

}  // namespace

OrderProgram GenerateOrderProgram(uint64_t seed, int steps) { return Generator(seed).Make(steps); }

}  // namespace strandcore
