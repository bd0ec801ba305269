#include "tests/house/source_tree.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace strandcore::house {
namespace {

namespace fs = std::filesystem;

bool IsSource(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cc" || path.filename() == "CMakeLists.txt";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, count);
  pclose(pipe);
  return output;
}

}  // namespace

std::vector<SourceFile> ReadSourceTree(const std::string& root) {
  std::vector<SourceFile> files;
  for (const char* folder : {"runtime", "kernels", "demos", "tests"}) {
    if (!fs::exists(fs::path(root) / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      SourceFile file{entry.path().lexically_relative(root).generic_string(), ReadFile(entry.path())};
      if (!file.IsUnder("tests/bench/baseline")) files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> TopLevelNames(const std::string& root) {
  std::set<std::string> names;
  const std::string quoted = "'" + root + "'";
  // A folder owned by somebody else is no reason for git to be silent here: we only read.
  std::istringstream paths(OutputOf("git -c safe.directory=" + quoted + " -C " + quoted +
                                    " ls-files --cached --others --exclude-standard 2>/dev/null"));
  for (std::string path; std::getline(paths, path);) {
    if (fs::exists(fs::path(root) / path)) names.insert(path.substr(0, path.find('/')));
  }
  if (names.empty()) {
    for (const auto& entry : fs::directory_iterator(root)) names.insert(entry.path().filename().string());
    names.erase("build");
    names.erase(".git");
  }
  return {names.begin(), names.end()};
}

}  // namespace strandcore::house
