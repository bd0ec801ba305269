// Reports as JSON: every field, and that it can be read back.
#include "runtime/simulator/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace strandcore {
namespace {

using Json = nlohmann::json;

Place InPipeline() {
  Place place;
  place.core = {0, 3};
  place.phase = Phase::kWaitIn;
  place.cycle = 2;
  place.in_pipeline = true;
  place.grid_point = {1, 0};
  place.operand = "x";
  place.site = Site::Here("dir/a.cc", "F", 41);
  return place;
}

Fault Race() {
  Fault fault;
  fault.kind = FaultKind::kRace;
  fault.headline = "the body reads x";
  fault.lines = {"one", "two"};
  fault.places = {InPipeline(), Place()};
  fault.accesses = {AccessKind::kCoreRead, AccessKind::kDmaWrite};
  fault.count = 12;
  fault.cause = "a.cc:41 copy_in 0 x.recv";
  return fault;
}

TEST(ReportJsonTest, OfAPlaceHasWhatIsKnown) {
  EXPECT_EQ(ToJson(InPipeline()),
            R"({"device":0,"core":3,"phase":"wait_in","cycle":2,"step":[1,0],"operand":"x","file":"dir/a.cc",)"
            R"("line":41})");
  EXPECT_EQ(ToJson(Place()), R"({"device":0,"core":0,"phase":"kernel"})");
}

TEST(ReportJsonTest, OfAFaultHasBothSides) {
  const Json json = Json::parse(ToJson(Race()));
  EXPECT_EQ(json["kind"], "race");
  EXPECT_EQ(json["headline"], "the body reads x");
  EXPECT_EQ(json["lines"], (Json{"one", "two"}));
  EXPECT_EQ(json["places"].size(), 2u);
  EXPECT_EQ(json["places"][0]["core"], 3);
  EXPECT_EQ(json["accesses"], (Json{"core-read", "dma-write"}));
  EXPECT_EQ(json["count"], 12);
  EXPECT_EQ(json["cause"], "a.cc:41 copy_in 0 x.recv");
}

TEST(ReportJsonTest, OfANoteHasItsPlace) {
  Note note;
  note.kind = NoteKind::kLatePost;
  note.text = "a post";
  note.place = InPipeline();
  EXPECT_EQ(ToJson(note), R"({"kind":"late-post","text":"a post","place":)" + ToJson(InPipeline()) + "}");
}

TEST(ReportJsonTest, OfARunHasAllOfIt) {
  RunReport report;
  report.cores = 2;
  report.faults = {Race()};
  report.left_out = {{FaultKind::kRace, 3}};
  report.notes.resize(1);
  report.why_not_proved = "it has faults";
  report.counters.operands = {{"x", 1, 512, 2, 1024}};
  report.counters.transfers = 3;
  report.printed = {"core 0: \"hello\"\n", "\xff"};
  const Json json = Json::parse(ToJson(report));
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["status"], "");
  EXPECT_EQ(json["faults"][0], Json::parse(ToJson(Race())));
  EXPECT_EQ(json["left_out"], (Json{{"race", 3}}));
  EXPECT_EQ(json["notes"].size(), 1u);
  EXPECT_EQ(json["proved"], false);
  EXPECT_EQ(json["why_not_proved"], "it has faults");
  EXPECT_EQ(json["cores"], 2);
  EXPECT_EQ(json["counters"]["operands"][0]["bytes_out"], 1024);
  EXPECT_EQ(json["counters"]["transfers"], 3);
  EXPECT_EQ(json["printed"], (Json{"core 0: \"hello\"\n", "\xef\xbf\xbd"}));
  EXPECT_EQ(ToJson(report).find('\n'), std::string::npos);
}

TEST(ReportJsonTest, OfARefusalSaysWhy) {
  RunReport report;
  report.status = absl::InvalidArgumentError("cores: expected more");
  const Json json = Json::parse(ToJson(report));
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["status"], "cores: expected more");
}

}  // namespace
}  // namespace strandcore
