#include "tests/verdict/kernel_program.h"

#include <sstream>

namespace strandcore {
namespace {

using Kind = KernelProgram::Statement::Kind;
using Operation = OrderProgram::Operation;

class Unroller {
 public:
  explicit Unroller(const KernelProgram& program) : program_(program) {
    kernel_.program.name = program.name;
    for (const auto& semaphore : program.semaphores) kernel_.program.owners.push_back(semaphore.owner);
    for (const auto& memory : program.memories) instances_.push_back(memory.scoped ? -1 : instance_count_++);
  }

  UnrolledKernel Make() {
    kernel_.program.cores.resize(program_.cores.size());
    for (core_ = 0; core_ < static_cast<int>(program_.cores.size()); ++core_) {
      AddAll(program_.cores[static_cast<size_t>(core_)], 0);
      for (size_t m = 0; m < program_.memories.size(); ++m) {
        if (!program_.memories[m].scoped && program_.memories[m].owner == core_) AddEnd(static_cast<int>(m));
      }
    }
    kernel_.program.cells = static_cast<int>(kernel_.program.footprints.size());
    return std::move(kernel_);
  }

 private:
  std::vector<Operation>& Own() { return kernel_.program.cores[static_cast<size_t>(core_)]; }
  int& InstanceOf(int memory) { return instances_[static_cast<size_t>(memory)]; }

  int AddFootprint(int memory, uint64_t elements) {
    kernel_.program.footprints.push_back({InstanceOf(memory), elements});
    return static_cast<int>(kernel_.program.footprints.size()) - 1;
  }
  int AddFootprint(const KernelProgram::View& view, int turn) {
    return AddFootprint(view.memory, ElementsOf(program_, view, turn));
  }

  void AddAll(const std::vector<KernelProgram::Statement>& statements, int turn) {
    for (const auto& statement : statements) Add(statement, turn);
  }

  void Add(const KernelProgram::Statement& statement, int turn) {
    switch (statement.kind) {
      case Kind::kRead:
        return Own().push_back(Read(AddFootprint(statement.view, turn)));
      case Kind::kWrite:
      case Kind::kReadWrite:
        return Own().push_back(Write(AddFootprint(statement.view, turn)));
      case Kind::kSignal:
        return Own().push_back(Signal(statement.semaphore, statement.units));
      case Kind::kWait:
        return Own().push_back(Wait(statement.semaphore, statement.units));
      case Kind::kPeek:
        return Own().push_back(Peek(statement.semaphore, statement.units));
      case Kind::kCopy:
        return AddCopy(statement, turn);
      case Kind::kLoop:
        for (int i = 0; i < statement.turns; ++i) AddAll(statement.body, i);
        return;
      case Kind::kScope:
        for (const int memory : statement.memories) InstanceOf(memory) = instance_count_++;
        AddAll(statement.body, turn);
        for (const int memory : statement.memories) AddEnd(memory);
    }
  }

  void AddCopy(const KernelProgram::Statement& copy, int turn) {
    OrderProgram::Transfer transfer;
    transfer.source = AddFootprint(copy.view, turn);
    transfer.target = AddFootprint(copy.target, turn);
    transfer.units = CountOf(copy.view) * program_.bytes_of_element();
    transfer.send = copy.semaphore;
    transfer.receive = copy.receive;
    const auto number = static_cast<int>(kernel_.program.transfers.size());
    kernel_.started[{core_, static_cast<int>(Own().size())}] = number;
    Own().push_back(Start(number));
    kernel_.program.transfers.push_back(transfer);
  }

  void AddEnd(int memory) {
    kernel_.ends.insert(CoreAccessText(core_, Own().size()));
    Own().push_back(Write(AddFootprint(memory, ~uint64_t{0})));
  }

