#include "runtime/check/findings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check/explain.h"

namespace strandcore {
namespace {

std::string SiteName(const Site& site) { return absl::StrCat(site.file, ":", site.line); }

// What makes two races one: everything but where in the grid they are.
std::string PairName(const std::string& memory, const SeenAccess& earlier, const SeenAccess& later) {
  auto name = [](const SeenAccess& side) {
    return absl::StrCat(AccessKindName(KindOf(side)), " ", PhaseName(side.stamp.phase), " ", SiteName(side.stamp.site),
                        " ", side.stamp.operand);
  };
  return absl::StrCat(memory, "|", name(later), "|", name(earlier), "|", earlier.core == later.core);
}

// What makes two other faults one: what they say, at the same lines of the source, on whichever core and wherever in
// the grid.
std::string NameOf(const Fault& fault) {
  std::string name = absl::StrCat(FaultName(fault.kind), "|", fault.headline);
  for (const Place& place : fault.places) {
    absl::StrAppend(&name, "|", PhaseName(place.phase), " ", SiteName(place.site));
  }
  return name;
}

int32_t CoreOf(const Fault& fault) { return fault.places.empty() ? 0 : fault.places[0].core.core; }

}  // namespace

template <typename Kept>
void Findings::Bound(Kept& kept) {
  if (kept.size() <= kMostKept) return;
  kept.erase(std::prev(kept.end()));
  overflowed_ = true;
}

void Findings::AddRace(const std::string& memory, const Region& region, const SeenAccess& earlier,
                       const SeenAccess& later, absl::FunctionRef<void(Fault& fault)> explain) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = races_.try_emplace(PairName(memory, earlier, later));
  Fault& fault = found->second;
  if (!is_new) {
    ++fault.count;
    return;
  }
  fault.kind = FaultKind::kRace;
  fault.headline = RaceHeadline(memory, earlier, later);
  fault.lines = {SideText(memory, region, later), SideText(memory, region, earlier)};
  fault.places = {PlaceOf(later.stamp, CoreId{0, later.core}, memory),
                  PlaceOf(earlier.stamp, CoreId{0, earlier.core}, memory)};
  fault.accesses = {KindOf(later), KindOf(earlier)};
  explain(fault);
  Bound(races_);
}

void Findings::Add(Fault fault) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string name = NameOf(fault);
  const auto [found, is_new] = others_.try_emplace(std::move(name), std::move(fault));
  if (is_new) return Bound(others_);
  // Not moved from: try_emplace leaves it where the name is there already.
  Fault& kept = found->second;
  const int64_t count = kept.count + fault.count;
  if (CoreOf(fault) < CoreOf(kept)) kept = std::move(fault);
  kept.count = count;
}

void Findings::Add(Note note) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string name = absl::StrCat(NoteName(note.kind), "|", note.text, "|", note.place.ToString());
  notes_.try_emplace(std::move(name), std::move(note));
  Bound(notes_);
}

void Findings::ForgetRaces() {
  std::lock_guard<std::mutex> lock(mutex_);
  races_.clear();
}

void Findings::Forget(FaultKind kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(others_, [kind](const auto& kept) { return kept.second.kind == kind; });
}

void Findings::Forget(NoteKind kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(notes_, [kind](const auto& kept) { return kept.second.kind == kind; });
}

bool Findings::any(FaultKind kind) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(others_.begin(), others_.end(), [kind](const auto& kept) { return kept.second.kind == kind; });
}

bool Findings::any_race() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !races_.empty();
}

std::vector<Fault> Findings::TakeFaults() {
  std::vector<Fault> faults;
  for (auto* kept : {&races_, &others_}) {
    for (auto& [name, fault] : *kept) faults.push_back(std::move(fault));
    kept->clear();
  }
  std::stable_sort(faults.begin(), faults.end());
  return faults;
}

std::vector<Note> Findings::TakeNotes() {
  std::vector<Note> notes;
  for (auto& [name, note] : notes_) notes.push_back(std::move(note));
  notes_.clear();
  std::stable_sort(notes.begin(), notes.end());
  return notes;
}

}  // namespace strandcore
