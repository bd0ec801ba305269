// Window: the elements of a view for a body that computes with Eigen: the definitions of Ref's Read, Write, ReadWrite,
// Load, Store, Get and Set.
//
// Read, Write and ReadWrite give the memory itself and are what a body normally takes; they need a minor dimension
// without gaps. Load and Store copy, and accept any view and a mask, of which only what it takes is accessed. Elements
// of a view that lie past the physical end of its allocation load as poison, and storing them does nothing; there is no
// map of such a view. Where the launch lets views reach outside their array, they are checked here for what is done
// with them (bounds.h).
#ifndef STRANDCORE_RUNTIME_MEMORY_WINDOW_H_
#define STRANDCORE_RUNTIME_MEMORY_WINDOW_H_

#include <cstdint>
#include <string>

#include "Eigen/Core"
#include "absl/status/status.h"
#include "runtime/base/dims.h"
#include "runtime/base/refusal.h"
#include "runtime/base/site.h"
#include "runtime/memory/bounds.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/footprint.h"
#include "runtime/memory/ref.h"
#include "runtime/memory/tiling.h"
#include "runtime/memory/walk.h"

namespace strandcore {

// What Load returns.
template <typename T>
using OwnedWindow = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// What Read returns, and what Write and ReadWrite return.
template <typename T>
using ConstWindow = Eigen::Map<const OwnedWindow<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <typename T>
using MutableWindow = Eigen::Map<OwnedWindow<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

namespace internal {

struct MatrixLayout {
  int64_t rows;
  int64_t columns;
  int64_t row_stride;  // in elements
};

// A shape with strides seen as a matrix in place; false if it cannot be, which NoMatrix explains.
bool LayoutAsMatrix(const Dims& shape, const Dims& strides, MatrixLayout* layout);
absl::Status NoMatrix(const std::string& title, const Dims& shape, const Dims& strides);
// Stops a kernel that takes the wrong element type, memory it cannot load from, or memory it may only read to write it.
void CheckAccess(const Ref& ref, DType asked, AccessMode mode);
// CheckAccess, and the layout for a map of the memory itself.
MatrixLayout CheckAnyMap(const Ref& ref, DType asked, AccessMode mode);
// The same, quickly for what nearly all windows are. (In VMEM nothing is read-only: an operand there is a copy.)
inline MatrixLayout CheckMap(const Ref& ref, DType asked, AccessMode mode) {
  const bool plain = ref.rank() == 2 && ref.strides()[1] == 1 && !ref.overruns();
  if (!plain || ref.space() != MemorySpace::kVmem || ref.dtype() != asked) return CheckAnyMap(ref, asked, mode);
  return {ref.shape()[0], ref.shape()[1], ref.strides()[0]};
}
// Stops unless a matrix given for `ref` has its size. `what`: "values", "mask".
void CheckSize(const Ref& ref, const char* what, int64_t rows, int64_t columns);
// The part of one element at `index`; may be empty if there is only one.
Ref ElementPart(const Ref& ref, const Dims& index);

// Between the view and a dense copy of its shape; null `mask` means everywhere.
template <typename T>
void Gather(const Ref& ref, const bool* mask, T* dense) {
  const T* memory = reinterpret_cast<const T*>(ref.data());
  Dims extent;
  if (!MemoryExtent(ref, &extent)) return;
  const int64_t columns = MatrixSizeOf(extent).columns;
  const int64_t step = ref.rank() == 0 ? 1 : ref.strides().back();
  ForEachRow(extent, ref.strides(), RowMajorStrides(ref.shape()), [&](int64_t from, int64_t to) {
    for (int64_t c = 0; c < columns; ++c) {
      if (mask == nullptr || mask[to + c]) dense[to + c] = memory[from + c * step];
    }
  });
}

template <typename T>
void Scatter(const Ref& ref, const bool* mask, const T* dense) {
  T* memory = reinterpret_cast<T*>(ref.data());
  Dims extent;
  if (!MemoryExtent(ref, &extent)) return;
  const int64_t columns = MatrixSizeOf(extent).columns;
  const int64_t step = ref.rank() == 0 ? 1 : ref.strides().back();
  ForEachRow(extent, ref.strides(), RowMajorStrides(ref.shape()), [&](int64_t to, int64_t from) {
    for (int64_t c = 0; c < columns; ++c) {
      if (mask == nullptr || mask[from + c]) memory[to + c * step] = dense[from + c];
    }
  });
}

// One element that may lie outside its array.
template <typename T>
T GetBeyond(const Ref& part) {
  T value;
  FillPoison(part.dtype(), &value, 1);
  Gather<T>(part, nullptr, &value);
  return value;
}

}  // namespace internal

template <typename T>
auto Ref::Read(Site site) const {
  const internal::MatrixLayout layout =
      StopAt(site, [&] { return internal::CheckMap(*this, DTypeOf<T>(), AccessMode::kRead); });
  Declare(AccessMode::kRead, site);
  return ConstWindow<T>(reinterpret_cast<const T*>(data()), layout.rows, layout.columns,
                        Eigen::OuterStride<>(layout.row_stride));
}

template <typename T>
auto Ref::Write(Site site) const {
  const internal::MatrixLayout layout =
      StopAt(site, [&] { return internal::CheckMap(*this, DTypeOf<T>(), AccessMode::kWrite); });
  Declare(AccessMode::kWrite, site);
  return MutableWindow<T>(reinterpret_cast<T*>(data()), layout.rows, layout.columns,
                          Eigen::OuterStride<>(layout.row_stride));
}

template <typename T>
auto Ref::ReadWrite(Site site) const {
  const internal::MatrixLayout layout =
      StopAt(site, [&] { return internal::CheckMap(*this, DTypeOf<T>(), AccessMode::kReadWrite); });
  Declare(AccessMode::kReadWrite, site);
  return MutableWindow<T>(reinterpret_cast<T*>(data()), layout.rows, layout.columns,
                          Eigen::OuterStride<>(layout.row_stride));
}

template <typename T>
auto Ref::Load(Site site) const {
  StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kRead);
    CheckUse(*this, AccessMode::kRead);
  });
  Declare(AccessMode::kRead, site);
  const MatrixSize size = MatrixSizeOf(shape_);
  OwnedWindow<T> values(size.rows, size.columns);
  if (overruns_) FillPoison(dtype_, values.data(), values.size());
  internal::Gather<T>(*this, nullptr, values.data());
  return values;
}

