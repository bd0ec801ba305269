// Rules: the rules of the house that a machine can check, each a function from source text to what breaks it.
//
// A rule takes the files it is given and returns one line a violation, "path:line: what is wrong"; none means kept.
// Which files a rule is about is the rule's own business, so each may be given the whole tree.
#ifndef STRANDCORE_TESTS_HOUSE_RULES_H_
#define STRANDCORE_TESTS_HOUSE_RULES_H_

#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace strandcore::house {

using Files = std::vector<SourceFile>;
using Violations = std::vector<std::string>;

// Down by call, up by signal, sideways never; and kernels/ sees runtime/strandcore.h alone.
Violations IncludesPointDown(const Files& files);

// Boost.Asio is slow to compile: only .cc files and *_asio.h headers of some rooms include it, and runtime/async.h.
Violations AsioIsIncludedByFewFiles(const Files& files);
// ... and no other header of runtime/ reaches it through others.
Violations AsioIsReachedByFewHeaders(const Files& files);

Violations FilesAreShort(const Files& files, int most_lines = 400);
Violations FunctionsAreShort(const Files& files, int most_lines = 60);

// A header of runtime/ begins with a paragraph that says what it is.
Violations HeadersBeginWithAParagraph(const Files& files);
Violations HeadersHaveGuards(const Files& files);
Violations PublicHeadersHaveNoThreadLocals(const Files& files);

// No clock, sleep or unseeded random number in runtime/ outside exec.
Violations OnlyExecKnowsTime(const Files& files);

// A .cc file that no CMakeLists.txt lists is neither compiled nor, if it is a test, ever run.
Violations SourcesAreListed(const Files& files);

Violations TopLevelIsAllowed(const std::vector<std::string>& names);

}  // namespace strandcore::house

#endif  // STRANDCORE_TESTS_HOUSE_RULES_H_
