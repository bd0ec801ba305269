// Where the golden files are: all of them beside the project where it was handed out, a tenth of them in it.
#ifndef STRANDCORE_TESTS_CLI_GOLDEN_FILES_H_
#define STRANDCORE_TESTS_CLI_GOLDEN_FILES_H_

#include <filesystem>
#include <string>

namespace strandcore {

inline std::string GoldenFile(const std::string& name) {
  const std::filesystem::path source = STRANDCORE_SOURCE_DIR;
  const std::filesystem::path all = source / ".." / "shared" / "golden" / name;
  if (std::filesystem::exists(all)) return all.string();
  return (source / "tests" / "golden" / name).string();
}

inline std::string SmallGoldenFile(const std::string& name) {
  return (std::filesystem::path(STRANDCORE_SOURCE_DIR) / "tests" / "golden" / name).string();
}

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_CLI_GOLDEN_FILES_H_
