// The house keeps its rules (HouseTest), and each rule would notice if it did not (RuleTest, on planted text).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/house/rules.h"
#include "tests/house/source_tree.h"

namespace strandcore::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Files& Tree() {
  static const Files files = ReadSourceTree(STRANDCORE_SOURCE_DIR);
  return files;
}

TEST(HouseTest, TheTreeIsThere) { EXPECT_THAT(Tree(), Not(IsEmpty())); }
TEST(HouseTest, IncludesPointDown) { EXPECT_THAT(IncludesPointDown(Tree()), IsEmpty()); }
TEST(HouseTest, AsioIsIncludedByFewFiles) { EXPECT_THAT(AsioIsIncludedByFewFiles(Tree()), IsEmpty()); }
TEST(HouseTest, AsioIsReachedByFewHeaders) { EXPECT_THAT(AsioIsReachedByFewHeaders(Tree()), IsEmpty()); }
TEST(HouseTest, FilesAreShort) { EXPECT_THAT(FilesAreShort(Tree()), IsEmpty()); }
TEST(HouseTest, FunctionsAreShort) { EXPECT_THAT(FunctionsAreShort(Tree()), IsEmpty()); }
TEST(HouseTest, HeadersBeginWithAParagraph) { EXPECT_THAT(HeadersBeginWithAParagraph(Tree()), IsEmpty()); }
TEST(HouseTest, HeadersHaveGuards) { EXPECT_THAT(HeadersHaveGuards(Tree()), IsEmpty()); }
TEST(HouseTest, PublicHeadersHaveNoThreadLocals) { EXPECT_THAT(PublicHeadersHaveNoThreadLocals(Tree()), IsEmpty()); }
TEST(HouseTest, OnlyExecKnowsTime) { EXPECT_THAT(OnlyExecKnowsTime(Tree()), IsEmpty()); }
TEST(HouseTest, SourcesAreListed) { EXPECT_THAT(SourcesAreListed(Tree()), IsEmpty()); }
TEST(HouseTest, TopLevelIsAllowed) { EXPECT_THAT(TopLevelIsAllowed(TopLevelNames(STRANDCORE_SOURCE_DIR)), IsEmpty()); }

// What IncludesPointDown says about one file at `path` that includes `included`.
Violations Including(const std::string& path, const std::string& included) {
  return IncludesPointDown({{path, "// A file.\n#include \"" + included + "\"\n"}});
}

TEST(RuleTest, AnIncludeUpwardsIsNoticed) {
  EXPECT_THAT(Including("runtime/dma/engine.h", "runtime/core/request.h"),
              ElementsAre("runtime/dma/engine.h:2: includes runtime/core/request.h: core is not below dma"));
  EXPECT_THAT(Including("runtime/simulator/simulator.cc", "runtime/strandcore.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/dma/engine.h", "runtime/dma/transfer.h"), IsEmpty());
  EXPECT_THAT(Including("runtime/dma/engine.h", "runtime/base/dims.h"), IsEmpty());
  EXPECT_THAT(Including("runtime/strandcore.h", "runtime/simulator/simulator.h"), IsEmpty());
}

TEST(RuleTest, AnIncludeSidewaysIsNoticed) {
  EXPECT_THAT(Including("runtime/cli/run.cc", "runtime/testing/matchers.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/testing/matchers.h", "runtime/cli/run.h"), SizeIs(1));
}

TEST(RuleTest, CheckSeesThreeRoomsAndIsSeenByOne) {
  EXPECT_THAT(Including("runtime/check/shadow.h", "runtime/memory/view.h"), IsEmpty());
  EXPECT_THAT(Including("runtime/check/shadow.h", "runtime/exec/clock.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/simulator/wiring.cc", "runtime/check/checker.h"), IsEmpty());
  EXPECT_THAT(Including("runtime/explore/explorer.cc", "runtime/check/checker.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/strandcore.h", "runtime/check/checker.h"), SizeIs(1));
}

TEST(RuleTest, AStrangeRoomOrPathIsNoticed) {
  EXPECT_THAT(Including("runtime/util/strings.h", "runtime/base/dims.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/dma/engine.h", "transfer.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/dma/engine.h", "../core/request.h"), SizeIs(1));
  EXPECT_THAT(Including("runtime/cli/run.cc", "kernels/matmul.h"), SizeIs(1));
}

