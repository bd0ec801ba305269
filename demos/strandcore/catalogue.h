// The tool's catalogue: every kernel of kernels/ with operands of a small size, and the faulty ones with their repaired
// twins.
#ifndef STRANDCORE_DEMOS_STRANDCORE_CATALOGUE_H_
#define STRANDCORE_DEMOS_STRANDCORE_CATALOGUE_H_

#include "runtime/cli/catalogue.h"

namespace strandcore {

Catalogue KernelCatalogue();

}  // namespace strandcore

#endif  // STRANDCORE_DEMOS_STRANDCORE_CATALOGUE_H_
