#include "runtime/cli/command.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/cli/conform.h"
#include "runtime/cli/flags.h"
#include "runtime/cli/order_program.h"
#include "runtime/cli/run_case.h"

namespace strandcore {
namespace {

constexpr char kHelp[] = R"(strandcore runs Pallas-style TPU pipelines on a CPU.

  strandcore trace CASES.jsonl     run each case; print what happened, one JSON object a line
  strandcore conform CASES.jsonl   run each case; compare with what its line expects
  strandcore verdict PROGRAMS.jsonl
                                   run each order program; print what races or blocks in any of its schedules
  strandcore list                  the kernels that run knows
  strandcore run NAME              run one of them; print its report

A case is one pipeline: grid, operands with blocks and index maps, cycles, cores; an order program is cores that read,
write, signal, wait and copy; each a line of JSON. conform takes either.
How it runs:

  --policy=NAME   one thread; which agent goes on at each step is picked by
                    eager      a transfer completes at its start; the lowest-numbered core goes on (this is the default)
                    on_wait    a transfer completes only when a core is blocked on it, the newest first
                    in_order   round robin
                    random     any, drawn with --seed
  --seed=N        of the policy random
  --threads=N     real concurrency on N threads instead of a policy
  --json          of run: print the report as JSON

Exit status: 0 all well, 1 a case differs from what is expected or a kernel has a fault, 2 wrong use or a malformed line.
)";

constexpr int kMostDifferences = 10;

int Fail(std::ostream& err, const std::string& text) {
  err << "strandcore: " << text << "\n";
  return 2;
}

// Told of each case of a file: the line, and what running it gave. A refusal ends the file.
using Visit = std::function<absl::Status(const Json& line, const Json& result)>;

absl::StatusOr<Json> RunLine(const Json& line, const CaseRunOptions& options) {
  if (IsOrderProgram(line)) {
    absl::StatusOr<OrderProgram> program = ParseOrderProgram(line);
    return program.ok() ? RunOrderProgram(*program, options) : program.status();
  }
  absl::StatusOr<Case> parsed = ParseCase(line);
  return parsed.ok() ? RunCase(*parsed, options) : parsed.status();
}

absl::Status ForEachCase(const std::string& path, const CaseRunOptions& options, const Visit& visit) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.empty() || text == "\r") continue;
    const std::string where = absl::StrCat(path, ":", number, ": ");
    const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (line.is_discarded())
      return absl::InvalidArgumentError(where + "expected one JSON object, given malformed JSON");
    absl::StatusOr<Json> result = RunLine(line, options);
    if (!result.ok()) return absl::InvalidArgumentError(where + std::string(result.status().message()));
    if (absl::Status visited = visit(line, *result); !visited.ok()) {
      return absl::InvalidArgumentError(where + std::string(visited.message()));
    }
  }
  if (file.bad()) return absl::DataLossError(absl::StrCat(path, ": cannot be read to its end"));
  return absl::OkStatus();
}

int Trace(const std::string& path, const CaseRunOptions& options, std::ostream& out, std::ostream& err) {
  absl::Status status = ForEachCase(path, options, [&](const Json&, const Json& result) {
    out << result.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    return absl::OkStatus();
  });
  return status.ok() ? 0 : Fail(err, std::string(status.message()));
}

absl::StatusOr<std::string> DifferenceOf(const Json& line, const Json& result, bool as_the_seed) {
  if (IsOrderProgram(line)) return OrderDifference(line, result);
  absl::StatusOr<Expectation> expected = ParseExpectation(line);
  if (!expected.ok()) return expected.status();
  return Difference(*expected, result, as_the_seed);
}

int Conform(const std::string& path, const CaseRunOptions& options, std::ostream& out, std::ostream& err) {
  const bool as_the_seed = options.threads == 0 && options.policy == Policy::Eager();
  int cases = 0;
  int differing = 0;
  absl::Status status = ForEachCase(path, options, [&](const Json& line, const Json& result) {
    absl::StatusOr<std::string> difference = DifferenceOf(line, result, as_the_seed);
    if (!difference.ok()) return difference.status();
    ++cases;
    if (!difference->empty() && ++differing <= kMostDifferences) {
      out << result["name"].get<std::string>() << ": " << *difference << "\n";
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return Fail(err, std::string(status.message()));
  // As likely as not the wrong file: that nothing differs says nothing then.
  if (cases == 0) return Fail(err, absl::StrCat(path, ": expected at least one case, given none"));
  out << cases - differing << " of " << cases << " cases conform ("
      << (options.threads > 0 ? absl::StrCat(options.threads, options.threads == 1 ? " thread" : " threads")
                              : options.policy.ToString())
      << ")\n";
  return differing == 0 ? 0 : 1;
}

int RunNamed(const Catalogue& catalogue, const std::string& name, const CommandLine& line, std::ostream& out,
             std::ostream& err) {
  absl::StatusOr<bool> ok = RunEntry(catalogue, name, line.run, line.json, out);
  if (!ok.ok()) return Fail(err, std::string(ok.status().message()));
  return *ok ? 0 : 1;
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
               const Catalogue& catalogue, const ScheduleChange& alter_schedule) {
  absl::StatusOr<CommandLine> line = ParseCommandLine(arguments);
  if (!line.ok()) return Fail(err, std::string(line.status().message()) + " (strandcore --help)");
  line->run.alter_schedule = alter_schedule;
  if (line->help) {
    out << kHelp;
    return 0;
  }
  const std::vector<std::string>& words = line->words;
  if (words.empty()) return Fail(err, "expected a command, given none (strandcore --help)");
  const std::string& command = words[0];
  if (command == "list" && words.size() == 1) {
    ListEntries(catalogue, out);
    return 0;
  }
  static constexpr std::pair<const char*, const char*> kTakes[] = {{"trace", "one file"},
                                                                   {"conform", "one file"},
                                                                   {"verdict", "one file"},
                                                                   {"run", "one name"},
                                                                   {"list", "nothing"}};
  const auto takes =
      std::find_if(std::begin(kTakes), std::end(kTakes), [&](const auto& known) { return known.first == command; });
  if (takes == std::end(kTakes)) {
    return Fail(err, absl::StrCat("expected trace, conform, verdict, list or run, given \"", command,
                                  "\" (strandcore --help)"));
  }
  if (words.size() != 2 || command == "list") {
    return Fail(
        err, absl::StrCat(command, ": expected ", takes->second, ", given ", words.size() - 1, " (strandcore --help)"));
  }
  if (command == "run") return RunNamed(catalogue, words[1], *line, out, err);
  return (command == "conform" ? Conform : Trace)(words[1], line->run, out, err);
}

}  // namespace strandcore
