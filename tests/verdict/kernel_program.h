// KernelProgram: a small kernel as data, with loops, scopes and views of all sorts, for a few cores. It can be unrolled
// into the operations that its cores carry out, which a search over all schedules judges. Includes nothing of runtime/.
#ifndef STRANDCORE_TESTS_VERDICT_KERNEL_PROGRAM_H_
#define STRANDCORE_TESTS_VERDICT_KERNEL_PROGRAM_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/check/order_program.h"

namespace strandcore {

struct KernelProgram {
  // All of the program's memory has one element type, so elements are as exact as bytes.
  enum class Element { kInt8, kBfloat16, kFloat32 };
  static constexpr int kElements = 64;  // of each memory

  // In HBM and shared by all cores; or in VMEM, of one core, while its kernel or a scope of it lasts.
  struct Memory {
    std::vector<int> shape;
    int owner = -1;  // -1: HBM
    bool scoped = false;
  };
  // Along one dimension of a memory; `per_turn` is added to the start at each turn of the innermost loop around.
  struct Slice {
    int start = 0;
    int size = 1;
    int step = 1;
    int per_turn = 0;
    bool squeezed = false;
  };
  struct View {
    int memory = 0;
    std::vector<Slice> slices;
  };
  struct Semaphore {
    int owner = 0;
    bool dma = false;  // counts bytes of copies; else signals
  };
  struct Statement {
    enum class Kind { kRead, kWrite, kReadWrite, kSignal, kWait, kPeek, kCopy, kLoop, kScope };
    Kind kind = Kind::kRead;
    View view;    // what is accessed; a copy's source
    View target;  // of a copy
    int semaphore = 0;
    int receive = -1;  // of a copy to another core
    int64_t units = 1;
    int turns = 1;                // of a loop
    std::vector<int> memories;    // of a scope
    std::vector<Statement> body;  // of a loop or a scope
  };

  std::string name;
  Element element = Element::kFloat32;
  std::vector<Memory> memories;
  std::vector<Semaphore> semaphores;
  std::vector<std::vector<Statement>> cores;

  int bytes_of_element() const;
};

// The elements of a view at this turn of the loop around it, one bit each; which element is which as in row-major
// order.
uint64_t ElementsOf(const KernelProgram& program, const KernelProgram::View& view, int turn);
int CountOf(const KernelProgram::View& view);
std::string ToText(const KernelProgram& program);

// What the cores carry out, in their order. The end of a memory is an operation too: it counts as a write of all of it,
// so that a copy that may still be under way then is found like a race. Each entry of a scope has memory of its own.
struct UnrolledKernel {
  OrderProgram program;
  std::set<std::string> ends;                  // "c0.7": the operations that end memory
  std::map<std::pair<int, int>, int> started;  // core and operation -> transfer
};
UnrolledKernel Unroll(const KernelProgram& program);

// What holds of a kernel in all its schedules.
struct KernelVerdict {
  std::set<RacePair> races;
  std::set<std::pair<int, int>> blocked;  // core and operation; then the next two are empty
  std::set<int> used_after_scope;         // transfers that may be under way when their memory ends
  std::set<RacePair> uses_after_scope;    // the same as pairs with the memory's end; of the search
  std::set<int> in_flight;                // transfers that may be under way when all kernels have ended
  bool clean() const { return races.empty() && blocked.empty() && used_after_scope.empty() && in_flight.empty(); }
};
KernelVerdict VerdictOf(const UnrolledKernel& kernel, const OrderVerdict& found);
std::string ToText(const KernelVerdict& verdict);

// The elements that these pairs of accesses race for, by memory of the unrolled program.
std::map<int, uint64_t> RacedFor(const UnrolledKernel& kernel, const std::set<RacePair>& races);

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_VERDICT_KERNEL_PROGRAM_H_
