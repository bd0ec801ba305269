// Schedule: when a pipeline copies and waits, as a value of seven predicates (seed_pipeline.md 1.6).
//
//   FS, LS: first, last step; FSE, LSE: of the first, last cycle too; HC: the block differs from the previous step's;
//   WC: it will differ from the next step's. Steps are cyclic: the first step's predecessor is the last.
//
//   key                  Default()             Fixed()
//   prologue_copy_in     FSE                   FSE
//   wait_in              HC or FS              HC or FSE
//   copy_in              WC and not LSE        WC and not LSE
//   prefetch             (WC or LS), not LSE   WC and not LSE
//   wait_out             (HC or FS), not FSE   HC and not FSE
//   copy_out             WC or LS              WC or LSE
//   epilogue_wait_out    LSE                   LSE
//
// Default assumes that an operand is another buffer in each cycle, Fixed that it stays the same one, so that a block
// which stays put over the border of two cycles stays in VMEM. Both skip the input copies of accumulators in an
// invocation that initialises them; a schedule of the user's own is used as it is.
//
// Concurrency: a value; predicates are called by many cores at once.
#ifndef STRANDCORE_RUNTIME_PIPELINE_SCHEDULE_H_
#define STRANDCORE_RUNTIME_PIPELINE_SCHEDULE_H_

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/memory/ref.h"

namespace strandcore {

class BufferedRef;
class Scheduler;

struct Schedule {
  using Predicate = std::function<bool(const Scheduler&, const BufferedRef&, const Ref& source)>;

  Predicate prologue_copy_in;
  Predicate wait_in;
  Predicate copy_in;
  Predicate prefetch;
  Predicate wait_out;
  Predicate copy_out;
  Predicate epilogue_wait_out;

  static const Schedule& Default();
  static const Schedule& Fixed();
  // "default" or "fixed"; NotFound for another name.
  static absl::StatusOr<Schedule> FromName(const std::string& name);

  // Refuses a schedule without one of its predicates, in the name of the operand it is for. (Only who prefetches needs
  // `prefetch`.)
  absl::Status CheckComplete(const std::string& operand) const;
};

// The schedule with prologue_copy_in, wait_in and copy_in false for accumulators while they are initialised.
Schedule SkipInputCopiesWhenInitAccumulators(Schedule schedule);

// What an invocation is given: nothing (Default for all), one schedule for all operands, or one an operand, inputs
// first (std::nullopt: Default).
class Schedules {
 public:
  Schedules() = default;
  Schedules(Schedule all) : list_{std::move(all)}, one_(true) {}  // NOLINT: a schedule converts
  Schedules(std::initializer_list<std::optional<Schedule>> list) : list_(list) {}
  explicit Schedules(std::vector<std::optional<Schedule>> list) : list_(std::move(list)) {}

  // Refuses a list that has not one entry an operand.
  absl::Status CheckCount(size_t operands) const;
  // Default where none is given.
  const Schedule& Of(size_t operand) const;

 private:
  std::vector<std::optional<Schedule>> list_;
  bool one_ = false;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_SCHEDULE_H_
