// Fault: something the emulated program did that a real machine would punish, as a value for the report.
#ifndef STRANDCORE_RUNTIME_TRACE_FAULT_H_
#define STRANDCORE_RUNTIME_TRACE_FAULT_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "runtime/trace/place.h"

namespace strandcore {

enum class FaultKind : uint8_t {
  kDeadlock,
  kKernelError,
  kOutOfBounds,
  kCapacity,
  // Found by the checker; the run goes on.
  kRace,
  kUseAfterScope,
  kTransferInFlightAtExit,
  kSemaphoreNotZero,
  kUninitialisedRead,
  kRevisitedOutput,
};

// "deadlock", "kernel-error", ...
const char* FaultName(FaultKind kind);

// Whether the run ends with it: all cores are unwound. Others are recorded.
bool StopsTheRun(FaultKind kind);

// How one side of a race touches memory.
enum class AccessKind : uint8_t { kCoreRead, kCoreWrite, kDmaRead, kDmaWrite };

// "core-read", "dma-write", ...
const char* AccessKindName(AccessKind kind);

struct Fault {
  FaultKind kind = FaultKind::kDeadlock;
  std::string headline;                   // without the kind: "nothing can run"
  std::vector<std::string> lines;         // what the author needs to see, each a line
  std::vector<Place> places;              // the cores concerned; of a race, the later side first
  std::vector<AccessKind> accesses = {};  // of a race, as its places
  int64_t count = 1;                      // how often, at these places
  // What all faults of one mistake share: the copy that was not waited for; "" where nothing is known to be shared.
  std::string cause = {};

  // "deadlock: nothing can run", then the lines, indented.
  std::string ToString() const;
  friend bool operator==(const Fault& a, const Fault& b) = default;
  // The order of a report: by kind, then by what is said.
  friend bool operator<(const Fault& a, const Fault& b);
};

// The faults of one cause together, as positions in `faults`: first the one that tells most, a race of a core's own
// access where there is one. Groups come in the order of their first fault.
std::vector<std::vector<size_t>> GroupedByCause(const std::vector<Fault>& faults);

// Something that may be right, but is worth knowing: a report with notes is ok.
enum class NoteKind : uint8_t { kAmbiguousWait, kLatePost, kUnstableIndex };

// "ambiguous-wait", ...
const char* NoteName(NoteKind kind);

struct Note {
  NoteKind kind = NoteKind::kAmbiguousWait;
  std::string text;
  Place place;

  std::string ToString() const;
  friend bool operator==(const Note& a, const Note& b) = default;
  // The order of a report: by kind, then by what is said.
  friend bool operator<(const Note& a, const Note& b);
};

std::ostream& operator<<(std::ostream& out, const Fault& fault);
std::ostream& operator<<(std::ostream& out, const Note& note);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_FAULT_H_
