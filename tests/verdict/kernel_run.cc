#include "tests/verdict/kernel_run.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/core/kernel_context.h"
#include "runtime/core/scope.h"
#include "runtime/memory/array.h"
#include "runtime/memory/window.h"

namespace strandcore {
namespace {

using Statement = KernelProgram::Statement;
using Kind = Statement::Kind;

constexpr int64_t kStepLimit = 1'000'000;  // a kernel that hangs without a deadlock is an error of the test's

DType TypeOf(KernelProgram::Element element) {
  switch (element) {
    case KernelProgram::Element::kInt8:
      return DType::kInt8;
    case KernelProgram::Element::kBfloat16:
      return DType::kBfloat16;
    default:
      return DType::kFloat32;
  }
}

Dims ShapeOf(const KernelProgram::Memory& memory) {
  Dims shape;
  for (const int size : memory.shape) shape.push_back(size);
  return shape;
}

// What is shared by the cores of a run.
class Shared {
 public:
  Shared(const KernelProgram& program, bool blocks)
      : program(program),
        blocks(blocks),
        refs(program.memories.size()),
        semaphores(program.semaphores.size()),
        done(program.cores.size(), 0) {
    for (size_t c = 0; c < program.cores.size(); ++c) core_names.push_back("c" + std::to_string(c));
  }

  // Host's memory: orders nothing that the checker could see. One delay at least: reports name the last request before
  // a scope is left.
  void AwaitAll(KernelContext& core, std::atomic<int>& counter) const {
    counter.fetch_add(1, std::memory_order_release);
    do {
      core.Delay(1, Site{"all", "", 1});
    } while (counter.load(std::memory_order_acquire) < core.num_cores());
  }

  const KernelProgram& program;
  const bool blocks;
  std::vector<Ref> refs;  // of memory that is not a scope's; written by its owner before all are ready
  std::vector<SemaphoreRef> semaphores;
  std::vector<std::string> core_names;
  std::atomic<int> ready{0};
  std::atomic<int> at_end{0};
  std::vector<int> done;  // operations, by core
};

class Interpreter {
 public:
  Interpreter(KernelContext& core, Shared& shared, const Refs& operands)
      : core_(core), shared_(shared), self_(core.core_index()), refs_(shared.program.memories.size()) {
    size_t next = 0;
    for (size_t m = 0; m < refs_.size(); ++m) {
      if (shared.program.memories[m].owner < 0) refs_[m] = operands[next++];
    }
  }

  void Run() {
    Scope scope(core_);
    const int never = scope.Add(RegularSemaphore({}, "never"));
    Begin(scope);
    shared_.AwaitAll(core_, shared_.ready);
    DoAll(shared_.program.cores[static_cast<size_t>(self_)], 0);
    if (shared_.blocks) core_.Wait(scope.semaphore(never));
    // No semaphore ends before others are done with it.
    shared_.AwaitAll(core_, shared_.at_end);
  }

 private:
  void Begin(Scope& scope) {
    std::vector<int> memories, semaphores;
    for (size_t m = 0; m < refs_.size(); ++m) {
      const auto& memory = shared_.program.memories[m];
      memories.push_back(memory.owner == self_ && !memory.scoped ? scope.Add(ScopedMemoryOf(m)) : -1);
    }
    for (const auto& semaphore : shared_.program.semaphores) {
      const bool own = semaphore.owner == self_;
      semaphores.push_back(own ? scope.Add(semaphore.dma ? DmaSemaphore() : RegularSemaphore()) : -1);
    }
    scope.Allocate(Site{});
    for (size_t m = 0; m < refs_.size(); ++m) {
      if (memories[m] >= 0) refs_[m] = shared_.refs[m] = scope.ref(memories[m]);
    }
    for (size_t s = 0; s < semaphores.size(); ++s) {
      if (semaphores[s] >= 0) shared_.semaphores[s] = scope.semaphore(semaphores[s]);
    }
  }

  ScopedMemory ScopedMemoryOf(size_t memory) const {
    return Vmem(ShapeOf(shared_.program.memories[memory]), TypeOf(shared_.program.element),
                "m" + std::to_string(memory));
  }
  Site Here() const {
    const auto self = static_cast<size_t>(self_);
    return Site{shared_.core_names[self].c_str(), "", static_cast<uint32_t>(shared_.done[self]) + 1};
  }

  void DoAll(const std::vector<Statement>& statements, int turn) {
    for (const Statement& statement : statements) Do(statement, turn);
  }

  void Do(const Statement& statement, int turn) {
    if (statement.kind == Kind::kLoop) {
      for (int i = 0; i < statement.turns; ++i) DoAll(statement.body, i);
    } else if (statement.kind == Kind::kScope) {
      DoInScope(statement, turn);
    } else {
      DoOne(statement, turn);
      ++shared_.done[static_cast<size_t>(self_)];
    }
  }

  void DoInScope(const Statement& statement, int turn) {
    {
      Scope scope(core_);
      for (const int memory : statement.memories) scope.Add(ScopedMemoryOf(static_cast<size_t>(memory)));
      scope.Allocate(Site{});
      for (size_t i = 0; i < statement.memories.size(); ++i) {
        refs_[static_cast<size_t>(statement.memories[i])] = scope.ref(static_cast<int>(i));
      }
      DoAll(statement.body, turn);
    }
    shared_.done[static_cast<size_t>(self_)] += static_cast<int>(statement.memories.size());
  }

