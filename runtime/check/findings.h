// Findings: what is wrong with a launch: each pair of places once, with how often it was found.
//
// At most kMostKept of each sort are kept: those that come first in the order of their names, so that it does not
// depend on when they were found which they are.
//
// Concurrency: self-synchronised; a program without faults never comes here.
#ifndef STRANDCORE_RUNTIME_CHECK_FINDINGS_H_
#define STRANDCORE_RUNTIME_CHECK_FINDINGS_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/check/region.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/trace/fault.h"

namespace strandcore {

class Findings {
 public:
  static constexpr size_t kMostKept = 4096;

  // `later` was met after `earlier` in `region` of what is called `memory`, and nothing orders them. `explain` adds
  // what else is to be said; it is called for the first of a pair of places alone, and must not call this back.
  void AddRace(const std::string& memory, const Region& region, const SeenAccess& earlier, const SeenAccess& later,
               absl::FunctionRef<void(Fault& fault)> explain);
  // Of the same kind, headline and sites one is kept: that of the lowest core, and of those the first.
  void Add(Fault fault);
  void Add(Note note);
  // Forgets what is found anew.
  void ForgetRaces();
  void Forget(FaultKind kind);
  void Forget(NoteKind kind);

  bool any_race() const;
  bool any(FaultKind kind) const;
  // In their order (Fault's and Note's operator<); after the run.
  std::vector<Fault> TakeFaults();
  std::vector<Note> TakeNotes();
  // Whether there were more than are kept.
  bool overflowed() const { return overflowed_; }

 private:
  // Keeps the first kMostKept.
  template <typename Kept>
  void Bound(Kept& kept);

  mutable std::mutex mutex_;
  // All under mutex_.
  std::map<std::string, Fault> races_;  // by pair of places
  std::map<std::string, Fault> others_;
  std::map<std::string, Note> notes_;
  bool overflowed_ = false;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_FINDINGS_H_
