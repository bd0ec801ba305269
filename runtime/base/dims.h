// Dims: up to eight 64-bit numbers, one per dimension: a shape, strides, an index, a block index, a grid point.
//
// A value without heap memory: windows and grid points are made for every tile, so copying one must cost next to
// nothing. More than eight numbers do not fit; `overflowed()` then says so, and every public entry point that takes
// a shape or a grid refuses such a value.
#ifndef STRANDCORE_RUNTIME_BASE_DIMS_H_
#define STRANDCORE_RUNTIME_BASE_DIMS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace strandcore {

inline constexpr int kMaxRank = 8;

class Dims {
 public:
  constexpr Dims() = default;
  constexpr Dims(std::initializer_list<int64_t> values) : overflowed_(values.size() > kMaxRank) {
    size_ = overflowed_ ? kMaxRank : static_cast<int32_t>(values.size());
    for (int i = 0; i < size_; ++i) values_[i] = values.begin()[i];
  }
  // `count` times `value`.
  static constexpr Dims Filled(int count, int64_t value) {
    Dims dims;
    for (int i = 0; i < count; ++i) dims.push_back(value);
    return dims;
  }
  template <typename Range>
  static constexpr Dims From(const Range& range) {
    Dims dims;
    for (const auto& value : range) dims.push_back(static_cast<int64_t>(value));
    return dims;
  }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool overflowed() const { return overflowed_; }
  constexpr int64_t& operator[](int i) { return values_[i]; }
  constexpr int64_t operator[](int i) const { return values_[i]; }
  constexpr int64_t back() const { return values_[size_ - 1]; }
  constexpr const int64_t* begin() const { return values_; }
  constexpr const int64_t* end() const { return values_ + size_; }
  constexpr int64_t* begin() { return values_; }
  constexpr int64_t* end() { return values_ + size_; }

  constexpr void push_back(int64_t value) {
    if (size_ == kMaxRank) {
      overflowed_ = true;
      return;
    }
    values_[size_++] = value;
  }

  // The product of all numbers; 1 for none.
  constexpr int64_t Product() const {
    int64_t product = 1;
    for (int64_t value : *this) product *= value;
    return product;
  }

  friend constexpr bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    // Last: read together with the size, it would make the processor wait until both have reached the cache.
    return a.overflowed_ == b.overflowed_;
  }

  // "(8, 128)"; "(5,)" for one number, "()" for none.
  std::string ToString() const;

 private:
  int64_t values_[kMaxRank] = {};
  int32_t size_ = 0;
  bool overflowed_ = false;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_BASE_DIMS_H_
