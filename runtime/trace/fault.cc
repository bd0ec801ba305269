#include "runtime/trace/fault.h"

#include <ostream>

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

std::string Note::ToString() const { return absl::StrCat("note: ", NoteName(kind), ": ", text); }

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.ToString(); }

}  // namespace strandcore
