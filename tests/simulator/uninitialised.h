// Support: the fixture of the tests of uninitialised reads.
#ifndef STRANDCORE_TESTS_SIMULATOR_UNINITIALISED_H_
#define STRANDCORE_TESTS_SIMULATOR_UNINITIALISED_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {

class UninitialisedTest : public ScheduleTest {
 protected:
  const Array x = Array::Iota(DType::kFloat32, {8, 128});
  Array y{DType::kFloat32, {8, 128}};

  // `faulty`: one such fault, whose text holds all of `parts`; else clean and proved.
  template <typename... Parts>
  static void Expect(const RunReport& report, bool faulty, const Parts&... parts) {
    if (!faulty) return ExpectProved(report);
    EXPECT_THAT(report, HasFault(FaultKind::kUninitialisedRead,
                                 ::testing::AllOf(::testing::HasSubstr(""), ::testing::HasSubstr(parts)...)));
    EXPECT_FALSE(report.proved);
  }
  static void ExpectProved(const RunReport& report) {
    EXPECT_THAT(report, IsClean());
    EXPECT_TRUE(report.proved);
  }
  static Pipeline Emitted(RefFunction body, PipelineOptions options) {
    absl::StatusOr<Pipeline> pipeline = EmitPipeline(std::move(body), std::move(options));
    EXPECT_TRUE(pipeline.ok()) << pipeline.status();
    return *std::move(pipeline);
  }
};
inline constexpr bool kBoth[] = {true, false};

inline ScopedMemory Tile(const char* name) { return Vmem({8, 128}, DType::kFloat32, name); }

inline BlockSpec Rows() {
  return BlockSpec({8, 128}, [](const GridIndex& g) { return BlockIndex{g[0], 0}; });
}

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_SIMULATOR_UNINITIALISED_H_
