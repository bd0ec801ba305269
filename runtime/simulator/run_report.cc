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

std::string ProofText(const RunReport& report) {
  if (report.proved) return "; proved";
  return report.why_not_proved.empty() ? "" : absl::StrCat("; not proved: ", report.why_not_proved);
}

// What else the cause of a fault has led to, in a line.
std::string AlsoText(const Fault& fault) {
  std::string text = absl::StrCat("\n  also ", FaultName(fault.kind), ": ", fault.headline);
  if (fault.kind == FaultKind::kRace && !fault.places.empty()) {
    absl::StrAppend(&text, ", at ", fault.places[0].ToString());
  }
  return fault.count > 1 ? absl::StrCat(text, ", ", fault.count, " times") : text;
}

// "… and 212 more faults: race 200, use-after-scope 12"
std::string LeftOutText(const std::vector<LeftOut>& left_out, bool more) {
  int64_t faults = 0;
  std::string kinds;
  for (const LeftOut& left : left_out) {
    faults += left.faults;
    absl::StrAppend(&kinds, kinds.empty() ? ": " : ", ", FaultName(left.kind), " ", left.faults);
  }
  if (faults == 0 && !more) return "";
  return absl::StrCat("… and ", more ? "more than " : "", faults, " more fault", faults == 1 ? "" : "s", kinds);
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
  for (const std::vector<size_t>& group : GroupedByCause(faults)) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", faults[group[0]].ToString());
    for (size_t i = 1; i < group.size(); ++i) absl::StrAppend(&text, AlsoText(faults[group[i]]));
  }
  if (const std::string more = LeftOutText(left_out, more_faults); !more.empty()) absl::StrAppend(&text, "\n", more);
  for (const Note& note : notes) absl::StrAppend(&text, text.empty() ? "" : "\n", note.ToString());
  if (notes_left_out > 0) absl::StrAppend(&text, "\n… and ", Plural(notes_left_out, "more note"));
  if (!ok()) return text;
  return absl::StrCat("ok: ", Plural(cores, "core"), ", ", Plural(counters.steps, "step"), CopiesText(counters),
                      ProofText(*this), text.empty() ? "" : "\n", text);
}

std::ostream& operator<<(std::ostream& out, const RunReport& report) { return out << report.ToString(); }

}  // namespace strandcore
