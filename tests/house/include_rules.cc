// The rules about who includes whom.
#include <map>
#include <optional>
#include <set>

#include "tests/house/lexer.h"
#include "tests/house/rules.h"

namespace strandcore::house {
namespace {

// Low to high; rooms on one line stand beside each other and do not see each other. `front` are the headers directly
// in runtime/, which gather rooms for users. `check` stands apart, see MayInclude.
const std::vector<std::set<std::string>> kRooms = {
    {"base"}, {"trace"},    {"exec"},      {"memory"},  {"semaphore"}, {"dma"},
    {"core"}, {"pipeline"}, {"simulator"}, {"explore"}, {"front"},     {"cli", "testing"},
};

std::optional<size_t> Height(const std::string& room) {
  for (size_t i = 0; i < kRooms.size(); ++i) {
    if (kRooms[i].contains(room)) return i;
  }
  return std::nullopt;
}

// "dma" for runtime/dma/engine.h, "front" for runtime/strandcore.h.
std::string RoomOf(const std::string& path) {
  const std::string rest = path.substr(std::string("runtime/").size());
  const size_t slash = rest.find('/');
  return slash == std::string::npos ? "front" : rest.substr(0, slash);
}

bool MayInclude(const std::string& room, const std::string& included) {
  if (room == included) return true;
  if (room == "check") return included == "base" || included == "trace" || included == "memory";
  if (included == "check") return room == "simulator";
  return Height(room) && Height(included) && *Height(included) < *Height(room);
}

std::string At(const SourceFile& file, const Include& include) {
  return file.path + ":" + std::to_string(include.line) + ": ";
}

// What is wrong with this include; "" if nothing is.
std::string Objection(const SourceFile& file, const Include& include) {
  const auto into = [&](const std::string& folder) { return include.path.starts_with(folder + "/"); };
  if (include.quoted && (include.path.find('/') == std::string::npos || include.path.starts_with("."))) {
    return "includes \"" + include.path + "\" without its path from the root";
  }
  if (into("tests") || into("demos")) return "includes " + include.path + " of a folder above it";
  if (file.IsUnder("kernels")) {
    return !into("runtime") || include.path == "runtime/strandcore.h"
               ? ""
               : "includes " + include.path + ": a kernel sees runtime/strandcore.h alone";
  }
  if (into("kernels")) return "includes " + include.path + ": the runtime does not know its kernels";
  if (!into("runtime") || MayInclude(RoomOf(file.path), RoomOf(include.path))) return "";
  return "includes " + include.path + ": " + RoomOf(include.path) + " is not below " + RoomOf(file.path);
}

bool IsAsio(const Include& include) { return include.path.starts_with("boost/asio"); }

bool MayReachAsio(const SourceFile& file) {
  return file.path.ends_with("_asio.h") || file.path == "runtime/async.h" || !file.IsHeader();
}

bool MayIncludeAsio(const SourceFile& file) {
  static const std::set<std::string> kRoomsWithAsio = {"exec", "dma", "core", "simulator"};
  if (file.path == "runtime/async.h") return true;
  return kRoomsWithAsio.contains(RoomOf(file.path)) && MayReachAsio(file);
}

using Graph = std::map<std::string, std::vector<Include>>;

// "a.h -> b.h -> boost/asio.hpp" if `path` reaches Asio, else "".
std::string WayToAsio(const Graph& graph, const std::string& path, std::set<std::string>& seen) {
  if (!seen.insert(path).second || !graph.contains(path)) return "";
  for (const Include& include : graph.at(path)) {
    if (IsAsio(include)) return path + " -> " + include.path;
    const std::string rest = WayToAsio(graph, include.path, seen);
    if (!rest.empty()) return path + " -> " + rest;
  }
  return "";
}

}  // namespace

Violations IncludesPointDown(const Files& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.IsUnder("runtime") && !file.IsUnder("kernels")) continue;
    if (file.IsUnder("runtime") && RoomOf(file.path) != "check" && !Height(RoomOf(file.path))) {
      violations.push_back(file.path + ":1: " + RoomOf(file.path) + " is not one of the rooms");
      continue;
    }
    for (const Include& include : IncludesOf(file.text)) {
      const std::string objection = Objection(file, include);
      if (!objection.empty()) violations.push_back(At(file, include) + objection);
    }
  }
  return violations;
}

Violations AsioIsIncludedByFewFiles(const Files& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    const bool runtime = file.IsUnder("runtime");
    if ((!runtime && !file.IsUnder("kernels")) || (runtime && MayIncludeAsio(file))) continue;
    for (const Include& include : IncludesOf(file.text)) {
      if (IsAsio(include)) violations.push_back(At(file, include) + "includes " + include.path);
    }
  }
  return violations;
}

Violations AsioIsReachedByFewHeaders(const Files& files) {
  Graph graph;
  for (const SourceFile& file : files) graph[file.path] = IncludesOf(file.text);
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.IsUnder("runtime") || MayReachAsio(file)) continue;
    std::set<std::string> seen;
    const std::string way = WayToAsio(graph, file.path, seen);
    if (!way.empty()) violations.push_back(file.path + ":1: reaches Asio: " + way);
  }
  return violations;
}

}  // namespace strandcore::house
