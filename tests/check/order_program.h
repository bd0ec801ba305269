// OrderProgram: a small program of cores, copies, signals and waits, as in golden/order_programs.jsonl, and what holds
// over all its schedules. Plain data: includes nothing of runtime/, so that what judges it may stand apart.
#ifndef STRANDCORE_TESTS_CHECK_ORDER_PROGRAM_H_
#define STRANDCORE_TESTS_CHECK_ORDER_PROGRAM_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strandcore {

struct OrderProgram {
  struct Operation {
    enum class Kind { kRead, kWrite, kSignal, kWait, kWaitWithoutDecrement, kStart };
    Kind kind;
    int target;  // cell, semaphore or transfer
    int64_t units = 1;
    bool IsAccess() const { return kind == Kind::kRead || kind == Kind::kWrite; }
    bool IsWait() const { return kind == Kind::kWait || kind == Kind::kWaitWithoutDecrement; }
  };
  struct Transfer {
    int source = -1;  // cells; -1: private memory
    int target = -1;
    int64_t units = 1;
    int send = 0;
    int receive = -1;  // -1: a local transfer
    bool remote() const { return receive >= 0; }
  };

  // Part of a memory: its elements, a bit each.
  struct Footprint {
    int memory = 0;
    uint64_t elements = 0;
  };

  std::string name;
  int cells = 0;
  std::vector<int> owners;  // of the semaphores, all of which start at zero
  std::vector<std::vector<Operation>> cores;
  std::vector<Transfer> transfers;
  std::vector<Footprint> footprints = {};  // of the cells, where they can overlap; else they are memory of their own

  bool Overlap(int cell, int other) const {
    if (footprints.empty()) return cell == other;
    const Footprint& a = footprints[static_cast<size_t>(cell)];
    const Footprint& b = footprints[static_cast<size_t>(other)];
    return a.memory == b.memory && (a.elements & b.elements) != 0;
  }
};

// Short forms for programs in tests.
inline OrderProgram::Operation Read(int cell) { return {OrderProgram::Operation::Kind::kRead, cell}; }
inline OrderProgram::Operation Write(int cell) { return {OrderProgram::Operation::Kind::kWrite, cell}; }
inline OrderProgram::Operation Signal(int semaphore, int64_t units = 1) {
  return {OrderProgram::Operation::Kind::kSignal, semaphore, units};
}
inline OrderProgram::Operation Wait(int semaphore, int64_t units = 1) {
  return {OrderProgram::Operation::Kind::kWait, semaphore, units};
}
inline OrderProgram::Operation Peek(int semaphore, int64_t units = 1) {
  return {OrderProgram::Operation::Kind::kWaitWithoutDecrement, semaphore, units};
}
inline OrderProgram::Operation Start(int transfer) { return {OrderProgram::Operation::Kind::kStart, transfer}; }

// Two accesses that some schedule leaves unordered: "c1.4" is operation 4 of core 1, "t2.read" a half of transfer 2.
using RacePair = std::pair<std::string, std::string>;
RacePair SortedPair(const std::string& a, const std::string& b);
std::string CoreAccessText(int core, size_t operation);
std::string TransferAccessText(int transfer, bool write);

struct OrderVerdict {
  std::set<RacePair> races;
  std::set<std::pair<int, int>> blocked;  // core, the operation it stops at
  std::vector<int64_t> left;              // in each semaphore
  std::set<int> unfinished = {};          // transfers that may still copy when all cores are done; not in golden files
  friend bool operator==(const OrderVerdict&, const OrderVerdict&) = default;
};
std::string ToText(const OrderVerdict& verdict);
std::string ToText(const OrderProgram& program);

struct JudgedProgram {
  OrderProgram program;
  OrderVerdict expect;
};
// All of golden/order_programs.jsonl where it is, else the tenth of it that lies in tests/golden.
std::vector<JudgedProgram> GoldenOrderPrograms();

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CHECK_ORDER_PROGRAM_H_
