#include "tests/house/lexer.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace strandcore::house {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether the ' at `at` separates the digits of a number.
bool SeparatesDigits(const std::string& text, size_t at) {
  size_t begin = at;
  while (begin > 0 && (IsWordChar(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  return begin < at && std::isdigit(static_cast<unsigned char>(text[begin]));
}

// Where the literal that opens at `at` ends: one past its closing quote.
size_t EndOfLiteral(const std::string& text, size_t at) {
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {
    const size_t open = text.find('(', at);
    if (open == std::string::npos) return text.size();
    const std::string closing = ")" + text.substr(at + 1, open - at - 1) + "\"";
    const size_t close = text.find(closing, open);
    return close == std::string::npos ? text.size() : close + closing.size();
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

void Blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

size_t EndOfComment(const std::string& text, size_t at) {
  const bool line = text[at + 1] == '/';
  const size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
  if (end == std::string::npos) return text.size();
  return line ? end : end + 2;
}

// What opens the scope in which functions may stand, told by the words before its brace.
bool OpensScope(const std::string& header) {
  static const std::regex kParens(R"(\([^()]*\))");
  static const std::regex kTemplate(R"(\btemplate\s*<[^{}]*?>(?!\s*[,>]))");
  static const std::regex kScope(R"(\b(namespace|class|struct|union|enum)\b)");
  std::string bare = std::regex_replace(header, kTemplate, " ");
  for (std::string before; before != bare;) {
    before = bare;
    bare = std::regex_replace(before, kParens, " ");
  }
  // `struct Pair Make() {` does not occur here; `class __attribute__((x)) Name {` does.
  return std::regex_search(bare, kScope);
}

bool IsAccessLabel(const std::string& words) {
  static const std::regex kLabel(R"(\s*(public|private|protected)\s*)");
  return std::regex_match(words, kLabel);
}

size_t ClosingBrace(const std::string& code, size_t open) {
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i;
  }
  return code.size();
}

size_t SkipBlanks(const std::string& code, size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at]))) ++at;
  return at;
}

}  // namespace

int LineOf(const std::string& text, size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

std::string BlankOut(const std::string& text, bool strings) {
  std::string code = text;
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0 || text.compare(i, 2, "/*") == 0) {
      const size_t end = EndOfComment(text, i);
      Blank(code, i, end);
      i = end;
    } else if (text[i] == '"' || (text[i] == '\'' && !SeparatesDigits(text, i))) {
      const size_t end = EndOfLiteral(text, i);
      if (strings) Blank(code, i + 1, end - 1);
      i = end;
    } else {
      ++i;
    }
  }
  return code;
}

std::string WithoutDirectives(const std::string& code) {
  std::istringstream lines(code);
  std::string kept;
  std::vector<bool> skipping;  // one for each open #if: whether its #else has begun
  bool continued = false;
  for (std::string line; std::getline(lines, line); kept += "\n") {
    const size_t first = line.find_first_not_of(" \t");
    const bool directive = continued || (first != std::string::npos && line[first] == '#');
    if (directive && !continued) {
      const std::string word = line.substr(SkipBlanks(line, first + 1));
      if (word.starts_with("if")) skipping.push_back(false);
      if (word.starts_with("el") && !skipping.empty()) skipping.back() = true;
      if (word.starts_with("endif") && !skipping.empty()) skipping.pop_back();
    }
    continued = directive && line.ends_with("\\");
    if (!directive && std::find(skipping.begin(), skipping.end(), true) == skipping.end()) kept += line;
  }
  return kept;
}

std::vector<Include> IncludesOf(const std::string& text) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> includes;
  std::istringstream lines(BlankOut(text, false));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back({match[2], match[1] == "\"", number});
  }
  return includes;
}

std::vector<Function> FunctionsOf(const std::string& text) {
  const std::string code = WithoutDirectives(BlankOut(text, true));
  std::vector<Function> functions;
  size_t statement = 0;  // where the words before the next brace begin
  for (size_t i = 0; i < code.size(); ++i) {
    const bool label = code[i] == ':' && IsAccessLabel(code.substr(statement, i - statement));
    if (code[i] == ';' || code[i] == '}' || label) statement = i + 1;
    if (code[i] != '{') continue;
    const std::string header = code.substr(statement, i - statement);
    if (header.find(')') != std::string::npos && !OpensScope(header)) {
      const size_t close = ClosingBrace(code, i);
      const size_t begin = SkipBlanks(code, statement);
      const int first = LineOf(code, begin);
      functions.push_back({code.substr(begin, i - begin), first, LineOf(code, close) - first + 1});
      i = close;
    }
    statement = i + 1;
  }
  return functions;
}

}  // namespace strandcore::house
