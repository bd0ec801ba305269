// Bounds: what a view that reaches outside its array may be used for, as the launch says (AccessPort).
//
//                         out-of-range reads: fault          out-of-range reads: uninitialised
//                         bounds: logical     padded         bounds: logical     padded
//   read in the padding           the slice   poison         poison              poison
//   read beyond it                itself      stops          poison              poison
//   write in the padding          stops       is dropped     stops               is dropped
//   write beyond it                           stops          stops               stops
//
// So such a view exists only where the launch permits some use of it, and each use is checked. Elements that a mask
// leaves out are not used. In any case, a slice stops that begins below 0, that leaves a view which ends before its
// array does (elements lie there, somebody else's), or that leaves a reshaped view (where the padding is not at the
// end).
#ifndef STRANDCORE_RUNTIME_MEMORY_BOUNDS_H_
#define STRANDCORE_RUNTIME_MEMORY_BOUNDS_H_

#include <cstdint>
#include <string>

#include "runtime/memory/access_port.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// Whether a slice of dimension `d` may reach to element `last`, which lies outside the view.
bool MayReach(const Ref& ref, int d, int64_t last);

// Stops unless `ref` may be read, or written, as far as it reaches. A mask is dense, in row-major order; null means
// everywhere.
void CheckReach(const Ref& ref, AccessMode mode, const bool* mask);
// The same, quickly for views that reach nowhere.
inline void CheckUse(const Ref& ref, AccessMode mode, const bool* mask = nullptr) {
  if (__builtin_expect(ref.reaches_out(), 0)) CheckReach(ref, mode, mask);
}
// Stops if `ref` reaches outside its array, whatever the launch permits. `advice` ends the message.
void RefuseReach(const Ref& ref, const std::string& advice);

// "rows 4–11 in steps of 2 of dimension 0 lie outside 0–7". For one element `last` is not given.
std::string OutsideText(int rank, int d, int64_t extent, int64_t first);
std::string OutsideText(int rank, int d, int64_t extent, int64_t first, int64_t last, int64_t step);
// "row", "column"; "element" in one dimension, "index" in leading ones.
std::string DimensionUnit(int rank, int d, bool plural);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_BOUNDS_H_