TEST(RuleTest, AKernelThatSeesMoreThanTheFrontIsNoticed) {
  EXPECT_THAT(Including("kernels/matmul.cc", "runtime/core/request.h"), SizeIs(1));
  EXPECT_THAT(Including("kernels/matmul.cc", "runtime/async.h"), SizeIs(1));
  EXPECT_THAT(Including("kernels/matmul.cc", "runtime/strandcore.h"), IsEmpty());
  EXPECT_THAT(Including("kernels/matmul.cc", "kernels/matmul.h"), IsEmpty());
}

TEST(RuleTest, AnIncludeInACommentIsNotNoticed) {
  EXPECT_THAT(IncludesPointDown({{"runtime/dma/engine.h", "// #include \"runtime/cli/run.h\"\n"}}), IsEmpty());
  EXPECT_THAT(IncludesPointDown({{"runtime/dma/engine.h", "/*\n#include \"runtime/cli/run.h\"\n*/\n"}}), IsEmpty());
}

TEST(RuleTest, AsioInTheWrongFileIsNoticed) {
  const std::string text = "#include <boost/asio/post.hpp>\n";
  for (const char* path : {"runtime/exec/executor.h", "runtime/memory/view.cc", "runtime/pipeline/loop_asio.h",
                           "runtime/strandcore.h", "kernels/matmul.cc"}) {
    EXPECT_THAT(AsioIsIncludedByFewFiles({{path, text}}), SizeIs(1)) << path;
  }
  for (const char* path : {"runtime/exec/threads.cc", "runtime/dma/engine_asio.h", "runtime/async.h"}) {
    EXPECT_THAT(AsioIsIncludedByFewFiles({{path, text}}), IsEmpty()) << path;
  }
}

TEST(RuleTest, AHeaderThatReachesAsioIsNoticed) {
  const Files files = {{"runtime/exec/strand_asio.h", "#include <boost/asio/strand.hpp>\n"},
                       {"runtime/core/core.h", "#include \"runtime/exec/strand_asio.h\"\n"},
                       {"runtime/strandcore.h", "#include \"runtime/core/core.h\"\n"},
                       {"runtime/async.h", "#include \"runtime/core/core.h\"\n"},
                       {"runtime/core/core.cc", "#include \"runtime/core/core.h\"\n"}};
  EXPECT_THAT(AsioIsReachedByFewHeaders(files),
              ElementsAre(StartsWith("runtime/core/core.h:1:"), StartsWith("runtime/strandcore.h:1:")));
}

std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "  x = 1;\n";
  return text;
}

TEST(RuleTest, ALongFileIsNoticed) {
  EXPECT_THAT(FilesAreShort({{"runtime/base/a.cc", Lines(401)}}), SizeIs(1));
  EXPECT_THAT(FilesAreShort({{"runtime/base/a.cc", Lines(400)}}), IsEmpty());
}

// What FunctionsAreShort says about `before`, 59 lines, and `after`.
Violations WithBody(const std::string& before, const std::string& after) {
  return FunctionsAreShort({{"runtime/base/a.cc", before + Lines(59) + after}});
}

TEST(RuleTest, ALongFunctionIsNoticed) {
  EXPECT_THAT(WithBody("\nint F(int x) {\n", "}\n"), ElementsAre(StartsWith("runtime/base/a.cc:2: 61 lines")));
  EXPECT_THAT(WithBody("namespace a {\nclass B final : public C {\n public:\n  B() : x_{1}, y_(2) {\n", "}\n};\n}\n"),
              SizeIs(1));
  EXPECT_THAT(WithBody("template <class T, class U = V<T>>\nauto F(T x) -> U {\n", "}\n"), SizeIs(1));
  EXPECT_THAT(WithBody("TEST(A, B) {\nif (x) {\n", "}\n}\n"), SizeIs(1));
  EXPECT_THAT(WithBody("auto kF = [](int x) {\n", "};\n"), SizeIs(1));
}

