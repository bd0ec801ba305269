// The README's program is demo 01, so that what a reader copies compiles and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(std::filesystem::path(STRANDCORE_SOURCE_DIR) / path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReadmeTest, ItsProgramIsDemo01) {
  const std::string program = TextOf("demos/01_hello_pipeline/main.cc");
  ASSERT_FALSE(program.empty());
  EXPECT_THAT(TextOf("README.md"), ::testing::HasSubstr("```cpp\n" + program + "```\n"));
}

}  // namespace
