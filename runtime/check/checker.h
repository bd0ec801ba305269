// Checker: watches one launch and says what is wrong with it in any schedule: races, memory freed under a transfer,
// transfers that nobody waited for, uses of what was never written, semaphores that are left with units, outputs that
// are come back to.
//
//   requests ──► LaunchOrder: who knows what ──┐
//   accesses ──► shadow of their allocation ───┴─► findings ──► faults
//                └─ which elements are defined ──► uninitialised reads
//                 (several cores) log ──► replayed under the solved order, if a post was late or a race was found
//
// With one core all is known while it runs. With several, the cores' accesses meet in the order in which they happen
// to come, which differs from run to run: then what is reported is found anew from the log, in one order that depends
// on the input alone (replay.h).
//
// Ownership: one a launch. Concurrency: as Monitor; findings are under a lock.
#ifndef STRANDCORE_RUNTIME_CHECK_CHECKER_H_
#define STRANDCORE_RUNTIME_CHECK_CHECKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/check/access_log.h"
#include "runtime/check/allocation_shadow.h"
#include "runtime/check/carry.h"
#include "runtime/check/explain.h"
#include "runtime/check/findings.h"
#include "runtime/check/order.h"
#include "runtime/check/pipeline_watch.h"
#include "runtime/check/request_log.h"
#include "runtime/check/request_stamps.h"
#include "runtime/check/semaphore_ledger.h"
#include "runtime/check/semaphore_names.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/check/solve.h"
#include "runtime/check/uninitialised_reads.h"
#include "runtime/trace/fault.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

// What a checker has to say of a launch.
struct Verdict {
  std::vector<Fault> faults;
  std::vector<Note> notes;
  // Whether every schedule of this input does the same and none races; else why that is not known.
  bool proved = false;
  std::string why_not_proved;
  // There were more faults than the checker keeps (Findings).
  bool more_faults = false;
};

// Parts of what the checker does that a test may take away, to show that they are needed.
struct CheckerRules {
  OrderRules order;
  bool whole_transfers = true;  // a transfer accesses from its start to its completion, not only at its start
  bool source_halves = true;    // what a transfer reads is an access, as what it writes
  bool ticks_apart = true;      // the send semaphore proves that the source is read, not that the target is written
  bool exact_regions = true;    // an access is to the elements of its view, not to all of its memory
  bool keep_unordered = true;   // a later access replaces those that are ordered before it alone
  bool reads_stay = true;       // a read does not replace a write
  bool scopes_end = true;       // the end of memory meets the transfers that use it
  bool peeks_leave = true;      // a wait without subtracting takes nothing
  bool peeks_prove = true;      // but it orders as any wait
  bool judge_again = true;      // what depends on the order of several cores is found anew, from the log
  bool definedness = true;      // uses of undefined elements are found: not where bodies are not called
  bool any_end_proves = true;   // a transfer is proven complete by the end of any core
};

// A core that has paid a semaphore of another core's: how often, and where last.
struct Payer {
  int32_t core = 0;
  int64_t posts = 0;
  Stamp last;
  friend bool operator<(const Payer& a, const Payer& b) { return a.core < b.core; }
};

class Checker final : public Monitor {
 public:
  // Requests and accesses that are kept of each core, where there are several: those of eight thousand copied tiles. A
  // longer run takes no more memory.
  static constexpr size_t kLogCapacity = size_t{1} << 15;
  // With one core: the requests whose places are kept, to be named.
  static constexpr size_t kRecentRequests = 64;