  const KernelProgram& program_;
  UnrolledKernel kernel_;
  std::vector<int> instances_;  // the unrolled program's memory, by this program's
  int instance_count_ = 0;
  int core_ = 0;
};

std::string ToText(const KernelProgram::View& view) {
  std::ostringstream text;
  text << "m" << view.memory << "[";
  for (size_t d = 0; d < view.slices.size(); ++d) {
    const auto& slice = view.slices[d];
    text << (d == 0 ? "" : ", ") << slice.start;
    if (slice.per_turn != 0) text << "+" << slice.per_turn << "i";
    if (!slice.squeezed) text << ":" << slice.size << (slice.step == 1 ? "" : "/" + std::to_string(slice.step));
  }
  return text.str() + "]";
}

std::string ToText(const std::vector<KernelProgram::Statement>& statements);

std::string ToText(const KernelProgram::Statement& statement) {
  std::ostringstream text;
  const auto counted = [&](const char* word) {
    text << word << " s" << statement.semaphore << " x" << statement.units;
  };
  switch (statement.kind) {
    case Kind::kRead:
      text << "read " << ToText(statement.view);
      break;
    case Kind::kWrite:
      text << "write " << ToText(statement.view);
      break;
    case Kind::kReadWrite:
      text << "update " << ToText(statement.view);
      break;
    case Kind::kSignal:
      counted("signal");
      break;
    case Kind::kWait:
      counted("wait");
      break;
    case Kind::kPeek:
      counted("peek");
      break;
    case Kind::kCopy:
      text << "copy " << ToText(statement.view) << " -> " << ToText(statement.target) << " s" << statement.semaphore;
      if (statement.receive >= 0) text << " r" << statement.receive;
      break;
    case Kind::kLoop:
      text << "loop " << statement.turns << " {" << ToText(statement.body) << " }";
      break;
    case Kind::kScope:
      text << "scope";
      for (const int memory : statement.memories) text << " m" << memory;
      text << " {" << ToText(statement.body) << " }";
  }
  return text.str();
}

std::string ToText(const std::vector<KernelProgram::Statement>& statements) {
  std::string text;
  for (const auto& statement : statements) text += " " + ToText(statement) + ";";
  return text;
}

// The footprint of "c1.4" or "t2.read".
OrderProgram::Footprint FootprintOf(const OrderProgram& program, const std::string& access) {
  const size_t dot = access.find('.');
  const auto number = static_cast<size_t>(std::stoi(access.substr(1, dot - 1)));
  if (access[0] == 't') {
    const auto& transfer = program.transfers[number];
    return program.footprints[static_cast<size_t>(access.substr(dot) == ".read" ? transfer.source : transfer.target)];
  }
  const auto& operation = program.cores[number][static_cast<size_t>(std::stoi(access.substr(dot + 1)))];
  return program.footprints[static_cast<size_t>(operation.target)];
}

}  // namespace

int KernelProgram::bytes_of_element() const {
  return element == Element::kInt8 ? 1 : element == Element::kBfloat16 ? 2 : 4;
}

int CountOf(const KernelProgram::View& view) {
  int count = 1;
  for (const auto& slice : view.slices) count *= slice.size;
  return count;
}

uint64_t ElementsOf(const KernelProgram& program, const KernelProgram::View& view, int turn) {
  const std::vector<int>& shape = program.memories[static_cast<size_t>(view.memory)].shape;
  std::vector<int> elements = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto& slice = view.slices[d];
    std::vector<int> further;
    for (const int element : elements) {
      for (int i = 0; i < slice.size; ++i) {
        further.push_back(element * shape[d] + slice.start + turn * slice.per_turn + i * slice.step);
      }
    }
    elements = std::move(further);
  }
  uint64_t bits = 0;
  for (const int element : elements) bits |= uint64_t{1} << element;
  return bits;
}

std::string ToText(const KernelProgram& program) {
  std::ostringstream text;
  text << program.name << ", elements of " << program.bytes_of_element() << " bytes";
  for (size_t m = 0; m < program.memories.size(); ++m) {
    const auto& memory = program.memories[m];
    text << "\n  m" << m << ":";
    for (const int size : memory.shape) text << " " << size;
    if (memory.owner >= 0) text << (memory.scoped ? ", in a scope of core " : ", of core ") << memory.owner;
  }
  for (size_t s = 0; s < program.semaphores.size(); ++s) {
    const auto& semaphore = program.semaphores[s];
    text << "\n  s" << s << " of core " << semaphore.owner << (semaphore.dma ? ", in bytes" : "");
  }
  for (size_t c = 0; c < program.cores.size(); ++c) text << "\n  c" << c << ":" << ToText(program.cores[c]);
  return text.str();
}

UnrolledKernel Unroll(const KernelProgram& program) { return Unroller(program).Make(); }

KernelVerdict VerdictOf(const UnrolledKernel& kernel, const OrderVerdict& found) {
  KernelVerdict verdict;
  verdict.blocked = found.blocked;
  for (const auto& [a, b] : found.races) {
    const bool a_ends = kernel.ends.contains(a);
    if (!a_ends && !kernel.ends.contains(b)) {
      verdict.races.emplace(a, b);
    } else {
      verdict.used_after_scope.insert(std::stoi((a_ends ? b : a).substr(1)));
      verdict.uses_after_scope.emplace(a, b);
    }
  }
  verdict.in_flight = found.unfinished;
  if (!verdict.blocked.empty()) {
    verdict.used_after_scope.clear();
    verdict.uses_after_scope.clear();
    verdict.in_flight.clear();
  }
  return verdict;
}

std::string ToText(const KernelVerdict& verdict) {
  std::ostringstream text;
  text << "races";
  for (const auto& [a, b] : verdict.races) text << " " << a << "-" << b;
  text << "; blocked";
  for (const auto& [core, operation] : verdict.blocked) text << " " << core << "@" << operation;
  text << "; used after scope";
  for (const int transfer : verdict.used_after_scope) text << " t" << transfer;
  text << "; in flight";
  for (const int transfer : verdict.in_flight) text << " t" << transfer;
  return text.str();
}

std::map<int, uint64_t> RacedFor(const UnrolledKernel& kernel, const std::set<RacePair>& races) {
  std::map<int, uint64_t> raced;
  for (const auto& [a, b] : races) {
    const OrderProgram::Footprint one = FootprintOf(kernel.program, a);
    raced[one.memory] |= one.elements & FootprintOf(kernel.program, b).elements;
  }
  return raced;
}

}  // namespace strandcore
