// Region: a rectangle of elements in the coordinates of one allocation's physical shape: [start, end) in each of up to
// eight dimensions. What a view touches and what shadow state is kept by.
//
// A value. Only the numbers of its own dimensions are ever written, read or copied, each by itself: a copy in wider
// words of numbers just written would make the processor wait for its own stores.
#ifndef STRANDCORE_RUNTIME_CHECK_REGION_H_
#define STRANDCORE_RUNTIME_CHECK_REGION_H_

#include <cstdint>
#include <string>

#include "runtime/base/dims.h"

namespace strandcore {

struct Region {
  Region() {}  // of rank 0, which has one element
  Region(const Dims& starts, const Dims& sizes) : rank(starts.size()) {
    for (int d = 0; d < rank; ++d) {
      start[d] = starts[d];
      end[d] = starts[d] + sizes[d];
    }
  }
  Region(const Region& other) { *this = other; }
  Region& operator=(const Region& other) {
    rank = other.rank;
    for (int d = 0; d < rank; ++d) {
      start[d] = other.start[d];
      end[d] = other.end[d];
    }
    return *this;
  }

  int64_t size(int d) const { return end[d] - start[d]; }
  bool empty() const {
    for (int d = 0; d < rank; ++d) {
      if (end[d] <= start[d]) return true;
    }
    return false;
  }
  // REQUIRES, for the next ones: none is empty, and of one rank.
  int64_t elements() const {
    int64_t product = 1;
    for (int d = 0; d < rank; ++d) product *= size(d);
    return product;
  }
  bool Contains(const Region& other) const {
    for (int d = 0; d < rank; ++d) {
      if (other.start[d] < start[d] || other.end[d] > end[d]) return false;
    }
    return true;
  }
  bool Overlaps(const Region& other) const {
    for (int d = 0; d < rank; ++d) {
      if (other.start[d] >= end[d] || other.end[d] <= start[d]) return false;
    }
    return true;
  }
  // What both have; may be empty.
  Region Intersection(const Region& other) const {
    Region both;
    both.rank = rank;
    for (int d = 0; d < rank; ++d) {
      both.start[d] = start[d] > other.start[d] ? start[d] : other.start[d];
      both.end[d] = end[d] < other.end[d] ? end[d] : other.end[d];
    }
    return both;
  }

  friend bool operator==(const Region& a, const Region& b) {
    if (a.rank != b.rank) return false;
    for (int d = 0; d < a.rank; ++d) {
      if (a.start[d] != b.start[d] || a.end[d] != b.end[d]) return false;
    }
    return true;
  }

  // "[0:8, 128:256]".
  std::string ToString() const;

  int32_t rank = 0;
  int64_t start[kMaxRank];
  int64_t end[kMaxRank];
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REGION_H_
