// Findings: the races of a launch, each pair of places once, with how often it was found.
//
// Concurrency: self-synchronised; a program without races never comes here.
#ifndef STRANDCORE_RUNTIME_CHECK_FINDINGS_H_
#define STRANDCORE_RUNTIME_CHECK_FINDINGS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/check/order.h"
#include "runtime/check/region.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/trace/fault.h"

namespace strandcore {

class Findings {
 public:
  // What is called how: of a semaphore, by its id.
  void NameSemaphore(int32_t semaphore, const std::string& name);
  std::string NameOf(int32_t semaphore) const;

  // `later` was met after `earlier` in `region` of what is called `memory`, and nothing orders them; `unsure` says
  // which wait of the later side's core may have been paid by another post, if that is why.
  void AddRace(const std::string& memory, const Region& region, const SeenAccess& earlier, const SeenAccess& later,
               const std::optional<UnsurePost>& unsure);
  void Add(Fault fault);
  void Add(Note note);
  // Forgets what is found anew.
  void ForgetRaces();
  void Forget(FaultKind kind);
  void Forget(NoteKind kind);

  bool any_race() const;
  bool any(FaultKind kind) const;
  // In an order that depends on what they say alone; after the run.
  std::vector<Fault> TakeFaults();
  std::vector<Note> TakeNotes();

 private:
  std::string NameUnderLock(int32_t semaphore) const;

  mutable std::mutex mutex_;
  // All under mutex_.
  std::vector<std::string> semaphores_;
  std::map<std::string, Fault> races_;  // by pair of places
  std::vector<Fault> others_;
  std::vector<Note> notes_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_FINDINGS_H_
