// Ref: a view of emulated memory: which allocation, where in it, in which shape. What kernels and bodies are given,
// what copies are made between.
//
// A small value without heap memory, trivially copyable; making one costs a few nanoseconds. Views of views compose:
// indices, slices with strides, transposes and reshapes all end in one offset and one stride a dimension. Each is
// checked against the shape of the view it is taken of; a mistake throws `Stop`, which ends the kernel and the run.
// (A launch may permit slices past an array's end: bounds.h.)
//
//   y.Write<float>() = 2.0f * x.Read<float>();        // Eigen maps; taking one declares the access (window.h)
//   x.At(Ds(0, 8), Ds(128, 128)).Load<float>();       // a part, copied out
//   slot.Set<int32_t>(1);                             // a scalar
//
// Ownership: none; the allocation and the port outlive it.
#ifndef STRANDCORE_RUNTIME_MEMORY_REF_H_
#define STRANDCORE_RUNTIME_MEMORY_REF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "runtime/base/dims.h"
#include "runtime/base/refusal.h"
#include "runtime/base/site.h"
#include "runtime/memory/access_port.h"
#include "runtime/memory/allocation.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/index.h"

namespace strandcore {

class Ref {
 public:
  // Of nothing; only to be assigned to.
  Ref() = default;
  // All of an allocation.
  explicit Ref(Allocation* allocation, AccessPort* port = nullptr)
      : allocation_(allocation),
        port_(port),
        shape_(allocation->shape()),
        strides_(allocation->physical_strides()),
        dtype_(allocation->dtype()) {}

  Allocation* allocation() const { return allocation_; }
  AccessPort* port() const { return port_; }
  const Dims& shape() const { return shape_; }
  const Dims& strides() const { return strides_; }  // in elements
  int64_t offset() const { return offset_; }        // of the first element, in elements
  int rank() const { return shape_.size(); }
  DType dtype() const { return dtype_; }
  MemorySpace space() const { return allocation_->space(); }
  const std::string& name() const { return allocation_->name(); }
  int64_t elements() const { return shape_.Product(); }
  // What a copy of it moves and its semaphore counts; also where the view overruns its allocation.
  int64_t bytes() const { return elements() * DTypeSize(dtype_); }
  std::byte* data() const { return allocation_->data() + offset_ * DTypeSize(dtype_); }

  // Whether it may run past the end of its allocation: a block rounded up to the tile, of UncheckedWindow, or a view
  // that reaches_out(). Who touches their memory clips them (footprint.h).
  bool overruns() const { return overruns_; }
  // Whether it is, or is taken of, a slice past the end of its array that the launch permits (bounds.h). It also ends
  // where the padding begins; each use of it is checked.
  bool reaches_out() const { return reaches_out_; }
  // Whether it lies past that end from its first element on, so that there is nothing to touch.
  bool outside() const { return outside_dim_ >= 0; }
  // If so: in which dimension of the allocation, and from where there.
  int outside_dim() const { return outside_dim_; }
  int64_t outside_start() const { return outside_start_; }
  // The dimension of the allocation along which dimension `d` steps. -1 for one that steps along none: added by a
  // reshape, or any dimension of a view that is reshaped(), where some were merged or split.
  int base_dimension(int d) const { return base_dimensions_[d]; }
  bool reshaped() const { return reshaped_; }

  // "x (64, 128) float32 in HBM".
  std::string Describe() const;

  // Views. Fewer indices than dimensions leave the last ones whole.
  Ref At() const { return *this; }
  template <typename... Indices>
  Ref At(const Sited<Index>& first, const Indices&... indices) const {
    const Index list[] = {first.value, Index(indices)...};
    return Slice(list, first.site);
  }
  Ref Slice(absl::Span<const Index> indices, Site site = Site::Here()) const {
    return StopAt(site, [&] { return SliceHere(indices); });
  }
  // Dimension d of the result is dimension permutation[d] of this.
  Ref Transpose(const Dims& permutation, Site site = Site::Here()) const {
    return StopAt(site, [&] { return TransposeHere(permutation); });
  }
  // The same elements in row-major order in another shape; refused where that would need a copy.
  Ref Reshape(const Dims& shape, Site site = Site::Here()) const {
    return StopAt(site, [&] { return ReshapeHere(shape); });
  }
  // Without the dimensions whose bit (1 << d) is set; each must be of size 1.
  Ref Squeeze(uint32_t dimensions) const;

