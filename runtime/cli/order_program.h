// OrderProgram: one line of an order file (golden/README.md, "Order programs"): cores that read, write, signal, wait
// and start copies, run on a simulator; the checker says what no schedule orders.
//
// Concurrency: a value.
#ifndef STRANDCORE_RUNTIME_CLI_ORDER_PROGRAM_H_
#define STRANDCORE_RUNTIME_CLI_ORDER_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cli/case.h"
#include "runtime/cli/run_case.h"

namespace strandcore {

struct OrderOperation {
  enum class Kind : uint8_t { kRead, kWrite, kSignal, kWait, kStart };
  Kind kind = Kind::kRead;
  int32_t which = 0;  // cell, semaphore or transfer
  int64_t units = 0;  // of a signal or a wait
};

struct OrderSemaphore {
  int32_t owner = 0;
  bool dma = false;
};

struct OrderTransfer {
  static constexpr int32_t kNone = -1;
  int32_t source = kNone;  // cells; none: memory of its own
  int32_t target = kNone;
  int64_t units = 1;  // rows of 512 bytes
  int32_t send = 0;
  int32_t receive = kNone;
};

struct OrderProgram {
  std::string name;
  int32_t cells = 0;
  std::vector<OrderSemaphore> semaphores;
  std::vector<std::vector<OrderOperation>> cores;
  std::vector<OrderTransfer> transfers;
};

// Whether the line is an order program (it has `cells`), not a case.
bool IsOrderProgram(const Json& json);

// Refuses a missing or malformed field by its name, as ParseCase does.
absl::StatusOr<OrderProgram> ParseOrderProgram(const Json& json);

// {name, races, racy_cells, blocked, left}.
absl::StatusOr<Json> RunOrderProgram(const OrderProgram& program, const CaseRunOptions& options);

// "" where `result` is what the line's `expect` says, else the first difference. (Not every pair of a cell has to be
// reported.) Refuses a missing or malformed field.
absl::StatusOr<std::string> OrderDifference(const Json& line, const Json& result);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_ORDER_PROGRAM_H_
