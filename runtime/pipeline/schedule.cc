#include "runtime/pipeline/schedule.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/pipeline/buffered_ref.h"
#include "runtime/pipeline/scheduler.h"

namespace strandcore {
namespace {

using S = const Scheduler&;
using B = const BufferedRef&;
using R = const Ref&;

bool InitSkips(S s, B b) { return b.is_accumulator() && s.init_accumulators(); }

Schedule MakeDefault() {
  Schedule schedule;
  schedule.prologue_copy_in = [](S s, B b, R) { return s.first_step_ever() && !InitSkips(s, b); };
  schedule.wait_in = [](S s, B b, R) { return (s.first_step() || s.HasChanged(b)) && !InitSkips(s, b); };
  schedule.copy_in = [](S s, B b, R) { return !s.last_step_ever() && s.WillChange(b) && !InitSkips(s, b); };
  schedule.prefetch = [](S s, B b, R) { return !s.last_step_ever() && (s.last_step() || s.WillChange(b)); };
  schedule.wait_out = [](S s, B b, R) { return !s.first_step_ever() && (s.first_step() || s.HasChanged(b)); };
  schedule.copy_out = [](S s, B b, R) { return s.last_step() || s.WillChange(b); };
  schedule.epilogue_wait_out = [](S s, B, R) { return s.last_step_ever(); };
  return schedule;
}

Schedule MakeFixed() {
  Schedule schedule = MakeDefault();
  schedule.wait_in = [](S s, B b, R) { return (s.first_step_ever() || s.HasChanged(b)) && !InitSkips(s, b); };
  schedule.prefetch = [](S s, B b, R) { return !s.last_step_ever() && s.WillChange(b); };
  schedule.wait_out = [](S s, B b, R) { return !s.first_step_ever() && s.HasChanged(b); };
  schedule.copy_out = [](S s, B b, R) { return s.last_step_ever() || s.WillChange(b); };
  return schedule;
}

Schedule::Predicate UnlessInit(Schedule::Predicate predicate) {
  return [predicate = std::move(predicate)](S s, B b, R source) { return predicate(s, b, source) && !InitSkips(s, b); };
}

}  // namespace

const Schedule& Schedule::Default() {
  static const Schedule kDefault = MakeDefault();
  return kDefault;
}

const Schedule& Schedule::Fixed() {
  static const Schedule kFixed = MakeFixed();
  return kFixed;
}

absl::StatusOr<Schedule> Schedule::FromName(const std::string& name) {
  if (name == "default") return Default();
  if (name == "fixed") return Fixed();
  return absl::NotFoundError(absl::StrCat("schedule: expected default or fixed, given \"", name, "\""));
}

absl::Status Schedule::CheckComplete(const std::string& operand) const {
  const std::pair<const Predicate&, const char*> keys[] = {{prologue_copy_in, "prologue_copy_in"},
                                                           {wait_in, "wait_in"},
                                                           {copy_in, "copy_in"},
                                                           {wait_out, "wait_out"},
                                                           {copy_out, "copy_out"},
                                                           {epilogue_wait_out, "epilogue_wait_out"}};
  for (const auto& [predicate, name] : keys) {
    if (!predicate) return Refuse("operand ", operand, ": its schedule has no ", name);
  }
  return absl::OkStatus();
}

Schedule SkipInputCopiesWhenInitAccumulators(Schedule schedule) {
  // A key that is missing stays missing.
  if (schedule.prologue_copy_in) schedule.prologue_copy_in = UnlessInit(std::move(schedule.prologue_copy_in));
  if (schedule.wait_in) schedule.wait_in = UnlessInit(std::move(schedule.wait_in));
  if (schedule.copy_in) schedule.copy_in = UnlessInit(std::move(schedule.copy_in));
  return schedule;
}

absl::Status Schedules::CheckCount(size_t operands) const {
  if (list_.empty() || one_ || list_.size() == operands) return absl::OkStatus();
  return Refuse("schedule: expected one, or one for each of ", operands, " operands, given ", list_.size());
}

const Schedule& Schedules::Of(size_t operand) const {
  if (list_.empty()) return Schedule::Default();
  const std::optional<Schedule>& given = one_ ? list_[0] : list_[operand];
  return given.has_value() ? *given : Schedule::Default();
}

}  // namespace strandcore
