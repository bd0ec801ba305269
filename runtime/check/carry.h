// Carry: what a copy makes of its target: each element becomes as defined as the one it is copied from.
//
// In two halves, so that two shadows are never locked at once, and source and target may be one:
//
//   FindHoles(source, its definedness)  ──►  holes, by index in the view  ──►  SetHoles(target, its definedness)
//
//   sliced, strided, squeezed, transposed    rectangle by rectangle, each dimension by itself
//   a reshaped source                        halved until each part is defined or undefined as a whole
//   running past the end                     what there is no memory for is undefined, as the copy fills it with poison
#ifndef STRANDCORE_RUNTIME_CHECK_CARRY_H_
#define STRANDCORE_RUNTIME_CHECK_CARRY_H_

#include <string>
#include <vector>

#include "runtime/base/dims.h"
#include "runtime/check/definedness.h"
#include "runtime/memory/ref.h"

namespace strandcore {

// Undefined elements of a view, by their indices in it. Those of one view may overlap.
struct ViewHole {
  Dims start;
  Dims size;
  ElementState state;
};

// Adds them. `name`: of the view's memory, kept as long as any shadow; what they are said to come from if nothing
// before is known.
void FindHoles(const Ref& source, const Definedness& definedness, const std::string* name,
               std::vector<ViewHole>* holes);

// The elements of `target` become undefined where `holes` says so; all others defined, unless `adds`: then they stay.
void SetHoles(const Ref& target, const std::vector<ViewHole>& holes, bool adds, Definedness& definedness);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_CARRY_H_
