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
  }
  return "unknown";
}

std::string Fault::ToString() const {
  std::string text = absl::StrCat(FaultName(kind), ": ", headline);
  for (const std::string& line : lines) absl::StrAppend(&text, "\n  ", line);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.ToString(); }

}  // namespace strandcore