  explicit Checker(int32_t cores, const CheckerRules& rules = {});
  ~Checker() override;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  int32_t AddSemaphore(int32_t core, const std::string& name, bool dma) override;
  void EndSemaphore(int32_t core, const EndingSemaphore& ending, const Stamp& stamp) override;
  void OnSignal(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) override;
  void OnWait(int32_t core, int32_t semaphore, int64_t units, bool subtract, const Stamp& stamp) override;
  void OnStart(int32_t core, const Ref& source, const Ref& target, int32_t send, int32_t receive, int64_t units,
               const Stamp& stamp) override;
  void OnRead(int32_t core, const Ref& part, const Stamp& stamp) override;
  void OnWrite(int32_t core, const Ref& part, const Stamp& stamp) override;
  void OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp) override {
    pipelines_.OnBlockLeft(core, visit, stamp);
  }
  void OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp) override {
    pipelines_.OnIndexChange(core, change, stamp);
  }
  void OnReadSemaphore(int32_t core, int32_t semaphore, const Stamp& stamp) override;
  void OnFree(int32_t core, const Allocation& allocation, const Stamp& stamp) override;
  void OnEnd(int32_t core) override;
  void OnOperand(const Allocation& allocation, bool defined, const Allocation* same) override;
  void OnUndefine(int32_t core, const Ref& part, WhyUndefined why) override;
  void OnCarry(int32_t core, const Ref& from, const Ref& to, bool adds) override;
  void OnHandOver(const Allocation& allocation) override;

  // Who has signalled this semaphore or copied to it, but for its owner, by core; nothing where that is not known. When
  // nothing runs.
  std::optional<std::vector<Payer>> PayersOf(int32_t semaphore) const;
  // When all cores are done.
  Verdict Finish();

 private:
  // A transfer whose completion its core does not know of yet.
  struct Unproven {
    SeenAccess write;
    std::string target;
  };
  // With several cores: what a note about it would say.
  struct EndedSemaphore {
    LoggedSemaphore semaphore;
    Stamp stamp;
    int32_t tag;
  };
  struct alignas(64) Core {
    std::vector<Unproven> unproven;
    std::vector<EndedSemaphore> ended;  // as long as the log goes on
    // Kept for their memory, empty between calls.
    std::vector<Hole> holes;
    std::vector<ViewHole> view_holes;
    std::vector<int32_t> tags;  // of all semaphores it has had, as in the log
    int32_t read = -1;          // tag of a semaphore whose value it asked for
  };
  // What the log needs of memory that may be gone.
  struct ShadowedMemory {
    std::string name;
    Dims shape;
  };

  AllocationShadow& ShadowOf(const Allocation& allocation);
  AllocationShadow& MakeShadow(const Allocation& allocation);
  // Of memory nothing was told of before. An operand's begins with what the host put there, scoped memory with nothing.
  AllocationShadow& AddShadowUnderLock(const Allocation& allocation, bool defined);
  void OnAccess(int32_t core, const Ref& part, bool write, const Stamp& stamp);
  // `before`: the number of the core's next request.
  void Meet(int32_t core, AllocationShadow& shadow, const Ref& part, const SeenAccess& access, int64_t before);
  // What semaphores hold now, and what pipelines did.
  void AddWhatIsKnownAtTheEnd();
  void MeetAtStart(int32_t core, const Ref& source, const Ref& target, SeenAccess access, int64_t before);
  // What a read uses of undefined elements; what a copy makes of its target.
  void JudgeRead(int32_t core, AllocationShadow& shadow, const Ref& part, const Stamp& stamp);
  void Carry(int32_t core, const Ref& from, const Ref& to, bool adds);
  // Finds anew, from the logs, what depends on the order of several cores.
  void JudgeAgain();
  void MeetAgain(SolvedOrder& solved, RegionTree<ShadowCell>& tree, const LoggedAccess& logged);
  // What a cell would forget without the rules about what stays.
  void Forget(ShadowCell& cell) const {
    if (__builtin_expect(!rules_.keep_unordered, 0)) cell.KeepLast();
    if (__builtin_expect(!rules_.reads_stay, 0)) cell.KeepReads();
  }
  void NoteOpen(int32_t core, int32_t tag, const Stamp& stamp);
  void FindOpenSemaphores();
  // Adds to a race why nothing orders its sides: as the run shows it, or in every schedule.
  void Explain(const SeenAccess& earlier, const SeenAccess& later, Fault& fault) const;
  void ExplainSolved(SolvedOrder& solved, const SeenAccess& earlier, const SeenAccess& later, Fault& fault) const;
  static void AddWhy(const WhyUnordered& why, const SeenAccess& earlier, const SeenAccess& later, Fault& fault);
  // With the semaphore that says that `earlier` is over, and its owner.
  WhyUnordered BeginWhy(const SeenAccess& earlier, const SeenAccess& later) const;
  ToldRequest Tell(const PostName& post, int32_t asking) const;
  ToldRequest Tell(bool is_copy, int32_t core, int64_t number) const;
  std::string WhyNotProved(bool faulty, bool cut) const;
  void DropProven(int32_t core);
  // Reports transfers that may still touch memory which ends.
  void FindUsesAfter(AllocationShadow& shadow, const SeenAccess& end);
  void AddUseAfter(const std::string& memory, const SeenAccess& end, const SeenAccess& transfer);
  // Reports transfers of which, when all cores have ended, none knows that they are complete.
  void FindInFlight();
  void FindInFlightAgain(SolvedOrder& solved);
  void AddInFlight(const SeenAccess& write, const std::string& target);
  void ExplainWhatItPays(int32_t core, const SeenAccess& transfer);

  // Whether some core knows, when all have ended, that the transfer is complete.
  template <typename Knows>
  bool IsKnownAtEnd(const SeenAccess& write, Knows&& knows) const;

  const CheckerRules rules_;
  const bool several_;
  RequestLog requests_;
  LaunchOrder order_;
  RequestStamps stamps_;
  SemaphoreNames names_;
  AccessLog accesses_;
  // A memory of which accesses were dropped (ShadowCell). Relaxed: read after the run.
  std::atomic<const std::string*> crowded_{nullptr};
  SemaphoreLedger semaphores_;
  PipelineWatch pipelines_;
  Findings findings_;
  UninitialisedReads uninitialised_reads_;
  std::vector<Core> cores_;

  std::mutex shadows_mutex_;
  // Under shadows_mutex_. Each is held where its allocation's shadow() points to.
  absl::flat_hash_map<const AllocationShadow*, std::unique_ptr<AllocationShadow>> shadows_;
  std::set<std::string> memory_names_;
  std::vector<ShadowedMemory> logged_;  // by the shadow's number, as long as the log goes on
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_CHECKER_H_
