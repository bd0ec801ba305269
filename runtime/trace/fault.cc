#include "runtime/trace/fault.h"

#include <map>
#include <ostream>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace strandcore {

const char* FaultName(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDeadlock:
      return "deadlock";
    case FaultKind::kKernelError:
      return "kernel-error";
    case FaultKind::kOutOfBounds:
      return "out-of-bounds";
    case FaultKind::kCapacity:
      return "capacity";
    case FaultKind::kRace:
      return "race";
    case FaultKind::kUseAfterScope:
      return "use-after-scope";
    case FaultKind::kTransferInFlightAtExit:
      return "transfer-in-flight-at-exit";
    case FaultKind::kSemaphoreNotZero:
      return "semaphore-not-zero";
    case FaultKind::kUninitialisedRead:
      return "uninitialised-read";
    case FaultKind::kRevisitedOutput:
      return "revisited-output";
  }
  return "unknown";
}

bool StopsTheRun(FaultKind kind) { return kind <= FaultKind::kCapacity; }

std::string Fault::ToString() const {
  std::string text = absl::StrCat(FaultName(kind), ": ", headline);
  for (const std::string& line : lines) absl::StrAppend(&text, "\n  ", line);
  if (count > 1) absl::StrAppend(&text, "\n  ", count, " times");
  return text;
}

bool operator<(const Fault& a, const Fault& b) {
  return std::tie(a.kind, a.headline, a.lines, a.accesses, a.count, a.cause) <
         std::tie(b.kind, b.headline, b.lines, b.accesses, b.count, b.cause);
}

std::vector<std::vector<size_t>> GroupedByCause(const std::vector<Fault>& faults) {
  std::vector<std::vector<size_t>> groups;
  std::map<std::string, size_t> group_of;
  auto tells_most = [&](size_t i) {
    const std::vector<AccessKind>& accesses = faults[i].accesses;
    return !accesses.empty() && (accesses[0] == AccessKind::kCoreRead || accesses[0] == AccessKind::kCoreWrite);
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    const auto [found, is_new] = group_of.try_emplace(faults[i].cause, groups.size());
    if (is_new || faults[i].cause.empty()) {
      groups.push_back({i});
      continue;
    }
    std::vector<size_t>& group = groups[found->second];
    group.insert(tells_most(i) && !tells_most(group[0]) ? group.begin() : group.end(), i);
  }
  return groups;
}

const char* AccessKindName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kCoreRead:
      return "core-read";
    case AccessKind::kCoreWrite:
      return "core-write";
    case AccessKind::kDmaRead:
      return "dma-read";
    case AccessKind::kDmaWrite:
      return "dma-write";
  }
  return "unknown";
}

const char* NoteName(NoteKind kind) {
  switch (kind) {
    case NoteKind::kAmbiguousWait:
      return "ambiguous-wait";
    case NoteKind::kLatePost:
      return "late-post";
    case NoteKind::kUnstableIndex:
      return "unstable-index";
  }
  return "unknown";
}

std::string Note::ToString() const {
  return absl::StrCat("note: ", NoteName(kind), ": ", text,
                      place.site.known() ? absl::StrCat(" (", place.ToString(), ")") : "");
}

bool operator<(const Note& a, const Note& b) { return std::tie(a.kind, a.text) < std::tie(b.kind, b.text); }

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.ToString(); }

std::ostream& operator<<(std::ostream& out, const Note& note) { return out << note.ToString(); }

}  // namespace strandcore
