#include "runtime/check/findings.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace strandcore {
namespace {

AccessKind KindOf(const SeenAccess& access) {
  if (access.by_transfer()) return access.write ? AccessKind::kDmaWrite : AccessKind::kDmaRead;
  return access.write ? AccessKind::kCoreWrite : AccessKind::kCoreRead;
}

// "the body", "a copy-in"
std::string WhoOf(const SeenAccess& access) {
  switch (access.stamp.phase) {
    case Phase::kInitialize:
    case Phase::kCopyIn:
    case Phase::kPrefetch:
      return access.by_transfer() ? "a copy-in" : "the pipeline";
    case Phase::kCopyOut:
      return access.by_transfer() ? "a copy-out" : "the pipeline";
    case Phase::kBody:
      return access.by_transfer() ? "a copy" : "the body";
    case Phase::kKernel:
      return access.by_transfer() ? "a copy" : "the kernel";
    default:
      return access.by_transfer() ? "a copy" : "the pipeline";
  }
}

// "rows 0–127, columns 0–127"
std::string RegionText(const Region& region) {
  const int rank = region.rank;
  std::string text;
  for (int d = 0; d < rank; ++d) {
    const char* unit = d == rank - 1 ? "columns" : d == rank - 2 ? "rows" : "indices";
    const int64_t last = region.end[d] - 1;
    absl::StrAppend(&text, text.empty() ? "" : ", ", unit, " ", region.start[d]);
    if (last != region.start[d]) absl::StrAppend(&text, "–", last);
  }
  return text;
}

std::string HeadlineOf(const std::string& memory, const SeenAccess& earlier, const SeenAccess& later) {
  const char* does = later.write ? " writes " : " reads ";
  std::string text = absl::StrCat(WhoOf(later), does, memory, " while ");
  if (!earlier.by_transfer()) {
    return absl::StrCat(text, earlier.core == later.core ? WhoOf(earlier) : absl::StrCat("core ", earlier.core),
                        " may still be ", earlier.write ? "writing" : "reading", " it");
  }
  return absl::StrCat(text, WhoOf(earlier), " is still ", earlier.write ? "filling" : "reading", " it");
}

std::string SideText(const std::string& memory, const Region& region, const SeenAccess& side) {
  const std::string place = PlaceOf(side.stamp, CoreId{0, side.core}, "").ToString();
  return absl::StrCat(side.by_transfer() ? absl::StrCat(WhoOf(side), ", started by ") : "", place, ": ",
                      side.write ? "writes " : "reads ", memory, ", ", RegionText(region));
}

// What makes two races one: everything but where in the grid they are.
std::string PairName(const std::string& memory, const SeenAccess& earlier, const SeenAccess& later) {
  auto name = [](const SeenAccess& side) {
    return absl::StrCat(AccessKindName(KindOf(side)), " ", PhaseName(side.stamp.phase), " ", side.stamp.site.file, ":",
                        side.stamp.site.line, " ", side.stamp.operand);
  };
  return absl::StrCat(memory, "|", name(later), "|", name(earlier), "|", earlier.core == later.core);
}

// Wherever in the grid. (One file's name may lie in memory twice.)
bool AtSameSites(const Fault& a, const Fault& b) {
  return std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                    [](const Place& one, const Place& other) {
                      return one.core == other.core && one.phase == other.phase && one.site.line == other.site.line &&
                             std::strcmp(one.site.file, other.site.file) == 0;
                    });
}

std::string PostText(const PostName& post) {
  return post.tick == 0 ? absl::StrCat("signal ", post.number, " of core ", post.core)
                        : absl::StrCat("copy ", post.number, " of core ", post.core);
}

}  // namespace

void Findings::NameSemaphore(int32_t semaphore, const std::string& name) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (static_cast<size_t>(semaphore) >= semaphores_.size()) semaphores_.resize(static_cast<size_t>(semaphore) + 1);
  semaphores_[static_cast<size_t>(semaphore)] = name;
}

std::string Findings::NameOf(int32_t semaphore) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return NameUnderLock(semaphore);
}

std::string Findings::NameUnderLock(int32_t semaphore) const {
  const size_t at = static_cast<size_t>(semaphore);
  return semaphore >= 0 && at < semaphores_.size() ? semaphores_[at] : "its semaphore";
}

void Findings::AddRace(const std::string& memory, const Region& region, const SeenAccess& earlier,
                       const SeenAccess& later, const std::optional<UnsurePost>& unsure) {
  std::lock_guard<std::mutex> lock(mutex_);
  const std::string name = PairName(memory, earlier, later);
  if (auto found = races_.find(name); found != races_.end()) {
    ++found->second.count;
    return;
  }
  Fault fault;
  fault.kind = FaultKind::kRace;
  fault.headline = HeadlineOf(memory, earlier, later);
  fault.lines = {SideText(memory, region, later), SideText(memory, region, earlier)};
  if (unsure.has_value()) {
    std::string instead;
    for (const PostName& post : unsure->instead) absl::StrAppend(&instead, instead.empty() ? "" : ", ", PostText(post));
    fault.lines.push_back(absl::StrCat("nothing orders them: the waits of core ", later.core, " on ",
                                       NameUnderLock(unsure->semaphore), " may have been paid by ", instead,
                                       " instead of ", PostText(unsure->post)));
  } else if (earlier.by_transfer()) {
    fault.lines.push_back(absl::StrCat("nothing orders them: core ", later.core, " has not waited ",
                                       NameUnderLock(earlier.semaphore), " for this copy"));
  } else {
    fault.lines.push_back(absl::StrCat("nothing orders them: core ", later.core, " has waited for nothing that core ",
                                       earlier.core, " signalled afterwards"));
  }
  fault.places = {PlaceOf(later.stamp, CoreId{0, later.core}, memory),
                  PlaceOf(earlier.stamp, CoreId{0, earlier.core}, memory)};
  fault.accesses = {KindOf(later), KindOf(earlier)};
  races_.emplace(name, std::move(fault));
}

void Findings::Add(Fault fault) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Fault& other : others_) {
    if (other.kind != fault.kind || other.headline != fault.headline || !AtSameSites(other, fault)) continue;
    other.count += fault.count;
    return;
  }
  others_.push_back(std::move(fault));
}

void Findings::Add(Note note) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
}

void Findings::ForgetRaces() {
  std::lock_guard<std::mutex> lock(mutex_);
  races_.clear();
}

void Findings::Forget(FaultKind kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(others_, [kind](const Fault& fault) { return fault.kind == kind; });
}

void Findings::Forget(NoteKind kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(notes_, [kind](const Note& note) { return note.kind == kind; });
}

bool Findings::any(FaultKind kind) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(others_.begin(), others_.end(), [kind](const Fault& fault) { return fault.kind == kind; });
}

bool Findings::any_race() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !races_.empty();
}

std::vector<Fault> Findings::TakeFaults() {
  std::vector<Fault> faults;
  for (auto& [name, fault] : races_) faults.push_back(std::move(fault));
  std::vector<Fault> others = std::move(others_);
  std::sort(others.begin(), others.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.kind, a.headline, a.lines) < std::tie(b.kind, b.headline, b.lines);
  });
  for (Fault& fault : others) faults.push_back(std::move(fault));
  return faults;
}

std::vector<Note> Findings::TakeNotes() {
  std::vector<Note> notes = std::move(notes_);
  std::sort(notes.begin(), notes.end(),
            [](const Note& a, const Note& b) { return std::tie(a.kind, a.text) < std::tie(b.kind, b.text); });
  return notes;
}

}  // namespace strandcore
