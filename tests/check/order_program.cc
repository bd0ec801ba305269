#include "tests/check/order_program.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace strandcore {
namespace {

using nlohmann::json;
using Kind = OrderProgram::Operation::Kind;

OrderProgram::Operation OperationFrom(const json& operation) {
  static const std::map<std::string, Kind> kKinds = {{"read", Kind::kRead},
                                                     {"write", Kind::kWrite},
                                                     {"signal", Kind::kSignal},
                                                     {"wait", Kind::kWait},
                                                     {"start", Kind::kStart}};
  return {kKinds.at(operation.at(0)), operation.at(1).get<int>(),
          operation.size() > 2 ? operation.at(2).get<int64_t>() : 1};
}

OrderProgram::Transfer TransferFrom(const json& transfer) {
  const auto cell = [&](const char* key) { return transfer.at(key).is_null() ? -1 : transfer.at(key).get<int>(); };
  OrderProgram::Transfer made;
  made.source = cell("source");
  made.target = cell("target");
  made.units = transfer.at("units");
  made.send = transfer.at("send");
  if (transfer.contains("receive")) made.receive = transfer.at("receive");
  return made;
}

JudgedProgram JudgedFrom(const json& line) {
  JudgedProgram judged;
  OrderProgram& program = judged.program;
  program.name = line.at("name");
  program.cells = line.at("cells");
  for (const json& semaphore : line.at("semaphores")) program.owners.push_back(semaphore.at("owner"));
  for (const json& core : line.at("cores")) {
    program.cores.emplace_back();
    for (const json& operation : core) program.cores.back().push_back(OperationFrom(operation));
  }
  for (const json& transfer : line.at("transfers")) program.transfers.push_back(TransferFrom(transfer));
  const json& expect = line.at("expect");
  for (const json& pair : expect.at("races")) judged.expect.races.emplace(pair.at(0), pair.at(1));
  for (const json& blocked : expect.at("blocked")) judged.expect.blocked.emplace(blocked.at(0), blocked.at(1));
  judged.expect.left = expect.at("left").get<std::vector<int64_t>>();
  return judged;
}

std::string GoldenPath() {
  const std::filesystem::path source = STRANDCORE_SOURCE_DIR;
  const std::filesystem::path all = source / ".." / "shared" / "golden" / "order_programs.jsonl";
  return (std::filesystem::exists(all) ? all : source / "tests" / "golden" / "order_programs.jsonl").string();
}

std::string ToText(const OrderProgram::Operation& operation) {
  static const std::map<Kind, std::string> kWords = {{Kind::kRead, "read"},
                                                     {Kind::kWrite, "write"},
                                                     {Kind::kSignal, "signal"},
                                                     {Kind::kWait, "wait"},
                                                     {Kind::kWaitWithoutDecrement, "peek"},
                                                     {Kind::kStart, "start"}};
  std::string text = kWords.at(operation.kind) + " " + std::to_string(operation.target);
  if (operation.IsWait() || operation.kind == Kind::kSignal) text += " x" + std::to_string(operation.units);
  return text;
}

}  // namespace

RacePair SortedPair(const std::string& a, const std::string& b) { return a < b ? RacePair(a, b) : RacePair(b, a); }
std::string CoreAccessText(int core, size_t operation) {
  return "c" + std::to_string(core) + "." + std::to_string(operation);
}
std::string TransferAccessText(int transfer, bool write) {
  return "t" + std::to_string(transfer) + (write ? ".write" : ".read");
}

std::string ToText(const OrderVerdict& verdict) {
  std::ostringstream text;
  text << "races";
  for (const auto& [a, b] : verdict.races) text << " " << a << "-" << b;
  text << "; blocked";
  for (const auto& [core, operation] : verdict.blocked) text << " " << core << "@" << operation;
  text << "; left";
  for (const int64_t units : verdict.left) text << " " << units;
  return text.str();
}

std::string ToText(const OrderProgram& program) {
  std::ostringstream text;
  text << program.name << ": owners";
  for (const int owner : program.owners) text << " " << owner;
  for (size_t c = 0; c < program.cores.size(); ++c) {
    text << "\n  c" << c << ":";
    for (const auto& operation : program.cores[c]) text << " " << ToText(operation) << ";";
  }
  for (size_t t = 0; t < program.transfers.size(); ++t) {
    const auto& transfer = program.transfers[t];
    text << "\n  t" << t << ": " << transfer.source << " -> " << transfer.target << " x" << transfer.units << ", send "
         << transfer.send << ", receive " << transfer.receive;
  }
  return text.str();
}

std::vector<JudgedProgram> GoldenOrderPrograms() {
  std::ifstream file(GoldenPath());
  if (!file) throw std::runtime_error("no " + GoldenPath());
  std::vector<JudgedProgram> programs;
  for (std::string line; std::getline(file, line);) programs.push_back(JudgedFrom(json::parse(line)));
  return programs;
}

}  // namespace strandcore
