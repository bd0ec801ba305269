// RegionUnion: a set of elements as few rectangles, which depend on the set alone and not on how it was cut before:
// what a report says.
#ifndef STRANDCORE_RUNTIME_CHECK_REGION_UNION_H_
#define STRANDCORE_RUNTIME_CHECK_REGION_UNION_H_

#include <string>
#include <vector>

#include "runtime/check/region.h"

namespace strandcore {

// Disjoint, and as large as they get: cut along the first dimension wherever what lies in the others changes, then
// those along the second, and so on. In the order of their first elements. REQUIRES: all of one rank, none empty.
std::vector<Region> RegionUnion(const std::vector<Region>& regions);

// "rows 0–3, columns 0–127", every dimension.
std::string PartText(const Region& region);
// A few of them: "rows 0–3, columns 0–127; row 7, columns 0–5; and 3 more". A dimension that
// all cover which is `whole` is left out, unless nothing would be left.
std::string PartsText(const std::vector<Region>& regions, const Region& whole);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_REGION_UNION_H_
