#include "runtime/base/refusal.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/base/check.h"

namespace strandcore {
namespace {

constexpr RefusalKind kNamed[] = {
    RefusalKind::kBlockNotMultipleOfTile, RefusalKind::kRankBelow2,
    RefusalKind::kNoParallelDimension,    RefusalKind::kOnlyDynamicParallelDimensions,
    RefusalKind::kSemanticsRankMismatch,  RefusalKind::kIndexMapRankMismatch,
};

TEST(RefusalTest, CarriesItsKind) {
  std::set<std::string> names;
  for (RefusalKind kind : kNamed) {
    const absl::Status status = RefusalOf(kind, "text");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "text");
    EXPECT_EQ(RefusalKindOf(status), kind);
    EXPECT_TRUE(names.insert(RefusalName(kind)).second) << RefusalName(kind) << " names two kinds";
  }
}

TEST(RefusalTest, OfNoKindIsOther) {
  EXPECT_EQ(RefusalKindOf(Refuse("x: expected ", 1, ", given ", 2)), RefusalKind::kOther);
  EXPECT_EQ(RefusalKindOf(absl::OkStatus()), RefusalKind::kOther);
  EXPECT_EQ(RefusalName(RefusalKind::kOther), std::string("other"));
}

TEST(RefusalTest, JoinsItsParts) { EXPECT_EQ(Refuse("expected ", 8, ", given ", 7).message(), "expected 8, given 7"); }

TEST(RefusalTest, StopsUnlessOk) {
  EXPECT_NO_THROW(StopUnlessOk(absl::OkStatus()));
  try {
    StopUnlessOk(absl::OutOfRangeError("row 9"));
    FAIL() << "nothing was thrown";
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.status, absl::OutOfRangeError("row 9"));
  }
}

TEST(RefusalTest, ReturnIfErrorReturnsTheFirst) {
  auto first_error = [](const absl::Status& a, const absl::Status& b) {
    STRANDCORE_RETURN_IF_ERROR(a);
    STRANDCORE_RETURN_IF_ERROR(b);
    return absl::OkStatus();
  };
  EXPECT_TRUE(first_error(absl::OkStatus(), absl::OkStatus()).ok());
  EXPECT_EQ(first_error(Refuse("a"), Refuse("b")).message(), "a");
  EXPECT_EQ(first_error(absl::OkStatus(), Refuse("b")).message(), "b");
}

TEST(CheckDeathTest, EndsTheProcessNamingTheCondition) {
  const int two = 2;
  EXPECT_NO_FATAL_FAILURE(STRANDCORE_CHECK(two == 2));
  EXPECT_DEATH(STRANDCORE_CHECK(two == 3), "refusal_test.cc:[0-9]+: Strandcore's own bug: two == 3 does not hold");
}

}  // namespace
}  // namespace strandcore
