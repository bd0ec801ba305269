// SourceTree: the text files of this repository, read once, for the rules of the house to look at.
//
// Nothing under tests/house includes runtime/: a broken runtime must not keep its house from being checked.
#ifndef STRANDCORE_TESTS_HOUSE_SOURCE_TREE_H_
#define STRANDCORE_TESTS_HOUSE_SOURCE_TREE_H_

#include <string>
#include <vector>

namespace strandcore::house {

struct SourceFile {
  std::string path;  // from the root, with '/'
  std::string text;

  bool IsHeader() const { return path.ends_with(".h"); }
  bool IsUnder(const std::string& folder) const { return path.starts_with(folder + "/"); }
};

// All .h, .cc and CMakeLists.txt files under runtime/, kernels/, demos/ and tests/, sorted by path. The baselines of
// the benchmarks are other people's habits, kept as they came: they are left out.
std::vector<SourceFile> ReadSourceTree(const std::string& root);

// What lies at the top of the repository: by git what is tracked or could be, without git the folder but for build/.
std::vector<std::string> TopLevelNames(const std::string& root);

}  // namespace strandcore::house

#endif  // STRANDCORE_TESTS_HOUSE_SOURCE_TREE_H_
