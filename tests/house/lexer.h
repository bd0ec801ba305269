// Lexer: just enough C++ for the rules of the house: what is a comment, what is a string, what is included, and where
// the functions are. Not a parser; where a trick of the preprocessor could fool it, it errs on the silent side.
#ifndef STRANDCORE_TESTS_HOUSE_LEXER_H_
#define STRANDCORE_TESTS_HOUSE_LEXER_H_

#include <string>
#include <vector>

namespace strandcore::house {

// `text` with comments and, if `strings` too, the insides of string and character literals replaced by blanks. All
// line breaks stay, so a position is still on its line.
std::string BlankOut(const std::string& text, bool strings);

// `code` without preprocessor lines, and without what follows an #else or #elif up to its #endif.
std::string WithoutDirectives(const std::string& code);

struct Include {
  std::string path;
  bool quoted;
  int line;
};
std::vector<Include> IncludesOf(const std::string& text);

// A function with its body, from the first line of its signature to its closing brace; also a lambda or a TEST that
// is not inside another function.
struct Function {
  std::string signature;
  int first_line;
  int lines;
};
std::vector<Function> FunctionsOf(const std::string& text);

// 1 for the first.
int LineOf(const std::string& text, size_t position);

}  // namespace strandcore::house

#endif  // STRANDCORE_TESTS_HOUSE_LEXER_H_
