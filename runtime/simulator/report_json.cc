#include "runtime/simulator/report_json.h"

#include <nlohmann/json.hpp>

namespace strandcore {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json JsonOf(const Place& place) {
  Json json;
  json["device"] = place.core.device;
  json["core"] = place.core.core;
  json["phase"] = PhaseName(place.phase);
  if (place.in_pipeline) {
    json["cycle"] = place.cycle;
    json["step"] = Json(std::vector<int64_t>(place.grid_point.begin(), place.grid_point.end()));
  }
  if (!place.operand.empty()) json["operand"] = place.operand;
  if (place.site.known()) {
    json["file"] = place.site.file;
    json["line"] = place.site.line;
  }
  return json;
}

Json JsonOf(const Fault& fault) {
  Json json;
  json["kind"] = FaultName(fault.kind);
  json["headline"] = fault.headline;
  json["lines"] = fault.lines;
  json["places"] = Json::array();
  for (const Place& place : fault.places) json["places"].push_back(JsonOf(place));
  json["accesses"] = Json::array();
  for (const AccessKind access : fault.accesses) json["accesses"].push_back(AccessKindName(access));
  json["count"] = fault.count;
  if (!fault.cause.empty()) json["cause"] = fault.cause;
  return json;
}

Json JsonOf(const Note& note) {
  Json json;
  json["kind"] = NoteName(note.kind);
  json["text"] = note.text;
  json["place"] = JsonOf(note.place);
  return json;
}

Json JsonOf(const OperandCounters& operand) {
  return {{"name", operand.name},
          {"copies_in", operand.copies_in},
          {"bytes_in", operand.bytes_in},
          {"copies_out", operand.copies_out},
          {"bytes_out", operand.bytes_out}};
}

Json JsonOf(const Counters& counters) {
  Json json;
  json["operands"] = Json::array();
  for (const OperandCounters& operand : counters.operands) json["operands"].push_back(JsonOf(operand));
  json["steps"] = counters.steps;
  json["transfers"] = counters.transfers;
  json["waits"] = counters.waits;
  json["blocked_waits"] = counters.blocked_waits;
  json["overlapped_transfers"] = counters.overlapped_transfers;
  return json;
}

}  // namespace

std::string ToJson(const Place& place) { return Text(JsonOf(place)); }
std::string ToJson(const Fault& fault) { return Text(JsonOf(fault)); }
std::string ToJson(const Note& note) { return Text(JsonOf(note)); }

std::string ToJson(const RunReport& report) {
  Json json;
  json["ok"] = report.ok();
  json["status"] = std::string(report.status.message());
  json["faults"] = Json::array();
  for (const Fault& fault : report.faults) json["faults"].push_back(JsonOf(fault));
  json["left_out"] = Json::object();
  for (const LeftOut& left : report.left_out) json["left_out"][FaultName(left.kind)] = left.faults;
  json["more_faults"] = report.more_faults;
  json["notes"] = Json::array();
  for (const Note& note : report.notes) json["notes"].push_back(JsonOf(note));
  json["notes_left_out"] = report.notes_left_out;
  json["proved"] = report.proved;
  if (!report.why_not_proved.empty()) json["why_not_proved"] = report.why_not_proved;
  json["cores"] = report.cores;
  json["counters"] = JsonOf(report.counters);
  json["printed"] = report.printed;
  return Text(json);
}

}  // namespace strandcore
