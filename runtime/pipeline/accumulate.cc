#include "runtime/pipeline/accumulate.h"

#include <cstring>
#include <type_traits>

#include "runtime/memory/dtype.h"
#include "runtime/memory/window.h"

namespace strandcore {
namespace {

// Calls visit(a, b) for matching parts that can be seen as matrices: all of it, or index by index of the first
// dimension where padding lies between.
template <typename Visit>
void ForEachMatrix(const Ref& a, const Ref& b, Visit&& visit) {
  if (a.rank() <= 2) return visit(a, b);
  for (int64_t i = 0; i < a.shape()[0]; ++i) ForEachMatrix(a.At(i), b.At(i), visit);
}

template <typename T>
void AddMatrix(const Ref& addend, const Ref& window) {
  auto from = addend.Read<T>(Site{});
  auto to = window.ReadWrite<T>(Site{});
  if constexpr (std::is_same_v<T, int32_t>) {
    // Wraps as the hardware does; signed overflow would be undefined.
    to = (from.template cast<uint32_t>() + to.template cast<uint32_t>()).template cast<int32_t>();
  } else if constexpr (std::is_integral_v<T>) {
    const auto sum = (from.template cast<float>() + to.template cast<float>()).eval();
    for (int64_t r = 0; r < to.rows(); ++r) {
      for (int64_t c = 0; c < to.cols(); ++c) StoreFromDouble(window.dtype(), &to(r, c), sum(r, c));
    }
  } else {
    to = (from.template cast<float>() + to.template cast<float>()).template cast<T>();
  }
}

}  // namespace

void FillZeros(const Ref& window) {
  VisitDType(window.dtype(), [&]<typename T>(std::type_identity<T>) {
    ForEachMatrix(window, window, [](const Ref& part, const Ref&) { part.Write<T>(Site{}).setConstant(T(0)); });
  });
}

void CopyWindow(const Ref& from, const Ref& to) {
  VisitDType(from.dtype(), [&]<typename T>(std::type_identity<T>) {
    ForEachMatrix(from, to, [](const Ref& a, const Ref& b) { b.Write<T>(Site{}) = a.Read<T>(Site{}); });
  });
}

void AddWindow(const Ref& addend, const Ref& window) {
  VisitDType(window.dtype(), [&]<typename T>(std::type_identity<T>) { ForEachMatrix(addend, window, AddMatrix<T>); });
}

}  // namespace strandcore
