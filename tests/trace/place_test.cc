#include "runtime/trace/place.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace strandcore {
namespace {

TEST(PlaceTest, OutsideAPipelineIsCoreAndPhase) {
  Place place;
  place.core = {0, 1};
  EXPECT_EQ(place.ToString(), "core 1, kernel");
  place.site = {"dir/add.cc", "Add", 12};
  EXPECT_EQ(place.ToString(), "core 1, kernel (add.cc:12)");
}

TEST(PlaceTest, InAPipelineSaysCycleStepAndOperand) {
  Place place;
  place.in_pipeline = true;
  place.cycle = 1;
  place.grid_point = {0, 2};
  place.phase = Phase::kWaitIn;
  place.operand = "x";
  EXPECT_EQ(place.ToString(), "core 0, cycle 1, step (0, 2), wait_in of x");
}

TEST(PlaceTest, NamesTheDeviceWhereItIsNotTheFirst) {
  Place place;
  place.core = {2, 1};
  EXPECT_EQ(place.ToString(), "device 2 core 1, kernel");
}

TEST(PlaceTest, EveryPhaseHasItsOwnName) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(Phase::kAccumulate); ++i) {
    EXPECT_TRUE(names.insert(PhaseName(static_cast<Phase>(i))).second) << PhaseName(static_cast<Phase>(i));
  }
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace strandcore