  void DoOne(const Statement& statement, int turn) {
    const SemaphoreRef semaphore = shared_.semaphores[static_cast<size_t>(statement.semaphore)];
    switch (statement.kind) {
      case Kind::kSignal:
        return core_.Signal(semaphore, statement.units, Here());
      case Kind::kPeek:
        return core_.WaitUntil(semaphore, statement.units, Here());
      case Kind::kWait:
        if (semaphore.kind() == SemaphoreKind::kDma) return core_.WaitForBytes(semaphore, statement.units, Here());
        return core_.Wait(semaphore, statement.units, Here());
      case Kind::kCopy:
        return DoCopy(statement, semaphore, turn);
      default:
        return Access(statement, turn);
    }
  }

  void DoCopy(const Statement& copy, const SemaphoreRef& send, int turn) {
    const Ref source = ViewOf(copy.view, turn), target = ViewOf(copy.target, turn);
    if (copy.receive < 0) return core_.MakeAsyncCopy(source, target, send, Here()).Start(Here());
    const SemaphoreRef receive = shared_.semaphores[static_cast<size_t>(copy.receive)];
    core_.MakeAsyncRemoteCopy(source, target, send, receive, Here()).Start(Here());
  }

  // Only declared: programs that race are to race in the emulated memory alone.
  void Access(const Statement& access, int turn) {
    const AccessMode mode = access.kind == Kind::kRead    ? AccessMode::kRead
                            : access.kind == Kind::kWrite ? AccessMode::kWrite
                                                          : AccessMode::kReadWrite;
    ViewOf(access.view, turn).Declare(mode, Here());
  }

  Ref ViewOf(const KernelProgram::View& view, int turn) const {
    const auto memory = static_cast<size_t>(view.memory);
    std::vector<Index> indices;
    for (const auto& slice : view.slices) {
      const int start = slice.start + turn * slice.per_turn;
      indices.push_back(slice.squeezed ? Index(start) : Ds(start, slice.size, slice.step));
    }
    const Ref& whole = refs_[memory].allocation() != nullptr ? refs_[memory] : shared_.refs[memory];
    return whole.Slice(indices);
  }

  KernelContext& core_;
  Shared& shared_;
  const int self_;
  std::vector<Ref> refs_;  // by memory: what this core can touch
};

class Reader {
 public:
  Reader(const UnrolledKernel& unrolled, const std::vector<int>& done) : unrolled_(unrolled), done_(done) {}

  KernelVerdict Read(const RunReport& report) const {
    KernelVerdict verdict;
    for (const Fault& fault : report.faults) {
      if (fault.kind == FaultKind::kRace) {
        verdict.races.insert(
            SortedPair(NameOf(fault.places[0], fault.accesses[0]), NameOf(fault.places[1], fault.accesses[1])));
      } else if (fault.kind == FaultKind::kUseAfterScope) {
        verdict.used_after_scope.insert(TransferAt(fault.places[1]));
      } else if (fault.kind == FaultKind::kTransferInFlightAtExit) {
        verdict.in_flight.insert(TransferAt(fault.places[0]));
      } else if (fault.kind == FaultKind::kDeadlock) {
        AddBlocked(verdict);
      }
    }
    return verdict;
  }

 private:
  int TransferAt(const Place& place) const {
    return unrolled_.started.at({place.core.core, static_cast<int>(place.site.line) - 1});
  }
  std::string NameOf(const Place& place, AccessKind kind) const {
    return NameOfAccess(unrolled_, place.core.core, place.site, kind);
  }
  // The ends of lasting memory, which come last, are not counted by the run.
  void AddBlocked(KernelVerdict& verdict) const {
    for (size_t c = 0; c < done_.size(); ++c) {
      const auto& operations = unrolled_.program.cores[c];
      const auto at = static_cast<size_t>(done_[c]);
      if (at < operations.size() && operations[at].IsWait()) {
        verdict.blocked.emplace(static_cast<int>(c), done_[c]);
      }
    }
  }

  const UnrolledKernel& unrolled_;
  const std::vector<int>& done_;
};

}  // namespace

std::string NameOfAccess(const UnrolledKernel& unrolled, int core, Site site, AccessKind kind) {
  const auto operation = static_cast<size_t>(site.line) - 1;
  if (kind == AccessKind::kCoreRead || kind == AccessKind::kCoreWrite) return CoreAccessText(core, operation);
  const int transfer = unrolled.started.at({core, static_cast<int>(operation)});
  return TransferAccessText(transfer, kind == AccessKind::kDmaWrite);
}

KernelRun RunKernel(const KernelProgram& program, const UnrolledKernel& unrolled, bool blocks, SimulatorOptions options,
                    CheckerHook* hook) {
  options.cores = static_cast<int>(program.cores.size());
  options.allow_hbm_access = true;
  options.step_limit = kStepLimit;
  Shared shared(program, blocks);
  std::vector<Array> arrays;
  for (const auto& memory : program.memories) {
    if (memory.owner < 0) arrays.push_back(Array::Full(TypeOf(program.element), ShapeOf(memory), 1));
  }
  Operands operands;
  for (size_t i = 0; i < arrays.size(); ++i) operands.push_back(InOut("hbm " + std::to_string(i), arrays[i]));
  options.max_faults = 0;  // all of them
  Simulator simulator(options);
  if (hook != nullptr) hook->AttachTo(simulator);
  KernelRun run;
  run.report = simulator.Run([&](KernelContext& core, Refs refs) { Interpreter(core, shared, refs).Run(); }, operands);
  run.verdict = Reader(unrolled, shared.done).Read(run.report);
  return run;
}

}  // namespace strandcore
