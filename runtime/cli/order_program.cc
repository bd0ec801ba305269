#include "runtime/cli/order_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/cli/json_field.h"

namespace strandcore {
namespace {

constexpr int64_t kMost = 4096;  // of anything
constexpr int64_t kMostRows = 8;

// Only its owner waits, only regular ones are signalled, and a copy pays a DMA semaphore of the core that starts it.
void CheckSemaphores(const JsonField& field, const OrderOperation& operation, int32_t core,
                     const OrderProgram& program) {
  using Kind = OrderOperation::Kind;
  const auto of = [&](int32_t semaphore) { return program.semaphores[static_cast<size_t>(semaphore)]; };
  if (operation.kind == Kind::kWait && of(operation.which).owner != core) {
    field.Refuse(absl::StrCat("a semaphore of core ", core));
  }
  if (operation.kind == Kind::kSignal && of(operation.which).dma) field.Refuse("a regular semaphore");
  if (operation.kind != Kind::kStart) return;
  const OrderTransfer& transfer = program.transfers[static_cast<size_t>(operation.which)];
  if (!of(transfer.send).dma || of(transfer.send).owner != core) {
    field.Refuse(absl::StrCat("a transfer that sends on a DMA semaphore of core ", core));
  }
  if (transfer.receive != OrderTransfer::kNone && !of(transfer.receive).dma) {
    field.Refuse("a transfer that is received on a DMA semaphore");
  }
}

OrderOperation ParseOperation(const JsonField& field, int32_t core, const OrderProgram& program) {
  using Kind = OrderOperation::Kind;
  OrderOperation operation;
  const Kind kinds[] = {Kind::kRead, Kind::kWrite, Kind::kSignal, Kind::kWait, Kind::kStart};
  operation.kind = kinds[field.At(0).AsOneOf({"read", "write", "signal", "wait", "start"})];
  const bool counts = operation.kind == Kind::kSignal || operation.kind == Kind::kWait;
  if (field.size() != (counts ? 3u : 2u)) field.Refuse(counts ? "three entries" : "two entries");
  const int64_t many = counts                           ? static_cast<int64_t>(program.semaphores.size())
                       : operation.kind == Kind::kStart ? static_cast<int64_t>(program.transfers.size())
                                                        : program.cells;
  operation.which = static_cast<int32_t>(field.At(1).AsInteger(0, many - 1));
  if (counts) operation.units = field.At(2).AsInteger(0, kMost);
  CheckSemaphores(field.At(1), operation, core, program);
  return operation;
}

int32_t ParseCell(const JsonField& field, int32_t cells) {
  return field.is_null() ? OrderTransfer::kNone : static_cast<int32_t>(field.AsInteger(0, cells - 1));
}

void ParseTransfers(const JsonField& list, OrderProgram& program) {
  const int64_t semaphores = static_cast<int64_t>(program.semaphores.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonField field = list.At(i);
    OrderTransfer transfer;
    transfer.source = ParseCell(field.Get("source"), program.cells);
    transfer.target = ParseCell(field.Get("target"), program.cells);
    transfer.units = field.Get("units").AsInteger(1, kMostRows);
    transfer.send = static_cast<int32_t>(field.Get("send").AsInteger(0, semaphores - 1));
    if (const auto receive = field.Find("receive"); receive.has_value()) {
      transfer.receive = static_cast<int32_t>(receive->AsInteger(0, semaphores - 1));
    }
    program.transfers.push_back(transfer);
  }
}

}  // namespace

bool IsOrderProgram(const Json& json) { return json.is_object() && json.contains("cells"); }

absl::StatusOr<OrderProgram> ParseOrderProgram(const Json& json) {
  try {
    const JsonField root(json, "");
    OrderProgram program;
    program.name = root.Get("name").AsString();
    program.cells = static_cast<int32_t>(root.Get("cells").AsInteger(0, kMost));
    const JsonField cores = root.Get("cores");
    const JsonField semaphores = root.Get("semaphores");
    const int64_t last_core = std::min<int64_t>(static_cast<int64_t>(cores.size()), kMost) - 1;
    for (size_t i = 0; i < semaphores.size(); ++i) {
      const JsonField field = semaphores.At(i);
      const auto owner = static_cast<int32_t>(field.Get("owner").AsInteger(0, last_core));
      program.semaphores.push_back({owner, field.Get("kind").AsOneOf({"regular", "dma"}) == 1});
    }
    ParseTransfers(root.Get("transfers"), program);
    if (cores.size() == 0) cores.Refuse("one core or more");
    for (size_t c = 0; c < cores.size(); ++c) {
      std::vector<OrderOperation> operations;
      for (size_t i = 0; i < cores.At(c).size(); ++i) {
        operations.push_back(ParseOperation(cores.At(c).At(i), static_cast<int32_t>(c), program));
      }
      program.cores.push_back(std::move(operations));
    }
    return program;
  } catch (JsonField::Error& error) {
    return absl::InvalidArgumentError(error.text);
  }
}

absl::StatusOr<std::string> OrderDifference(const Json& line, const Json& result) {
  try {
    const JsonField expect = JsonField(line, "").Get("expect");
    for (const char* field : {"racy_cells", "blocked", "left"}) {
      const Json expected = expect.Get(field).AsArray();
      if (expected == result.at(field)) continue;
      return absl::StrCat(field, ": expected ", expected.dump(), ", given ", result.at(field).dump());
    }
    const Json races = expect.Get("races").AsArray();
    const std::set<Json> known(races.begin(), races.end());
    for (const Json& pair : result.at("races")) {
      if (known.count(pair) == 0) return absl::StrCat("races: ", pair.dump(), " is not expected");
    }
    return std::string();
  } catch (const JsonField::Error& error) {
    return absl::InvalidArgumentError(error.text);
  }
}

}  // namespace strandcore
