// Reshape: whether strided elements can be seen in another shape where they lie, and with which strides.
//
//   (4, 8) in a (4, 128) buffer, strides (128, 1)   to (2, 2, 8)   strides (256, 128, 1)
//                                                   to (32,)       refused: a gap follows every row
#ifndef STRANDCORE_RUNTIME_MEMORY_RESHAPE_H_
#define STRANDCORE_RUNTIME_MEMORY_RESHAPE_H_

#include "runtime/base/dims.h"

namespace strandcore {

Dims WithoutOnes(const Dims& dims);

// The strides of `to` such that it walks the elements of `from` in row-major order; false if there are none. A
// dimension of size 1 gets stride 0. REQUIRES: as many elements in both.
bool StridesAfterReshape(const Dims& from, const Dims& from_strides, const Dims& to, Dims* to_strides);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_RESHAPE_H_
