#include "runtime/check/semaphore_ledger.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/digits.h"

namespace strandcore {
namespace {

std::string UnitsText(int64_t units, bool dma) {
  return absl::StrCat(DigitsInGroups(units),
                      dma ? (units == 1 ? " byte" : " bytes") : (units == 1 ? " unit" : " units"));
}

std::string PlaceText(const Stamp& stamp, int32_t core) { return PlaceOf(stamp, CoreId{0, core}, "").ToString(); }

// Whether two stamps are of one line of the source, wherever in the grid.
bool OfOneLine(const Stamp& a, const Stamp& b) {
  return a.site.line == b.site.line && a.phase == b.phase && a.operand == b.operand && a.site == b.site;
}

}  // namespace

void SemaphoreLedger::Post(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) {
  if (units == 0) return;
  Posts& posts = PostsOf(core, semaphore);
  ++posts.times;
  posts.units += units;
  for (int i = 0; i < posts.places; ++i) {
    if (OfOneLine(posts.first[i], stamp)) return;
  }
  if (posts.places < kMostPlaces) {
    posts.first[posts.places++] = stamp;
  } else {
    posts.elsewhere = true;
  }
}

void SemaphoreLedger::End(int32_t core, const EndingSemaphore& ending, bool forget, const Stamp& stamp) {
  Core& self = cores_[static_cast<size_t>(core)];
  if (forget) {
    Recent& recent = self.recent[static_cast<size_t>(ending.semaphore) % std::size(self.recent)];
    if (recent.semaphore == ending.semaphore) recent = Recent();
    self.posts.erase(ending.semaphore);
  } else {
    self.ended.push_back({ending.semaphore, ending.dma, stamp});
  }
}

void SemaphoreLedger::Explain(int32_t core, int32_t semaphore) {
  cores_[static_cast<size_t>(core)].explained.push_back(semaphore);
}

std::vector<Fault> SemaphoreLedger::Faults(const std::function<int64_t(int32_t)>& units_of,
                                           const std::function<std::string(int32_t)>& name_of) const {
  std::set<int32_t> explained;
  for (const Core& core : cores_) explained.insert(core.explained.begin(), core.explained.end());
  std::vector<Fault> faults;
  for (size_t owner = 0; owner < cores_.size(); ++owner) {
    std::map<std::string, size_t> found;  // by name and place, where among the faults
    for (const Ended& ended : cores_[owner].ended) {
      const int64_t left = units_of(ended.semaphore);
      if (left == 0 || (ended.dma && explained.contains(ended.semaphore))) continue;
      const std::string name = name_of(ended.semaphore);
      const Stamp& stamp = ended.stamp;
      const std::string key =
          absl::StrCat(name, "|", stamp.site.file, ":", stamp.site.line, "|", PhaseName(stamp.phase));
      if (const auto [at, is_new] = found.emplace(key, faults.size()); is_new) {
        faults.push_back(FaultOf(static_cast<int32_t>(owner), ended, left, name));
      } else {
        ++faults[at->second].count;
      }
    }
  }
  return faults;
}

Fault SemaphoreLedger::FaultOf(int32_t owner, const Ended& ended, int64_t left, const std::string& name) const {
  Fault fault;
  fault.kind = FaultKind::kSemaphoreNotZero;
  fault.headline = absl::StrCat(name, " of core ", owner, " ends with ", UnitsText(left, ended.dma), " left");
  int64_t paid = 0;
  int payers = 0;
  for (size_t core = 0; core < cores_.size(); ++core) {
    const auto found = cores_[core].posts.find(ended.semaphore);
    if (found == cores_[core].posts.end()) continue;
    const Posts& posts = found->second;
    paid += posts.units;
    if (++payers > kMostPayers) continue;
    const auto id = static_cast<int32_t>(core);
    std::string line =
        absl::StrCat("core ", id, ended.dma ? " paid it by copies " : " signalled it ",
                     posts.times == 1 ? "once" : DigitsInGroups(posts.times), posts.times == 1 ? ", " : " times, ",
                     UnitsText(posts.units, ended.dma), " in all, first at ", PlaceText(posts.first[0], id));
    for (int i = 1; i < posts.places; ++i) absl::StrAppend(&line, ", then also at ", PlaceText(posts.first[i], id));
    fault.lines.push_back(line + (posts.elsewhere ? " and elsewhere" : ""));
    for (int i = 0; i < posts.places; ++i) fault.places.push_back(PlaceOf(posts.first[i], CoreId{0, id}, ""));
  }
  if (payers > kMostPayers) fault.lines.push_back(absl::StrCat("and ", payers - kMostPayers, " more cores"));
  fault.lines.push_back(
      absl::StrCat("core ", owner, " waited for ", paid == left ? "none of them" : UnitsText(paid - left, ended.dma)));
  fault.lines.push_back(absl::StrCat("its scope was left by ", PlaceText(ended.stamp, owner)));
  fault.places.insert(fault.places.begin(), PlaceOf(ended.stamp, CoreId{0, owner}, ""));
  return fault;
}

}  // namespace strandcore