  // For the pipeline: a plain slice of every dimension, not checked against the shape.
  // REQUIRES: as many starts and sizes as dimensions; `overruns` unless the slice lies within the shape. A reshaped
  // view cannot be overrun, which is refused.
  Ref UncheckedWindow(const Dims& starts, const Dims& sizes, bool overruns) const {
    Ref window;
    window.SetToWindow(*this, starts, sizes, overruns);
    return window;
  }
  // The same, in place: becomes that window of `base`.
  void SetToWindow(const Ref& base, const Dims& starts, const Dims& sizes, bool overruns) {
    *this = base;
    shape_ = sizes;
    if (__builtin_expect(overruns || base.overruns_, 0)) return MoveBeyond(base, starts);
    for (int d = 0; d < starts.size(); ++d) offset_ += starts[d] * strides_[d];
  }

  // Becomes the block of `base` at this index, in blocks. REQUIRES: blocks of this shape divide it and it is there.
  void SetToBlock(const Ref& base, const Dims& index, const Dims& block) {
    if (__builtin_expect(base.overruns_, 0)) {
      Dims starts;
      for (int d = 0; d < block.size(); ++d) starts.push_back(index[d] * block[d]);
      return SetToWindow(base, starts, block, false);
    }
    *this = base;
    shape_ = block;
    for (int d = 0; d < block.size(); ++d) offset_ += index[d] * block[d] * base.strides_[d];
  }

  // Access to the elements: defined in window.h.
  //
  // Every access is declared to the port, refused in a kernel for memory in HBM, and checked for the element type.
  // Seen as a matrix, rank 0 is 1 x 1, rank 1 is 1 x n, and leading dimensions beyond two are merged into the rows.

  // Eigen maps of the memory itself: Read's is const, ReadWrite's is the same as Write's but declares both.
  template <typename T>
  auto Read(Site site = Site::Here()) const;
  template <typename T>
  auto Write(Site site = Site::Here()) const;
  template <typename T>
  auto ReadWrite(Site site = Site::Here()) const;

  // A copy, as an Eigen array, whatever the strides; with a mask, `other` stands wherever the mask is false.
  template <typename T>
  auto Load(Site site = Site::Here()) const;
  template <typename T, typename Mask>
  auto Load(const Mask& mask, std::type_identity_t<T> other, Site site = Site::Here()) const;
  // Copies an Eigen expression in; with a mask, only the elements where it is true are written.
  template <typename Values>
  void Store(const Values& values, Site site = Site::Here()) const;
  template <typename Values, typename Mask>
  requires(!std::is_same_v<Mask, Site>) void Store(const Values& values, const Mask& mask,
                                                   Site site = Site::Here()) const;

  // One element; the index may be left out where there is only one.
  template <typename T>
  T Get(const Dims& index = {}, Site site = Site::Here()) const;
  template <typename T>
  void Set(T value, const Dims& index = {}, Site site = Site::Here()) const;

  // Tells the port, if it has one that listens.
  void Declare(AccessMode mode, Site site) const {
    if (port_ != nullptr && port_->observed) port_->OnAccess(*this, mode, site);
  }
  // The same of the elements where `mask`, dense in row-major order, is true.
  void DeclareMasked(AccessMode mode, const bool* mask, Site site) const;

 private:
  // Stop without a site.
  Ref SliceHere(absl::Span<const Index> indices) const;
  Ref TransposeHere(const Dims& permutation) const;
  Ref ReshapeHere(const Dims& shape) const;
  // From the first element of `base` to the one at `starts`.
  void Move(const Ref& base, const Dims& starts, bool overruns) {
    if (__builtin_expect(overruns || base.overruns_, 0)) {
      MoveBeyond(base, starts);
    } else {
      for (int d = 0; d < starts.size(); ++d) offset_ += starts[d] * base.strides_[d];
    }
  }
  // Adds dimension `d` of `base` at the end.
  void Append(const Ref& base, int d, int64_t size, int64_t stride) {
    base_dimensions_[shape_.size()] = base.base_dimensions_[d];
    shape_.push_back(size);
    strides_.push_back(stride);
  }
  void MoveBeyond(const Ref& base, const Dims& starts);

  Allocation* allocation_ = nullptr;
  AccessPort* port_ = nullptr;
  int64_t offset_ = 0;
  int64_t outside_start_ = 0;
  Dims shape_;
  Dims strides_;
  DType dtype_ = DType::kFloat32;
  bool overruns_ = false;
  bool reaches_out_ = false;
  bool reshaped_ = false;
  int8_t base_dimensions_[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7};
  int8_t outside_dim_ = -1;
};

static_assert(std::is_trivially_copyable_v<Ref> && sizeof(Ref) <= 192);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_REF_H_
