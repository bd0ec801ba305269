// OperandMemory: the emulated memory of one run's operands.
//
// Ownership: owns the allocations; those in HBM borrow the arrays' bytes. Concurrency: the simulator's, before and
// after the run.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_OPERAND_MEMORY_H_
#define STRANDCORE_RUNTIME_SIMULATOR_OPERAND_MEMORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/core/tensor_core.h"
#include "runtime/memory/allocation.h"
#include "runtime/simulator/operand.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

class OperandMemory {
 public:
  OperandMemory() = default;
  ~OperandMemory();
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  // Lays the operands out; refuses bad arrays, names and places by operand. Leaves the host's arrays as they are.
  absl::Status LayOut(const Operands& operands, int64_t hbm_bytes, Fill fresh,
                      std::vector<std::unique_ptr<TensorCore>>& cores);
  // Before the cores are launched: where each operand is, and what holds a value. After the run: what the host gets.
  void TellOf(Monitor& monitor) const;
  void TellHandOver(Monitor& monitor) const;
  // Once nothing can refuse the launch any more: outputs that the run does not also read become fresh memory.
  absl::Status RefreshOutputs();
  // The operands as core number `core` sees them.
  std::vector<Ref> RefsFor(size_t core, KernelContext& context) const;
  std::vector<std::string> Names() const;
  // Writable or not, by operand.
  std::vector<bool> Writable() const;
  // After the run: what was computed in VMEM or SMEM goes back to the arrays.
  void CopyBack();
  void PoisonOutputs();

 private:
  struct Place {
    Operand operand;
    // One for all cores, or one a core (SMEM).
    std::vector<std::unique_ptr<Allocation>> allocations;
    std::vector<TensorCore*> owners;  // whose VMEM or SMEM they take room of; empty in HBM
  };
  absl::Status CheckName(const Operand& operand, OperandId id) const;
  // The operand before this one that is the same memory in HBM; null if there is none.
  const Place* SameBefore(const Place& place) const;
  // Whether the run reads this array.
  bool IsRead(const Array& array) const;
  absl::Status LayOutOne(const Operand& operand, OperandId id, std::vector<std::unique_ptr<TensorCore>>& cores);
  absl::Status AddOnChip(Place& place, OperandId id, TensorCore& core);

  absl::Status LayOutInHbm(Place& place, OperandId id);

  Fill fresh_ = Fill::kPoison;
  std::vector<Place> places_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_OPERAND_MEMORY_H_
