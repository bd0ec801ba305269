#include "runtime/core/counters.h"

namespace strandcore {

void Counters::Add(const Counters& other) {
  if (operands.size() < other.operands.size()) operands.resize(other.operands.size());
  for (size_t i = 0; i < other.operands.size(); ++i) {
    operands[i].name = other.operands[i].name;
    operands[i].copies_in += other.operands[i].copies_in;
    operands[i].bytes_in += other.operands[i].bytes_in;
    operands[i].copies_out += other.operands[i].copies_out;
    operands[i].bytes_out += other.operands[i].bytes_out;
  }
  steps += other.steps;
  transfers += other.transfers;
  waits += other.waits;
  blocked_waits += other.blocked_waits;
  overlapped_transfers += other.overlapped_transfers;
}

}  // namespace strandcore
