// How an order program is run: cells are arrays in HBM that cores touch directly; each core makes its semaphores, waits
// until all have, carries out its operations, and then waits for ever, so that no semaphore ends before another core is
// done with it. So every run ends as a deadlock, and how far each core came is what it did.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/cli/order_program.h"
#include "runtime/core/scope.h"
#include "runtime/memory/array.h"
#include "runtime/simulator/simulator.h"

namespace strandcore {
namespace {

constexpr int64_t kRowBytes = 512;

class Run {
 public:
  explicit Run(const OrderProgram& program)
      : program_(program), semaphores_(program.semaphores.size()), done_(program.cores.size()) {
    for (size_t c = 0; c < program.cores.size(); ++c) core_names_.push_back(absl::StrCat("c", c));
    for (int32_t k = 0; k < program.cells; ++k) cells_.push_back(Array::Full(DType::kFloat32, {8, 128}, 1));
  }

  absl::StatusOr<Json> Go(const CaseRunOptions& options) {
    SimulatorOptions machine;
    machine.cores = static_cast<int>(program_.cores.size());
    machine.threads = options.threads;
    if (options.threads == 0) machine.policy = options.policy;
    machine.allow_hbm_access = true;
    machine.check = true;
    machine.max_faults = 0;
    Simulator simulator(machine);
    if (!simulator.status().ok()) return simulator.status();
    Operands operands;
    for (size_t k = 0; k < cells_.size(); ++k) operands.push_back(InOut(absl::StrCat("cell ", k), cells_[k]));
    const RunReport report = simulator.Run([&](KernelContext& core, Refs cells) { Kernel(core, cells); }, operands);
    if (!report.status.ok()) return report.status;
    return Result(report);
  }

 private:
  using Kind = OrderOperation::Kind;

  void Kernel(KernelContext& core, Refs cells) {
    const auto self = static_cast<size_t>(core.core_index());
    Scope scope(core);
    const int never = scope.Add(RegularSemaphore({}, "never"));
    std::vector<int> items;
    for (const OrderSemaphore& semaphore : program_.semaphores) {
      const bool own = semaphore.owner == core.core_index();
      items.push_back(!own ? -1 : scope.Add(semaphore.dma ? DmaSemaphore() : RegularSemaphore()));
    }
    std::vector<int> memory;
    for (size_t t = 0; t < 2 * program_.transfers.size(); ++t)
      memory.push_back(scope.Add(Vmem({8, 128}, DType::kFloat32)));
    scope.Allocate(Site{});
    for (size_t s = 0; s < items.size(); ++s) {
      if (items[s] >= 0) semaphores_[s] = scope.semaphore(items[s]);
    }
    // Release pairs with the acquire below: all semaphores are there before anybody goes on.
    ready_.fetch_add(1, std::memory_order_release);
    while (ready_.load(std::memory_order_acquire) < core.num_cores()) core.Delay(1);
    for (size_t i = 0; i < program_.cores[self].size(); ++i) {
      Do(core, cells, scope, memory, program_.cores[self][i], Site{core_names_[self].c_str(), "", NumberOf(i)});
      ++done_[self];
    }
    core.Wait(scope.semaphore(never));
  }

  void Do(KernelContext& core, Refs cells, const Scope& scope, const std::vector<int>& memory,
          const OrderOperation& operation, Site site) {
    const auto which = static_cast<size_t>(operation.which);
    switch (operation.kind) {
      case Kind::kRead:
        cells[which].Read<float>(site);
        return;
      case Kind::kWrite:
        cells[which].Write<float>(site);
        return;
      case Kind::kSignal:
        return core.Signal(semaphores_[which], operation.units, site);
      case Kind::kWait:
        if (program_.semaphores[which].dma) {
          return core.WaitForBytes(semaphores_[which], operation.units * kRowBytes, site);
        }
        return core.Wait(semaphores_[which], operation.units, site);
      case Kind::kStart:
        break;
    }
    const OrderTransfer& transfer = program_.transfers[which];
    auto rows = [&](int32_t cell, size_t own) {
      return (cell >= 0 ? cells[static_cast<size_t>(cell)] : scope.ref(memory[own])).At(Ds(0, transfer.units));
    };
    const Ref source = rows(transfer.source, 2 * which);
    const Ref target = rows(transfer.target, 2 * which + 1);
    const SemaphoreRef send = semaphores_[static_cast<size_t>(transfer.send)];
    if (transfer.receive < 0) return core.MakeAsyncCopy(source, target, send, site).Start(site);
    core.MakeAsyncRemoteCopy(source, target, send, semaphores_[static_cast<size_t>(transfer.receive)], site)
        .Start(site);
  }

