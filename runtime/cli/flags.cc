#include "runtime/cli/flags.h"

#include <cstdint>
#include <optional>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"

ABSL_FLAG(std::optional<std::string>, policy, std::nullopt, "eager, on_wait, in_order or random");
ABSL_FLAG(std::optional<uint64_t>, seed, std::nullopt, "of the policy random");
ABSL_FLAG(bool, json, false, "print a report as JSON");
ABSL_FLAG(int, threads, 0, "run on this many threads instead of a policy");

namespace strandcore {
namespace {

// Sets "--name=value", or "--name" followed by `next`; `used_next` tells whether that was taken.
absl::Status SetFlag(const std::string& argument, const std::string* next, bool& used_next) {
  const size_t start = argument.rfind("--", 0) == 0 ? 2 : 1;
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(start, equals == std::string::npos ? equals : equals - start);
  absl::CommandLineFlag* flag = nullptr;
  for (const char* known : {"json", "policy", "seed", "threads"}) {
    if (name == known) flag = absl::FindCommandLineFlag(name);
  }
  if (flag == nullptr)
    return Refuse("expected the flag --policy, --seed, --threads, --json or --help, given ", argument);
  const bool alone = name == "json";
  used_next = equals == std::string::npos && !alone;
  if (used_next && next == nullptr) return Refuse("flag --", name, ": expected a value, given none");
  const std::string value = used_next ? *next : equals == std::string::npos ? "true" : argument.substr(equals + 1);
  std::string error;
  if (!flag->ParseFrom(value, &error)) {
    return Refuse("flag --", name, ": expected ",
                  name == "policy" ? "a name"
                  : alone          ? "true or false"
                                   : "a number",
                  ", given \"", value, "\"");
  }
  return absl::OkStatus();
}

// Flags are the process's: a command leaves none of its own behind. (absl::FlagSaver logs a line for each optional.)
struct ResetAtEnd {
  ~ResetAtEnd() {
    absl::SetFlag(&FLAGS_policy, std::nullopt);
    absl::SetFlag(&FLAGS_seed, std::nullopt);
    absl::SetFlag(&FLAGS_threads, 0);
    absl::SetFlag(&FLAGS_json, false);
  }
};

absl::Status Interpret(CommandLine& line) {
  const std::optional<std::string> policy = absl::GetFlag(FLAGS_policy);
  const std::optional<uint64_t> seed = absl::GetFlag(FLAGS_seed);
  line.run.threads = absl::GetFlag(FLAGS_threads);
  line.json = absl::GetFlag(FLAGS_json);
  if (line.run.threads < 0) return Refuse("flag --threads: expected 0 or more, given ", line.run.threads);
  if (line.run.threads > 0 && policy.has_value()) {
    return Refuse("flags --threads=", line.run.threads, " and --policy=", *policy, " contradict each other");
  }
  if (seed.has_value() && policy != "random") return Refuse("flag --seed: expected with --policy=random alone");
  absl::StatusOr<Policy> parsed = Policy::FromName(policy.value_or("eager"), seed.value_or(0));
  if (!parsed.ok()) return parsed.status();
  line.run.policy = *parsed;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments) {
  ResetAtEnd reset;
  CommandLine line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h" || argument == "help") {
      line.help = true;
    } else if (argument.size() > 1 && argument[0] == '-') {
      bool used_next = false;
      STRANDCORE_RETURN_IF_ERROR(SetFlag(argument, i + 1 < arguments.size() ? &arguments[i + 1] : nullptr, used_next));
      if (used_next) ++i;
    } else {
      line.words.push_back(argument);
    }
  }
  STRANDCORE_RETURN_IF_ERROR(Interpret(line));
  return line;
}

}  // namespace strandcore
