// AllPairs: listens to a run beside its checker, keeps every access, and compares each with each under the solved
// order. The checker keeps of each place only what a later access may still race with; here nothing is dropped.
#ifndef STRANDCORE_TESTS_VERDICT_ALL_PAIRS_H_
#define STRANDCORE_TESTS_VERDICT_ALL_PAIRS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/check/order.h"
#include "runtime/check/region.h"
#include "runtime/check/request_log.h"
#include "runtime/check/shadow_cell.h"
#include "runtime/simulator/checker_hook.h"

namespace strandcore {

// An access of a run, as all that is known of it.
struct KeptAccess {
  SeenAccess access;
  int memory = 0;  // counts those of the run
  std::vector<Region> regions;

  AccessKind kind() const;
};

// Two that nothing orders, and where both are.
struct UnorderedPair {
  const KeptAccess* one;
  const KeptAccess* other;
  std::vector<Region> both;
};

class AllPairs final : public CheckerHook, public Monitor {
 public:
  explicit AllPairs(int32_t cores);

  Monitor& MonitorFor(Checker& checker) override;

  int32_t AddSemaphore(int32_t core, const std::string& name, bool dma) override;
  void EndSemaphore(int32_t core, const EndingSemaphore& ending, const Stamp& stamp) override;
  void OnSignal(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) override;
  void OnWait(int32_t core, int32_t semaphore, int64_t units, bool subtract, const Stamp& stamp) override;
  void OnStart(int32_t core, const Ref& source, const Ref& target, int32_t send, int32_t receive, int64_t units,
               const Stamp& stamp) override;
  void OnRead(int32_t core, const Ref& part, const Stamp& stamp) override;
  void OnWrite(int32_t core, const Ref& part, const Stamp& stamp) override;
  void OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp) override;
  void OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp) override;
  void OnReadSemaphore(int32_t core, int32_t semaphore, const Stamp& stamp) override;
  void OnFree(int32_t core, const Allocation& allocation, const Stamp& stamp) override;
  void OnEnd(int32_t core) override;
  void OnOperand(const Allocation& allocation, bool defined, const Allocation* same) override;
  void OnUndefine(int32_t core, const Ref& part, WhyUndefined why) override;
  void OnCarry(int32_t core, const Ref& from, const Ref& to, bool adds) override;
  void OnHandOver(const Allocation& allocation) override;

  // After the run: all pairs that nothing orders, the ends of memory (KeptAccess::access.ends) among them.
  std::vector<UnorderedPair> Unordered();
  const std::string& NameOf(int memory) const { return names_[static_cast<size_t>(memory)]; }
  size_t accesses() const;
  // Whether some post was late in this run.
  bool late() const { return order_.late(); }

 private:
  struct Core {
    std::vector<KeptAccess> accesses;
  };

  void Keep(int32_t core, const Ref& part, SeenAccess access);
  void OnAccess(int32_t core, const Ref& part, bool write, const Stamp& stamp);
  int MemoryOf(const Allocation& allocation);
  SemaphoreId OwnOf(int32_t semaphore);

  Checker* checker_ = nullptr;
  RequestLog log_;
  LaunchOrder order_;
  std::vector<Core> cores_;
  std::mutex mutex_;
  // Under mutex_.
  std::map<int32_t, SemaphoreId> semaphores_;  // the checker's -> this order's
  std::map<const Allocation*, int> memories_;  // those that have not ended
  std::vector<std::string> names_;
};

}  // namespace strandcore

#endif  // STRANDCORE_TESTS_VERDICT_ALL_PAIRS_H_
