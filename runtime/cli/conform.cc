#include "runtime/cli/conform.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

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

bool OneOrder(const Json& golden) {
  const Json& expect = golden["expect"];
  const auto hazards = expect.find("hazards");
  return !golden.value("order_sensitive", false) && !golden.value("cross_core", false) &&
         (hazards == expect.end() || hazards->empty());
}

}  // namespace

std::string Difference(const Json& golden, const Json& result, bool in_order) {
  const auto found = golden.find("expect");
  if (found == golden.end() || !found->is_object()) return "field expect: expected an object";
  const Json& expect = *found;
  if (expect.contains("error") || result.contains("error")) {
    const std::string expected = expect.value("error", "none");
    const std::string actual = result.value("error", "none");
    return expected == actual ? "" : absl::StrCat("error: expected ", expected, ", given ", actual);
  }
  if (expect.contains("deadlock") != result.contains("deadlock")) {
    return absl::StrCat("deadlock: expected ", expect.contains("deadlock") ? "one" : "none", ", given ",
                        result.value("deadlock", "none"));
  }
  const Json none = Json::array();
  std::string text = TraceDifference(expect.value("trace", none), result.value("trace", none));
  if (!text.empty()) return text;
  if (expect.contains("deadlock") || (!in_order && !OneOrder(golden))) return "";
  const Json expected = expect.value("outputs", none);
  const Json actual = result.value("outputs", none);
  return expected == actual ? "" : absl::StrCat("outputs: expected ", expected.dump(), ", given ", actual.dump());
}

}  // namespace strandcore
