#include "kernels/copy.h"

namespace strandcore {

void CopyBody(KernelContext&, Ref x, Ref y) {
  VisitDType(x.dtype(), [&]<typename T>(std::type_identity<T>) { y.Write<T>() = x.Read<T>(); });
}

}  // namespace strandcore