template <typename T, typename Mask>
auto Ref::Load(const Mask& mask, std::type_identity_t<T> other, Site site) const {
  const OwnedWindow<bool> wanted = mask;
  StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kRead);
    internal::CheckSize(*this, "mask", wanted.rows(), wanted.cols());
    CheckUse(*this, AccessMode::kRead, wanted.data());
  });
  DeclareMasked(AccessMode::kRead, wanted.data(), site);
  OwnedWindow<T> values(wanted.rows(), wanted.cols());
  if (overruns_) FillPoison(dtype_, values.data(), values.size());
  internal::Gather<T>(*this, wanted.data(), values.data());
  for (int64_t i = 0; i < values.size(); ++i) {
    if (!wanted.data()[i]) values.data()[i] = other;
  }
  return values;
}

template <typename Values>
void Ref::Store(const Values& values, Site site) const {
  using T = typename Values::Scalar;
  const OwnedWindow<T> given = values;
  StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kWrite);
    internal::CheckSize(*this, "values", given.rows(), given.cols());
    CheckUse(*this, AccessMode::kWrite);
  });
  Declare(AccessMode::kWrite, site);
  internal::Scatter<T>(*this, nullptr, given.data());
}

template <typename Values, typename Mask>
requires(!std::is_same_v<Mask, Site>) void Ref::Store(const Values& values, const Mask& mask, Site site) const {
  using T = typename Values::Scalar;
  const OwnedWindow<T> given = values;
  const OwnedWindow<bool> wanted = mask;
  StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kWrite);
    internal::CheckSize(*this, "values", given.rows(), given.cols());
    internal::CheckSize(*this, "mask", wanted.rows(), wanted.cols());
    CheckUse(*this, AccessMode::kWrite, wanted.data());
  });
  DeclareMasked(AccessMode::kWrite, wanted.data(), site);
  internal::Scatter<T>(*this, wanted.data(), given.data());
}

template <typename T>
T Ref::Get(const Dims& index, Site site) const {
  const Ref part = StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kRead);
    const Ref element = internal::ElementPart(*this, index);
    CheckUse(element, AccessMode::kRead);
    return element;
  });
  part.Declare(AccessMode::kRead, site);
  if (__builtin_expect(part.reaches_out(), 0)) return internal::GetBeyond<T>(part);
  return *reinterpret_cast<const T*>(part.data());
}

template <typename T>
void Ref::Set(T value, const Dims& index, Site site) const {
  const Ref part = StopAt(site, [&] {
    internal::CheckAccess(*this, DTypeOf<T>(), AccessMode::kWrite);
    const Ref element = internal::ElementPart(*this, index);
    CheckUse(element, AccessMode::kWrite);
    return element;
  });
  part.Declare(AccessMode::kWrite, site);
  if (__builtin_expect(part.reaches_out(), 0)) return internal::Scatter<T>(part, nullptr, &value);
  *reinterpret_cast<T*>(part.data()) = value;
}

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_WINDOW_H_
