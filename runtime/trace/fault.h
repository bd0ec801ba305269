// Fault: something the emulated program did that a real machine would punish, as a value for the report.
#ifndef STRANDCORE_RUNTIME_TRACE_FAULT_H_
#define STRANDCORE_RUNTIME_TRACE_FAULT_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "runtime/trace/place.h"

namespace strandcore {

enum class FaultKind : uint8_t { kDeadlock, kKernelError, kOutOfBounds, kCapacity };

// "deadlock", "kernel-error", ...
const char* FaultName(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kDeadlock;
  std::string headline;            // without the kind: "nothing can run"
  std::vector<std::string> lines;  // what the author needs to see, each a line
  std::vector<Place> places;       // the cores concerned

  // "deadlock: nothing can run", then the lines, indented.
  std::string ToString() const;
  friend bool operator==(const Fault& a, const Fault& b) = default;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_FAULT_H_
