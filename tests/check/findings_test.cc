// Findings: which are kept, and in which order they come, whoever was first.
#include "runtime/check/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Fault FaultOf(FaultKind kind, const std::string& headline, int32_t core, uint32_t line = 1) {
  Fault fault;
  fault.kind = kind;
  fault.headline = headline;
  fault.lines = {"of core " + std::to_string(core)};
  Place place;
  place.core = {0, core};
  place.site = Site::Here("a.cc", "F", line);
  fault.places = {place};
  return fault;
}

std::vector<Fault> Taken(const std::vector<Fault>& added) {
  Findings findings;
  for (const Fault& fault : added) findings.Add(fault);
  return findings.TakeFaults();
}

TEST(FindingsTest, ComeInOneOrderWhicheverWasFirst) {
  std::vector<Fault> added = {FaultOf(FaultKind::kUseAfterScope, "b", 2), FaultOf(FaultKind::kUseAfterScope, "b", 0),
                              FaultOf(FaultKind::kUseAfterScope, "a", 1),
                              FaultOf(FaultKind::kTransferInFlightAtExit, "a", 0)};
  const std::vector<Fault> taken = Taken(added);
  std::reverse(added.begin(), added.end());
  EXPECT_EQ(Taken(added), taken);
  ASSERT_THAT(taken, SizeIs(3));
  EXPECT_EQ(taken[0].headline, "a");
  EXPECT_EQ(taken[1].count, 2);
  EXPECT_THAT(taken[1].lines, ElementsAre("of core 0"));
  EXPECT_EQ(taken[2].kind, FaultKind::kTransferInFlightAtExit);
}

TEST(FindingsTest, OfOtherSitesAreOtherFaults) {
  EXPECT_THAT(Taken({FaultOf(FaultKind::kUseAfterScope, "a", 0, 1), FaultOf(FaultKind::kUseAfterScope, "a", 0, 2)}),
              SizeIs(2));
}

TEST(FindingsTest, AreBoundedAndWhichAreKeptDoesNotDependOnTheOrder) {
  std::vector<Fault> added;
  for (size_t i = 0; i < Findings::kMostKept + 100; ++i) {
    added.push_back(FaultOf(FaultKind::kUseAfterScope, "tile " + std::to_string(i), 0));
  }
  const std::vector<Fault> taken = Taken(added);
  EXPECT_THAT(taken, SizeIs(Findings::kMostKept));
  std::reverse(added.begin(), added.end());
  EXPECT_EQ(Taken(added), taken);
  Findings findings;
  for (const Fault& fault : added) findings.Add(fault);
  EXPECT_TRUE(findings.overflowed());
}

TEST(FindingsTest, GroupsFaultsByTheirCause) {
  std::vector<Fault> faults(5);
  faults[0].cause = faults[3].cause = faults[4].cause = "copy";
  faults[2].cause = "other";
  faults[0].accesses = {AccessKind::kDmaWrite, AccessKind::kDmaWrite};
  faults[3].accesses = {AccessKind::kCoreRead, AccessKind::kDmaWrite};
  EXPECT_THAT(GroupedByCause(faults), ElementsAre(ElementsAre(3, 0, 4), ElementsAre(1), ElementsAre(2)));
}

}  // namespace
}  // namespace strandcore