  static uint32_t NumberOf(size_t operation) { return static_cast<uint32_t>(operation) + 1; }

  // "c1.4", "t2.read"
  std::string NameOf(const Place& place, AccessKind kind) const {
    const auto operation = static_cast<size_t>(place.site.line) - 1;
    if (kind == AccessKind::kCoreRead || kind == AccessKind::kCoreWrite) {
      return absl::StrCat("c", place.core.core, ".", operation);
    }
    const OrderOperation& start = program_.cores[static_cast<size_t>(place.core.core)][operation];
    return absl::StrCat("t", start.which, kind == AccessKind::kDmaRead ? ".read" : ".write");
  }

  Json Result(const RunReport& report) const {
    Json result;
    result["name"] = program_.name;
    std::set<std::vector<std::string>> races;
    std::set<int32_t> cells;
    for (const Fault& fault : report.faults) {
      if (fault.kind != FaultKind::kRace) continue;
      std::vector<std::string> pair = {NameOf(fault.places[0], fault.accesses[0]),
                                       NameOf(fault.places[1], fault.accesses[1])};
      std::sort(pair.begin(), pair.end());
      races.insert(std::move(pair));
      for (int32_t k = 0; k < program_.cells; ++k) {
        if (fault.places[0].operand == absl::StrCat("cell ", k)) cells.insert(k);
      }
    }
    result["races"] = Json(std::vector<std::vector<std::string>>(races.begin(), races.end()));
    result["racy_cells"] = Json(std::vector<int32_t>(cells.begin(), cells.end()));
    Json blocked = Json::array();
    for (size_t c = 0; c < done_.size(); ++c) {
      if (done_[c] < program_.cores[c].size()) blocked.push_back({c, done_[c]});
    }
    result["blocked"] = std::move(blocked);
    result["left"] = Json(Left());
    return result;
  }

  // In units, after the operations that were carried out; every transfer that was started has completed.
  std::vector<int64_t> Left() const {
    std::vector<int64_t> left(program_.semaphores.size());
    auto at = [&](int32_t s) -> int64_t& { return left[static_cast<size_t>(s)]; };
    for (size_t c = 0; c < done_.size(); ++c) {
      for (size_t i = 0; i < done_[c]; ++i) {
        const OrderOperation& operation = program_.cores[c][i];
        if (operation.kind == Kind::kSignal) at(operation.which) += operation.units;
        if (operation.kind == Kind::kWait) at(operation.which) -= operation.units;
        if (operation.kind != Kind::kStart) continue;
        const OrderTransfer& transfer = program_.transfers[static_cast<size_t>(operation.which)];
        at(transfer.send) += transfer.units;
        if (transfer.receive >= 0) at(transfer.receive) += transfer.units;
      }
    }
    return left;
  }

  const OrderProgram& program_;
  std::vector<Array> cells_;
  std::vector<std::string> core_names_;
  // Written by their owner before it is ready, then constant.
  std::vector<SemaphoreRef> semaphores_;
  std::atomic<int> ready_{0};
  std::vector<size_t> done_;  // operations, each core's its own
};

}  // namespace

absl::StatusOr<Json> RunOrderProgram(const OrderProgram& program, const CaseRunOptions& options) {
  return Run(program).Go(options);
}

}  // namespace strandcore
