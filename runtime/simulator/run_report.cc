#include "runtime/simulator/run_report.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace strandcore {
namespace {

std::string Plural(int64_t count, const char* noun) { return absl::StrCat(count, " ", noun, count == 1 ? "" : "s"); }

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  int unit = 0;
  double value = static_cast<double>(bytes);
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return absl::StrFormat("%.4g %s", value, kUnits[unit]);
}

std::string CopiesText(const Counters& counters) {
  std::string text;
  int64_t bytes = 0;
  for (const OperandCounters& operand : counters.operands) {
    bytes += operand.bytes_in + operand.bytes_out;
    for (const auto& [copies, direction] : {std::pair(operand.copies_in, "in"), std::pair(operand.copies_out, "out")}) {
      if (copies == 0) continue;
      absl::StrAppend(&text, text.empty() ? "; " : ", ", operand.name, " ", copies, copies == 1 ? " copy " : " copies ",
                      direction);
    }
  }
  if (!text.empty()) absl::StrAppend(&text, ", ", BytesText(bytes));
  return text;
}

}  // namespace

OperandCounters RunReport::CountersOf(const std::string& operand) const {
  for (const OperandCounters& found : counters.operands) {
    if (found.name == operand) return found;
  }
  return {operand};
}

std::string RunReport::ToString() const {
  std::string text;
  if (!status.ok()) text = absl::StrCat("error: ", std::string(status.message()));
  for (const Fault& fault : faults) absl::StrAppend(&text, text.empty() ? "" : "\n", fault.ToString());
  for (const Note& note : notes) absl::StrAppend(&text, text.empty() ? "" : "\n", note.ToString());
  if (!ok()) return text;
  return absl::StrCat("ok: ", Plural(cores, "core"), ", ", Plural(counters.steps, "step"), CopiesText(counters),
                      proved ? "; proved" : "", text.empty() ? "" : "\n", text);
}

std::ostream& operator<<(std::ostream& out, const RunReport& report) { return out << report.ToString(); }

}  // namespace strandcore
