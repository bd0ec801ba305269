// Arrays in NumPy's .npy files, format version 1.0 and 2.0, in C order. bfloat16, which NumPy does not have, is stored
// as uint16 with the same bits.
//
//   absl::StatusOr<Array> x = Array::Load("x.npy");
//   absl::Status saved = y.Save("y.npy");
//
// Array's own Load and Save; what they refuse names the file, what was expected and what was found.
#ifndef STRANDCORE_RUNTIME_MEMORY_NPY_H_
#define STRANDCORE_RUNTIME_MEMORY_NPY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/memory/dtype.h"

namespace strandcore {

// What the head of a file says.
struct NpyHeader {
  DType dtype = DType::kFloat32;
  Dims shape;
};

// The head of a file of such an array, up to the first element.
std::string FormatNpyHeader(const NpyHeader& header);
// Of the text between the magic string and the data: "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 128), }".
absl::StatusOr<NpyHeader> ParseNpyHeader(const std::string& text);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_NPY_H_
