#include "tests/verdict/all_pairs.h"

#include "runtime/check/footprint_regions.h"
#include "runtime/check/solve.h"
#include "runtime/memory/ref.h"

namespace strandcore {
namespace {

constexpr size_t kMostRequests = size_t{1} << 20;

std::vector<Region> BothOf(const KeptAccess& a, const KeptAccess& b) {
  std::vector<Region> both;
  for (const Region& one : a.regions) {
    for (const Region& other : b.regions) {
      if (one.Overlaps(other)) both.push_back(one.Intersection(other));
    }
  }
  return both;
}

}  // namespace

AccessKind KeptAccess::kind() const {
  if (access.by_transfer()) return access.write ? AccessKind::kDmaWrite : AccessKind::kDmaRead;
  return access.write ? AccessKind::kCoreWrite : AccessKind::kCoreRead;
}

AllPairs::AllPairs(int32_t cores)
    : log_(cores, kMostRequests), order_(cores, &log_), cores_(static_cast<size_t>(cores)) {}

Monitor& AllPairs::MonitorFor(Checker& checker) {
  checker_ = &checker;
  return *this;
}

int32_t AllPairs::AddSemaphore(int32_t core, const std::string& name, bool dma) {
  const int32_t id = checker_->AddSemaphore(core, name, dma);
  const SemaphoreId own = order_.AddSemaphore(core);
  std::lock_guard<std::mutex> lock(mutex_);
  semaphores_[id] = own;
  return id;
}

void AllPairs::EndSemaphore(int32_t core, const EndingSemaphore& ending, const Stamp& stamp) {
  order_.EndSemaphore(core, OwnOf(ending.semaphore), /*use_again=*/!ending.others_may_pay);
  checker_->EndSemaphore(core, ending, stamp);
}

void AllPairs::OnReadSemaphore(int32_t core, int32_t semaphore, const Stamp& stamp) {
  checker_->OnReadSemaphore(core, semaphore, stamp);
}

void AllPairs::OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp) {
  checker_->OnBlockLeft(core, visit, stamp);
}

void AllPairs::OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp) {
  checker_->OnIndexChange(core, change, stamp);
}

SemaphoreId AllPairs::OwnOf(int32_t semaphore) {
  std::lock_guard<std::mutex> lock(mutex_);
  return semaphores_.at(semaphore);
}

void AllPairs::OnSignal(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) {
  order_.Signal(core, OwnOf(semaphore), units);
  checker_->OnSignal(core, semaphore, units, stamp);
}

void AllPairs::OnWait(int32_t core, int32_t semaphore, int64_t units, bool subtract, const Stamp& stamp) {
  order_.Wait(core, OwnOf(semaphore), units, subtract);
  checker_->OnWait(core, semaphore, units, subtract, stamp);
}

void AllPairs::OnStart(int32_t core, const Ref& source, const Ref& target, int32_t send, int32_t receive, int64_t units,
                       const Stamp& stamp) {
  const SemaphoreUnits paid_on_arrival =
      receive == Monitor::kNoSemaphore ? SemaphoreUnits() : SemaphoreUnits{OwnOf(receive), units};
  const StartedTransfer started = order_.Start(core, {OwnOf(send), units}, paid_on_arrival);
  SeenAccess access;
  access.stamp = stamp;
  access.core = core;
  access.name = AccessName::OfTransfer(started.serial, false);
  Keep(core, source, access);
  access.write = true;
  access.name = AccessName::OfTransfer(started.serial, true);
  Keep(core, target, access);
  checker_->OnStart(core, source, target, send, receive, units, stamp);
}

void AllPairs::OnRead(int32_t core, const Ref& part, const Stamp& stamp) {
  OnAccess(core, part, false, stamp);
  checker_->OnRead(core, part, stamp);
}

void AllPairs::OnWrite(int32_t core, const Ref& part, const Stamp& stamp) {
  OnAccess(core, part, true, stamp);
  checker_->OnWrite(core, part, stamp);
}

void AllPairs::OnAccess(int32_t core, const Ref& part, bool write, const Stamp& stamp) {
  SeenAccess access;
  access.stamp = stamp;
  access.core = core;
  access.write = write;
  access.epoch = order_.Access(core);
  access.name = AccessName::OfCore(core, order_.RequestsOf(core));
  Keep(core, part, access);
}

void AllPairs::Keep(int32_t core, const Ref& part, SeenAccess access) {
  KeptAccess kept;
  kept.access = access;
  kept.memory = MemoryOf(*part.allocation());
  ForEachRegion(part, [&](const Region& region) { kept.regions.push_back(region); });
  cores_[static_cast<size_t>(core)].accesses.push_back(std::move(kept));
}

int AllPairs::MemoryOf(const Allocation& allocation) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, added] = memories_.emplace(&allocation, static_cast<int>(names_.size()));
  if (added) names_.push_back(allocation.name());
  return found->second;
}

void AllPairs::OnFree(int32_t core, const Allocation& allocation, const Stamp& stamp) {
  KeptAccess end;
  end.access.stamp = stamp;
  end.access.core = core;
  end.access.write = end.access.ends = true;
  end.access.epoch = order_.Access(core);
  end.access.name = AccessName::OfCore(core, order_.RequestsOf(core));
  end.memory = MemoryOf(allocation);
  end.regions.emplace_back(Dims::Filled(allocation.physical_shape().size(), 0), allocation.physical_shape());
  cores_[static_cast<size_t>(core)].accesses.push_back(std::move(end));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    memories_.erase(&allocation);
  }
  checker_->OnFree(core, allocation, stamp);
}

void AllPairs::OnEnd(int32_t core) { checker_->OnEnd(core); }

void AllPairs::OnOperand(const Allocation& allocation, bool defined, const Allocation* same) {
  if (same != nullptr) {
    const int memory = MemoryOf(*same);
    std::lock_guard<std::mutex> lock(mutex_);
    memories_.emplace(&allocation, memory);
  }
  checker_->OnOperand(allocation, defined, same);
}

void AllPairs::OnUndefine(int32_t core, const Ref& part, WhyUndefined why) { checker_->OnUndefine(core, part, why); }

void AllPairs::OnCarry(int32_t core, const Ref& from, const Ref& to, bool adds) {
  checker_->OnCarry(core, from, to, adds);
}

void AllPairs::OnHandOver(const Allocation& allocation) { checker_->OnHandOver(allocation); }

size_t AllPairs::accesses() const {
  size_t count = 0;
  for (const Core& core : cores_) count += core.accesses.size();
  return count;
}

std::vector<UnorderedPair> AllPairs::Unordered() {
  std::map<int, std::vector<const KeptAccess*>> by_memory;
  for (const Core& core : cores_) {
    for (const KeptAccess& access : core.accesses) by_memory[access.memory].push_back(&access);
  }
  SolvedOrder solved(log_);
  std::vector<UnorderedPair> pairs;
  for (const auto& [memory, accesses] : by_memory) {
    for (size_t i = 0; i < accesses.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const SeenAccess& a = accesses[i]->access;
        const SeenAccess& b = accesses[j]->access;
        if (CannotConflict(a, b) || solved.Ordered(a.name, b.name) || solved.Ordered(b.name, a.name)) continue;
        std::vector<Region> both = BothOf(*accesses[i], *accesses[j]);
        if (!both.empty()) pairs.push_back({accesses[i], accesses[j], std::move(both)});
      }
    }
  }
  return pairs;
}

}  // namespace strandcore
