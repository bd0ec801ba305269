// Index: what a view is asked for in one dimension: one element (the dimension goes away), a dynamic slice (`Ds`), or
// all of it (`All`).
//
//   x.At(3)                    x.At(Ds(8, 8), All())             x.At(Ds(0, 4, /*stride=*/2), 5)
#ifndef STRANDCORE_RUNTIME_MEMORY_INDEX_H_
#define STRANDCORE_RUNTIME_MEMORY_INDEX_H_

#include <concepts>
#include <cstdint>

namespace strandcore {

struct Index {
  enum class Kind : uint8_t { kElement, kSlice, kAll };

  constexpr Index() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): x.At(3) is how an element is asked for.
  constexpr Index(std::integral auto element) : start(static_cast<int64_t>(element)) {}
  constexpr Index(Kind kind, int64_t start, int64_t size, int64_t stride)
      : kind(kind), start(start), size(size), stride(stride) {}

  Kind kind = Kind::kElement;
  int64_t start = 0;
  int64_t size = 1;
  int64_t stride = 1;
};

// The `size` elements start, start + stride, start + 2 stride, ...
constexpr Index Ds(int64_t start, int64_t size, int64_t stride = 1) {
  return Index(Index::Kind::kSlice, start, size, stride);
}

constexpr Index All() { return Index(Index::Kind::kAll, 0, 0, 1); }

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_INDEX_H_
