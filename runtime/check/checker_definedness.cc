// What the Checker keeps of memory, and how it follows which elements are defined. Under a shadow's lock each, and none
// while another is held.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check/carry.h"
#include "runtime/check/checker.h"
#include "runtime/check/footprint_regions.h"
#include "runtime/memory/ref.h"

namespace strandcore {
namespace {

void Widen(const Region& region, Region* around) {
  for (int d = 0; d < region.rank; ++d) {
    around->start[d] = std::min(around->start[d], region.start[d]);
    around->end[d] = std::max(around->end[d], region.end[d]);
  }
}

}  // namespace

AllocationShadow& Checker::MakeShadow(const Allocation& allocation) {
  std::lock_guard<std::mutex> lock(shadows_mutex_);
  AllocationShadow* const shadow = allocation.shadow().load(std::memory_order_relaxed);
  if (shadow != nullptr) return *shadow;
  return AddShadowUnderLock(allocation, allocation.operand() != kNoOperand);
}

AllocationShadow& Checker::AddShadowUnderLock(const Allocation& allocation, bool defined) {
  int32_t number = AllocationShadow::kNotLogged;
  if (several_ && logged_.size() < kLogCapacity) {
    number = static_cast<int32_t>(logged_.size());
    logged_.push_back({allocation.name(), allocation.physical_shape()});
  }
  auto made = std::make_unique<AllocationShadow>(allocation, number, &*memory_names_.insert(allocation.name()).first);
  AllocationShadow* const shadow = made.get();
  if (rules_.definedness) {
    shadow->definedness.UndefinePadding();
    if (!defined) shadow->definedness.UndefineArray(WhyUndefined::kNeverWritten);
  }
  shadows_.emplace(shadow, std::move(made));
  // Release pairs with the acquire of ShadowOf.
  allocation.shadow().store(shadow, std::memory_order_release);
  return *shadow;
}

void Checker::OnOperand(const Allocation& allocation, bool defined, const Allocation* same) {
  std::lock_guard<std::mutex> lock(shadows_mutex_);
  AllocationShadow* shadow = same == nullptr ? nullptr : same->shadow().load(std::memory_order_relaxed);
  if (shadow == nullptr) {
    AddShadowUnderLock(allocation, defined);
    return;
  }
  shadow->name = &*memory_names_.insert(absl::StrCat(*shadow->name, " (also ", allocation.name(), ")")).first;
  if (shadow->number != AllocationShadow::kNotLogged) logged_[static_cast<size_t>(shadow->number)].name = *shadow->name;
  allocation.shadow().store(shadow, std::memory_order_release);
}

void Checker::JudgeRead(int32_t core, AllocationShadow& shadow, const Ref& part, const Stamp& stamp) {
  // What the pipeline itself reads then is carried.
  if (stamp.phase == Phase::kSetAccumulator || stamp.phase == Phase::kAccumulate) return;
  std::vector<Hole>& holes = cores_[static_cast<size_t>(core)].holes;
  Region read;
  ForEachRegion(part, [&](const Region& region) {
    const BriefGuard guard(shadow.lock, several_);
    shadow.definedness.ForEachHole(region, [&](const Region& hole, const ElementState& state) {
      holes.push_back({hole, state});
    });
  });
  if (holes.empty()) return;
  bool first = true;
  ForEachRegion(part, [&](const Region& region) {
    first ? void(read = region) : Widen(region, &read);
    first = false;
  });
  uninitialised_reads_.Add(core, stamp, part.name(), shadow.definedness.array(), read, holes);
  holes.clear();
}

void Checker::Carry(int32_t core, const Ref& from, const Ref& to, bool adds) {
  if (!rules_.definedness) return;
  AllocationShadow& source = ShadowOf(*from.allocation());
  AllocationShadow& target = ShadowOf(*to.allocation());
  if (!source.definedness.any() && !target.definedness.any() && !from.overruns()) return;
  std::vector<ViewHole>& holes = cores_[static_cast<size_t>(core)].view_holes;
  {
    const BriefGuard guard(source.lock, several_);
    FindHoles(from, source.definedness, source.name, &holes);
  }
  {
    const BriefGuard guard(target.lock, several_);
    SetHoles(to, holes, adds, target.definedness);
  }
  holes.clear();
}

void Checker::OnCarry(int32_t core, const Ref& from, const Ref& to, bool adds) { Carry(core, from, to, adds); }

void Checker::OnUndefine(int32_t, const Ref& part, WhyUndefined why) {
  if (!rules_.definedness) return;
  AllocationShadow& shadow = ShadowOf(*part.allocation());
  ForEachRegion(part, [&](const Region& region) {
    const BriefGuard guard(shadow.lock, several_);
    shadow.definedness.Undefine(region, why);
  });
}

void Checker::OnHandOver(const Allocation& allocation) {
  const AllocationShadow* const shadow = allocation.shadow().load(std::memory_order_acquire);
  if (shadow == nullptr || !shadow->definedness.any()) return;
  const Region& array = shadow->definedness.array();
  if (array.empty()) return;
  std::vector<Hole> holes;
  shadow->definedness.ForEachHole(array, [&](const Region& hole, const ElementState& state) {
    holes.push_back({hole, state});
  });
  if (!holes.empty()) uninitialised_reads_.AddHandedOver(allocation.name(), array, holes);
}

}  // namespace strandcore
