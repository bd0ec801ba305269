// Counters: what a run moved and how it went. Values; each core counts its own, the report adds them up.
#ifndef STRANDCORE_RUNTIME_CORE_COUNTERS_H_
#define STRANDCORE_RUNTIME_CORE_COUNTERS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace strandcore {

// Of one operand: "in" is towards the cores (the operand is the source), "out" is towards the operand.
struct OperandCounters {
  std::string name;
  int64_t copies_in = 0;
  int64_t bytes_in = 0;
  int64_t copies_out = 0;
  int64_t bytes_out = 0;
  friend bool operator==(const OperandCounters&, const OperandCounters&) = default;
};

struct Counters {
  std::vector<OperandCounters> operands;
  int64_t steps = 0;      // bodies run by pipelines
  int64_t transfers = 0;  // started
  int64_t waits = 0;
  int64_t blocked_waits = 0;  // those that parked their core
  // Transfers of which at least one chunk was copied while the issuing core's body ran. Zero on one thread.
  int64_t overlapped_transfers = 0;
  friend bool operator==(const Counters&, const Counters&) = default;

  void Add(const Counters& other);
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_COUNTERS_H_
