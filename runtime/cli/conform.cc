#include "runtime/cli/conform.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/cli/json_field.h"

namespace strandcore {
namespace {

std::string TraceDifference(const Json& expected, const Json& actual) {
  const size_t common = std::min(expected.size(), actual.size());
  for (size_t i = 0; i < common; ++i) {
    if (expected[i] == actual[i]) continue;
    return absl::StrCat("trace[", i, "]: expected ", expected[i].dump(), ", given ", actual[i].dump());
  }
  if (expected.size() == actual.size()) return "";
  return absl::StrCat("trace: expected ", expected.size(), " entries, given ", actual.size(), "; the first ", common,
                      " are equal");
}

Json ParseTrace(const JsonField& field) {
  for (size_t i = 0; i < field.size(); ++i) field.At(i).AsArray();
  return field.AsArray();
}

Json ParseOutputs(const JsonField& field) {
  for (size_t i = 0; i < field.size(); ++i) field.At(i).AsNumber();
  return field.AsArray();
}

// Whether the line says that other orders give other outputs, in one of the ways in which it can.
bool SaysOneOrder(const JsonField& line, const JsonField& expect) {
  bool one = true;
  for (const char* key : {"order_sensitive", "cross_core"}) {
    if (auto flag = line.Find(key)) one = !flag->AsBool() && one;
  }
  if (auto hazards = expect.Find("hazards")) {
    for (size_t i = 0; i < hazards->size(); ++i) hazards->At(i).AsString();
    one = hazards->size() == 0 && one;
  }
  return one;
}

Json Sorted(Json list) {
  std::sort(list.begin(), list.end());
  return list;
}

Expectation ParseLine(const JsonField& line) {
  const JsonField expect = line.Get("expect");
  Expectation parsed;
  parsed.one_order = SaysOneOrder(line, expect);
  if (auto error = expect.Find("error")) {
    parsed.error = error->AsString();
    return parsed;
  }
  parsed.trace = ParseTrace(expect.Get("trace"));
  if (auto deadlock = expect.Find("deadlock")) {
    deadlock->AsString();  // any text will do
    parsed.deadlock = true;
    return parsed;
  }
  parsed.outputs = ParseOutputs(expect.Get("outputs"));
  if (auto hazards = expect.Find("hazards")) parsed.hazards = Sorted(hazards->AsArray());
  if (auto cross_core = line.Find("cross_core")) parsed.cross_core = cross_core->AsBool();
  return parsed;
}

}  // namespace

absl::StatusOr<Expectation> ParseExpectation(const Json& golden) {
  try {
    return ParseLine(JsonField(golden, ""));
  } catch (const JsonField::Error& error) {
    return absl::InvalidArgumentError(error.text);
  }
}

std::string Difference(const Expectation& expected, const Json& result, bool as_the_seed) {
  if (expected.error.has_value() || result.contains("error")) {
    const std::string wanted = expected.error.value_or("none");
    const std::string given = result.value("error", "none");
    return wanted == given ? "" : absl::StrCat("error: expected ", wanted, ", given ", given);
  }
  if (expected.deadlock != result.contains("deadlock")) {
    return absl::StrCat("deadlock: expected ", expected.deadlock ? "one" : "none", ", given ",
                        result.value("deadlock", "none"));
  }
  const Json none = Json::array();
  std::string text = TraceDifference(expected.trace, result.value("trace", none));
  if (!text.empty()) return text;
  if (expected.deadlock) return "";
  if (expected.hazards.has_value() && *expected.hazards != result.value("hazards", none)) {
    return absl::StrCat("hazards: expected ", expected.hazards->dump(), ", given ",
                        result.value("hazards", none).dump());
  }
  if (expected.cross_core != result.value("cross_core", false)) {
    return absl::StrCat("cross_core: expected ", expected.cross_core, ", given ", !expected.cross_core);
  }
  if (!as_the_seed && !expected.one_order) return "";
  const Json outputs = result.value("outputs", none);
  return expected.outputs == outputs
             ? ""
             : absl::StrCat("outputs: expected ", expected.outputs.dump(), ", given ", outputs.dump());
}

}  // namespace strandcore
