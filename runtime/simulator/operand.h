// Operand: an array that a run is given, under a name that reports use: `In`, `Out` or `InOut`.
//
// In HBM by default, and then the array's own memory is the emulated memory: nothing is copied. In VMEM or SMEM on
// request: copied in before the run and out after it. Several operands may be one array.
//
// Ownership: the array is the caller's and must outlive the run. Concurrency: nobody else may touch it meanwhile.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_OPERAND_H_
#define STRANDCORE_RUNTIME_SIMULATOR_OPERAND_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/memory/allocation.h"
#include "runtime/memory/array.h"

namespace strandcore {

struct Operand {
  enum class Direction : uint8_t { kIn, kOut, kInOut, kScratch };
  std::string name;
  Direction direction = Direction::kIn;
  MemorySpace space = MemorySpace::kHbm;
  const Array* input = nullptr;   // what the run reads; null for scratch
  Array* output = nullptr;        // what it writes; null for an input and for scratch
  DType dtype = DType::kFloat32;  // of scratch
  Dims shape = {};
};

// Read only: a copy into it is refused.
inline Operand In(std::string name, const Array& array, MemorySpace space = MemorySpace::kHbm) {
  return {std::move(name), Operand::Direction::kIn, space, &array, nullptr, array.dtype(), array.shape()};
}
// Poison at the start, unless the run also reads the array as another operand.
inline Operand Out(std::string name, Array& array, MemorySpace space = MemorySpace::kHbm) {
  return {std::move(name), Operand::Direction::kOut, space, &array, &array, array.dtype(), array.shape()};
}
inline Operand InOut(std::string name, Array& array, MemorySpace space = MemorySpace::kHbm) {
  return {std::move(name), Operand::Direction::kInOut, space, &array, &array, array.dtype(), array.shape()};
}

// Memory in HBM that all cores of the device share, for this run alone.
inline Operand Scratch(std::string name, DType dtype, const Dims& shape) {
  return {std::move(name), Operand::Direction::kScratch, MemorySpace::kHbm, nullptr, nullptr, dtype, shape};
}

using Operands = std::vector<Operand>;

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_OPERAND_H_
