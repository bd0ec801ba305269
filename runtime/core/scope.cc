#include "runtime/core/scope.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/core/kernel_context.h"

namespace strandcore {

int Scope::Add(const ScopedMemory& memory) {
  const int index = static_cast<int>(memory_.size());
  memory_.push_back({memory, nullptr});
  if (memory.name.empty()) memory_.back().asked.name = absl::StrCat("scratch ", index);
  return index;
}

int Scope::Add(const ScopedSemaphore& semaphore) {
  const int index = static_cast<int>(semaphores_.size());
  semaphores_.push_back({semaphore, nullptr});
  if (semaphore.name.empty()) semaphores_.back().asked.name = absl::StrCat("semaphore ", index);
  return index;
}

void Scope::Allocate(Site site) {
  allocated_ = true;
  site_ = site;
  if (!site.known()) site = SiteOfItems();
  absl::Status status;
  core_.Trap(
      [&](Request& request) {
        request.kind = Request::Kind::kAllocate;
        request.site = site;
        request.scope = this;
      },
      [&](Request&) { status = status_; });
  StopAt(site, [&] { StopUnlessOk(std::move(status)); });
}

Site Scope::SiteOfItems() const {
  if (!memory_.empty()) return memory_.front().asked.site;
  return semaphores_.empty() ? Site{} : semaphores_.front().asked.site;
}

void Scope::Free() noexcept {
  if (!allocated_) return;
  allocated_ = false;
  // Never throws, also while the kernel is being unwound.
  core_.SwitchToCore(
      [&](Request& request) {
        request.kind = Request::Kind::kFree;
        // A block of code has no line where it ends: the kernel's last request is the nearest to it.
        if (site_.known()) request.site = site_;
        request.scope = this;
      },
      [](Request&) {});
}

Ref Scope::ref(int i) const { return Ref(memory_[static_cast<size_t>(i)].allocation, &core_); }

}  // namespace strandcore