TEST(RuleTest, ALongScopeOrTableOrATrickyTokenIsNotAFunction) {
  EXPECT_THAT(WithBody("namespace a {\n", "\n\n}\n"), IsEmpty());
  EXPECT_THAT(WithBody("class __attribute__((packed)) B {\n", "\n\n};\n"), IsEmpty());
  EXPECT_THAT(WithBody("template <typename T>\nstruct B {\n", "\n\n};\n"), IsEmpty());
  EXPECT_THAT(WithBody("const int kTable[] = {\n", "\n\n};\n"), IsEmpty());
  EXPECT_THAT(WithBody("void F() { G('{', \"{\", 1'000'000, R\"({)\"); /* { */ }  // {\n#define M() {\n", ""),
              IsEmpty());
  EXPECT_THAT(WithBody("#if A\nvoid F(int) {\n#else\nvoid F() {\n#endif\n}\n", ""), IsEmpty());
}

TEST(RuleTest, AHeaderWithoutItsParagraphIsNoticed) {
  EXPECT_THAT(HeadersBeginWithAParagraph({{"runtime/base/a.h", "#ifndef A\n"}}), SizeIs(1));
  EXPECT_THAT(HeadersBeginWithAParagraph({{"runtime/base/a.h", "// A.\n#ifndef A\n"}}), SizeIs(1));
  EXPECT_THAT(HeadersBeginWithAParagraph({{"runtime/base/a.h", "// A: what it is and what it is for.\n#ifndef A\n"}}),
              IsEmpty());
}

TEST(RuleTest, AHeaderWithoutItsGuardIsNoticed) {
  const std::string guard = "STRANDCORE_RUNTIME_BASE_A_H_";
  const std::string opening = "#ifndef " + guard + "\n#define " + guard + "\n";
  EXPECT_THAT(HeadersHaveGuards({{"runtime/base/a.h", "#pragma once\n"}}), SizeIs(1));
  EXPECT_THAT(HeadersHaveGuards({{"runtime/base/b.h", opening + "#endif  // " + guard + "\n"}}), SizeIs(1));
  EXPECT_THAT(HeadersHaveGuards({{"runtime/base/a.h", opening + "#endif\n"}}), SizeIs(1));
  EXPECT_THAT(HeadersHaveGuards({{"runtime/base/a.h", opening + "#endif  // " + guard + "\n"}}), IsEmpty());
}

TEST(RuleTest, AThreadLocalInAHeaderIsNoticed) {
  EXPECT_THAT(PublicHeadersHaveNoThreadLocals({{"runtime/exec/a.h", "thread_local int x;\n"}}), SizeIs(1));
  EXPECT_THAT(PublicHeadersHaveNoThreadLocals({{"runtime/exec/a.h", "// no thread_local here\n"}}), IsEmpty());
}

TEST(RuleTest, AClockOutsideExecIsNoticed) {
  for (const char* line : {"std::this_thread::sleep_for(1ms);", "auto t = std::chrono::steady_clock::now();",
                           "std::random_device seed;", "int x = rand();", "asio::steady_timer timer(e);"}) {
    EXPECT_THAT(OnlyExecKnowsTime({{"runtime/dma/engine.cc", line}}), SizeIs(1)) << line;
    EXPECT_THAT(OnlyExecKnowsTime({{"runtime/exec/clock.cc", line}}), IsEmpty()) << line;
  }
  EXPECT_THAT(OnlyExecKnowsTime({{"runtime/dma/engine.cc", "// never sleep_for\nF(\"steady_clock\");\n"}}), IsEmpty());
}

TEST(RuleTest, ASourceThatIsNotListedIsNoticed) {
  const SourceFile list{"tests/CMakeLists.txt", "f(dma SOURCES dma/a_test.cc\n  dma/b_test.cc)\n# dma/c_test.cc\n"};
  EXPECT_THAT(SourcesAreListed({list, {"tests/dma/a_test.cc", ""}, {"tests/dma/b_test.cc", ""}}), IsEmpty());
  EXPECT_THAT(SourcesAreListed({list, {"tests/dma/c_test.cc", ""}}), SizeIs(1));
  EXPECT_THAT(SourcesAreListed({list, {"tests/a_test.cc", ""}}), SizeIs(1));
  EXPECT_THAT(SourcesAreListed({{"kernels/matmul.cc", ""}}), SizeIs(1));
}

TEST(RuleTest, AStrangerAtTheTopIsNoticed) {
  EXPECT_THAT(TopLevelIsAllowed({"runtime", "scripts", "README.md"}), ElementsAre(StartsWith("scripts:")));
}

}  // namespace
}  // namespace strandcore::house
