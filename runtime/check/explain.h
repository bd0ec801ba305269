// What a report says of a race: how its sides are called, and why nothing orders them.
//
// Pure functions of values, which the run's order (one core) or the solved order (several) fills in, so that the words
// are the same whichever it was.
#ifndef STRANDCORE_RUNTIME_CHECK_EXPLAIN_H_
#define STRANDCORE_RUNTIME_CHECK_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/check/region.h"
#include "runtime/check/semaphore_order.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/trace/fault.h"

namespace strandcore {

// A request as a report names it; without a stamp, where that is not known any more, by its number.
struct ToldRequest {
  bool is_copy = false;  // else a signal or a wait
  int32_t core = 0;
  int64_t number = 0;
  std::optional<Stamp> stamp;
};

// A wait that others than `post` may have paid.
struct ToldWait {
  std::string semaphore;
  ToldRequest wait;
  ToldRequest post;
  bool post_is_earlier_side = false;
  std::vector<ToldRequest> instead;
};

struct WhyUnordered {
  std::optional<ToldWait> unsure;
  // The semaphore that says that the earlier side, a transfer, is over, and whose it is.
  std::string semaphore;
  bool counts_bytes = true;
  int32_t owner = 0;
  std::optional<SemaphoreTotals> totals;  // of that semaphore; only where they are its owner's alone
  bool owner_learns = true;               // whether its owner ever knows that the transfer is over
  bool posts_afterwards = true;           // whether the earlier side's core posts anything after its access
};

AccessKind KindOf(const SeenAccess& access);
// "the kernel reads tile while a copy is still filling it"
std::string RaceHeadline(const std::string& memory, const SeenAccess& earlier, const SeenAccess& later);
// "a copy-in, started by core 0, ...: writes x slot 1, rows 0–127, columns 0–127"
std::string SideText(const std::string& memory, const Region& region, const SeenAccess& side);
// "nothing orders them: ...", and a hint where there is one; each a line.
std::vector<std::string> WhyLines(const WhyUnordered& why, const SeenAccess& earlier, const SeenAccess& later);
// What names the copy that was not waited for: its site, phase, operand and semaphore.
std::string CauseOf(const Stamp& start, const std::string& semaphore);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_EXPLAIN_H_
