// The rules about a file by itself. Those about who includes whom are in include_rules.cc.
#include "tests/house/rules.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "tests/house/lexer.h"

namespace strandcore::house {
namespace {

std::string At(const SourceFile& file, int line) { return file.path + ":" + std::to_string(line) + ": "; }

bool IsCode(const SourceFile& file) { return file.IsHeader() || file.path.ends_with(".cc"); }

void FindWords(const SourceFile& file, const std::regex& words, const std::string& objection, Violations& violations) {
  const std::string code = BlankOut(file.text, true);
  for (std::sregex_iterator i(code.begin(), code.end(), words), end; i != end; ++i) {
    violations.push_back(At(file, LineOf(code, static_cast<size_t>(i->position()))) + objection + i->str());
  }
}

// STRANDCORE_RUNTIME_BASE_DIMS_H_ for runtime/base/dims.h.
std::string GuardOf(const std::string& path) {
  std::string guard = "STRANDCORE_" + path + "_";
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return static_cast<char>(std::isalnum(c) ? std::toupper(c) : '_'); });
  return guard;
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Whether the CMakeLists.txt nearest above `path` names it, as a path from there.
bool IsListed(const std::string& path, const Files& files) {
  for (std::string folder = FolderOf(path);; folder = FolderOf(folder)) {
    const auto list = std::find_if(files.begin(), files.end(),
                                   [&](const SourceFile& file) { return file.path == folder + "/CMakeLists.txt"; });
    if (list != files.end()) {
      const std::string name = std::regex_replace(path.substr(folder.size() + 1), std::regex(R"([.+])"), R"(\$&)");
      const std::string lines = std::regex_replace(list->text, std::regex(R"(#[^\n]*)"), "");
      return std::regex_search(lines, std::regex("(^|[\\s(\"])" + name + "([\\s)\"]|$)"));
    }
    if (folder.find('/') == std::string::npos) return false;
  }
}

}  // namespace

Violations FilesAreShort(const Files& files, int most_lines) {
  Violations violations;
  for (const SourceFile& file : files) {
    const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
    if (IsCode(file) && lines > most_lines) {
      violations.push_back(At(file, 1) + std::to_string(lines) + " lines, at most " + std::to_string(most_lines));
    }
  }
  return violations;
}

Violations FunctionsAreShort(const Files& files, int most_lines) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!IsCode(file)) continue;
    for (const Function& function : FunctionsOf(file.text)) {
      if (function.lines <= most_lines) continue;
      violations.push_back(At(file, function.first_line) + std::to_string(function.lines) + " lines, at most " +
                           std::to_string(most_lines) + ": " + function.signature);
    }
  }
  return violations;
}

Violations HeadersBeginWithAParagraph(const Files& files) {
  static const std::regex kParagraph(R"(^// \S[^\n]{20,}(\n//[^\n]*)*\n)");
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.IsUnder("runtime") || !file.IsHeader()) continue;
    if (!std::regex_search(file.text, kParagraph, std::regex_constants::match_continuous)) {
      violations.push_back(At(file, 1) + "does not begin with a paragraph on what it is");
    }
  }
  return violations;
}

Violations HeadersHaveGuards(const Files& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.IsHeader()) continue;
    const std::string guard = GuardOf(file.path);
    const bool opens = file.text.find("#ifndef " + guard + "\n#define " + guard + "\n") != std::string::npos;
    const bool closes = file.text.ends_with("#endif  // " + guard + "\n");
    if (!opens || !closes) violations.push_back(At(file, 1) + "is not guarded by " + guard);
  }
  return violations;
}

Violations PublicHeadersHaveNoThreadLocals(const Files& files) {
  static const std::regex kThreadLocal(R"(\b(thread_local|__thread)\b)");
  Violations violations;
  for (const SourceFile& file : files) {
    if (file.IsUnder("runtime") && file.IsHeader()) FindWords(file, kThreadLocal, "has a ", violations);
  }
  return violations;
}

Violations OnlyExecKnowsTime(const Files& files) {
  static const std::regex kTime(
      R"(\b(sleep_for|sleep_until|usleep|nanosleep|steady_clock|system_clock|high_resolution_clock|clock_gettime|)"
      R"(gettimeofday|steady_timer|system_timer|random_device|srand)\b|\brand\s*\(\s*\))");
  Violations violations;
  for (const SourceFile& file : files) {
    if (file.IsUnder("runtime") && IsCode(file) && !file.IsUnder("runtime/exec")) {
      FindWords(file, kTime, "uses ", violations);
    }
  }
  return violations;
}

Violations SourcesAreListed(const Files& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".cc") || file.IsUnder("demos")) continue;
    if (!IsListed(file.path, files)) violations.push_back(At(file, 1) + "is in no CMakeLists.txt");
  }
  return violations;
}

Violations TopLevelIsAllowed(const std::vector<std::string>& names) {
  static const std::set<std::string> kAllowed = {
      "runtime",       "kernels",     "demos",      "tests", "CMakeLists.txt", "README.md", "CMakePresets.json",
      ".clang-format", ".clang-tidy", ".gitignore", ".ci",   "LICENSE"};
  Violations violations;
  for (const std::string& name : names) {
    if (!kAllowed.contains(name)) violations.push_back(name + ": has no place at the top of the repository");
  }
  return violations;
}

}  // namespace strandcore::house
