#include "runtime/check/region_union.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/memory/bounds.h"

namespace strandcore {
namespace {

constexpr size_t kMostShown = 3;

bool SameBehind(int d, const Region& a, const Region& b) {
  for (int k = d + 1; k < a.rank; ++k) {
    if (a.start[k] != b.start[k] || a.end[k] != b.end[k]) return false;
  }
  return true;
}

// Of regions that are alike in the dimensions before `d`.
std::vector<Region> UnionFrom(int d, const std::vector<Region>& regions) {
  if (regions.empty()) return {};
  if (d == regions[0].rank) return {regions[0]};
  std::vector<int64_t> lines;
  for (const Region& region : regions) lines.insert(lines.end(), {region.start[d], region.end[d]});
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::vector<Region> all;
  size_t slab = 0;  // where the last slab's begin
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    std::vector<Region> within;
    for (const Region& region : regions) {
      if (region.start[d] > lines[i] || region.end[d] < lines[i + 1]) continue;
      within.push_back(region);
      within.back().start[d] = lines[i];
      within.back().end[d] = lines[i + 1];
    }
    const std::vector<Region> next = UnionFrom(d + 1, within);
    const bool goes_on = !next.empty() && all.size() - slab == next.size() && all[slab].end[d] == lines[i] &&
                         std::equal(next.begin(), next.end(), all.begin() + static_cast<std::ptrdiff_t>(slab),
                                    [d](const Region& a, const Region& b) { return SameBehind(d, a, b); });
    if (goes_on) {
      for (size_t each = slab; each < all.size(); ++each) all[each].end[d] = lines[i + 1];
    } else if (!next.empty()) {
      slab = all.size();
      all.insert(all.end(), next.begin(), next.end());
    }
  }
  return all;
}

std::string PartText(const Region& region, const std::vector<bool>& named) {
  std::string text;
  for (int d = 0; d < region.rank; ++d) {
    if (!named[static_cast<size_t>(d)]) continue;
    const bool one = region.size(d) == 1;
    absl::StrAppend(&text, text.empty() ? "" : ", ", DimensionUnit(region.rank, d, !one), " ", region.start[d]);
    if (!one) absl::StrAppend(&text, "–", region.end[d] - 1);
  }
  return text;
}

}  // namespace

std::string PartText(const Region& region) {
  if (region.rank == 0) return "its one element";
  return PartText(region, std::vector<bool>(static_cast<size_t>(region.rank), true));
}

std::vector<Region> RegionUnion(const std::vector<Region>& regions) {
  std::vector<Region> all = UnionFrom(0, regions);
  std::sort(all.begin(), all.end(), [](const Region& a, const Region& b) {
    return std::lexicographical_compare(a.start, a.start + a.rank, b.start, b.start + b.rank);
  });
  return all;
}

std::string PartsText(const std::vector<Region>& regions, const Region& whole) {
  if (whole.rank == 0) return "its one element";
  std::vector<bool> named(static_cast<size_t>(whole.rank), false);
  for (const Region& region : regions) {
    for (int d = 0; d < whole.rank; ++d) {
      if (region.size(d) != whole.size(d)) named[static_cast<size_t>(d)] = true;
    }
  }
  if (std::find(named.begin(), named.end(), true) == named.end()) named.assign(named.size(), true);
  std::string text;
  for (size_t i = 0; i < regions.size() && i < kMostShown; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", PartText(regions[i], named));
  }
  if (regions.size() > kMostShown) absl::StrAppend(&text, "; and ", regions.size() - kMostShown, " more");
  return text;
}

}  // namespace strandcore
