#include "runtime/check/semaphore_order.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace strandcore {
namespace {

constexpr size_t kFirstPurge = 16;
constexpr size_t kLastPurge = kMaxLivePosts - 64;

}  // namespace

void SemaphoreOrder::Begin(int32_t owner, int64_t units, int32_t logged_as, bool shared, const OrderRules* rules) {
  owner_ = owner;
  shared_ = shared;
  logged_as_ = logged_as;
  rules_ = rules;
  slack_ = units;
  waited_ = 0;
  tag_ = -1;
  chain_ = true;
  two_of_one_ = late_ = capped_ = false;
  purge_at_ = kFirstPurge;
  live_.DropAll();
  taught_.Clear();
  forced_.Clear();
  last_taught_ = last_wait_ = late_after_ = {};
  arrivals_ = waited_arrivals_ = paid_arrivals_ = 0;
}

SemaphoreOrder::PostNews SemaphoreOrder::Post(PostName name, int64_t units, AccessEpoch proven,
                                              const VectorClock& clock) {
  const BriefGuard guard(lock_, shared_);
  PostNews news;
  slack_ += units;
  recent_[static_cast<size_t>(arrivals_++) % kRecent] = name;
  const bool by_owner = name.core == owner_;
  // The owner knows its own signals when it makes them.
  if (units == 0 || (by_owner && name.tick == 0)) return news;
  if (!by_owner && !late_ && rules_->see_late_posts && !clock.Contains(taught_)) {
    news.late = late_ = true;
    // What any wait before this one taught, this one's core knew too: the post is not after it either.
    late_after_ = last_taught_;
  }
  if (live_.size() >= kMaxLivePosts) {
    if (by_owner) Purge(clock);
    if (live_.size() >= kMaxLivePosts) {
      news.capped = !capped_;
      ForceOldest();
    }
  }
  AddLive(name, units, proven, clock);
  return news;
}

void SemaphoreOrder::AddLive(PostName name, int64_t units, AccessEpoch proven, const VectorClock& clock) {
  const bool by_owner = name.core == owner_;
  if (live_.empty()) {
    chain_ = true;
    two_of_one_ = false;
  } else if (chain_) {
    chain_ = !rules_->check_chain || IsAfterLast(name, clock);
  }
  two_of_one_ |= by_owner && name.tick == 2;
  LivePost& post = live_.Add(units);
  post.name = name;
  post.entry = proven.entry;
  post.value = proven.value;
  post.arrival = arrivals_;
  if (by_owner) return;
  VectorClock& label = live_.GiveLabel(post, clock);
  if (name.tick != 0) label.Set(proven.entry, proven.value);
}

// Whether the label of a new post contains that of the last live one (as far as the owner does not know it).
bool SemaphoreOrder::IsAfterLast(PostName name, const VectorClock& clock) const {
  const LivePost& last = live_.back();
  const bool same_transfer = name.tick != 0 && last.name.tick != 0 && last.name.number == name.number;
  if (same_transfer) return last.name.tick <= name.tick;
  return IsKnown(last, clock);
}

int64_t SemaphoreOrder::units() {
  const BriefGuard guard(lock_, shared_);
  return slack_;
}

WaitName SemaphoreOrder::late_after() {
  const BriefGuard guard(lock_, shared_);
  return late_after_;
}

bool SemaphoreOrder::FindTotals(const AccessEpoch& sought, SemaphoreTotals& totals) {
  const BriefGuard guard(lock_, shared_);
  for (size_t i = 0; i < live_.size(); ++i) {
    if (live_[i].name.tick == 0 || live_[i].entry != sought.entry || live_[i].value < sought.value) continue;
    totals = {slack_ + waited_, waited_};
    return true;
  }
  return false;
}

void SemaphoreOrder::ForceOldest() {
  capped_ = true;
  const LivePost& oldest = live_[0];
  if (oldest.label == LivePost::kNoLabel) {
    forced_.Raise(oldest.entry, oldest.value);
  } else {
    forced_.Join(live_.LabelOf(oldest));
  }
  live_.DropFront(1);
}

void SemaphoreOrder::Wait(WaitName name, int64_t units, bool decrement, VectorClock& clock) {
  const BriefGuard guard(lock_, shared_);
  const int64_t slack = slack_ - units;
  STRANDCORE_CHECK(slack >= 0);
  if (decrement) {
    slack_ = slack;
    waited_ += units;
  }
  last_wait_ = name;
  waited_arrivals_ = arrivals_;
  if (slack == 0) paid_arrivals_ = arrivals_;
  learned_ = false;
  if (forced_.size() != 0) {
    Learn(forced_, clock);
    forced_.Clear();
  }
  if (slack == 0) {
    LearnAll(clock);
  } else if (live_.units() > slack) {
    if (OwnTransfersOnly()) {
      LearnLarger(slack, clock);
    } else if (chain_) {
      LearnChain(slack, clock);
    } else {
      LearnPerEntry(slack, clock);
    }
  }
  if (learned_) last_taught_ = name;
  if (live_.size() >= purge_at_) {
    Purge(clock);
    // Below the limit, so that what is known does not count towards it.
    purge_at_ = std::max({kFirstPurge, live_.size() + kFirstPurge, std::min(2 * live_.size(), kLastPurge)});
  }
}

void SemaphoreOrder::LearnAll(VectorClock& clock) {
  for (size_t i = 0; i < live_.size(); ++i) LearnPost(live_[i], clock);
  live_.DropAll();
}

void SemaphoreOrder::LearnLarger(int64_t slack, VectorClock& clock) {
  live_.DropIf([&](const LivePost& post) {
    if (post.units <= slack) return false;
    LearnPost(post, clock);
    return true;
  });
}

void SemaphoreOrder::LearnChain(int64_t slack, VectorClock& clock) {
  size_t known = live_.size();
  for (int64_t passed = 0; known > 0; --known) {
    passed += live_[known - 1].units;
    if (passed > slack) break;
  }
  if (known == 0) return;
  // With labels all before it are in it; a transfer of the owner's own has only its entry, so each is learned.
  for (size_t i = 0; i < known; ++i) {
    if (i + 1 == known || live_[i].label == LivePost::kNoLabel) LearnPost(live_[i], clock);
  }
  live_.DropFront(known);
}

void SemaphoreOrder::LearnPerEntry(int64_t slack, VectorClock& clock) {
  if (!rules_->learn_per_entry) return LearnLarger(slack, clock);
  GatherUnknown(slack, clock);
  for (size_t i = 0; i < unknown_.size();) {
    const ClockEntry entry = unknown_[i].entry;
    bool taught = false;
    for (int64_t passed = 0; i < unknown_.size() && unknown_[i].entry == entry; ++i) {
      passed += unknown_[i].units;
      if (taught || passed <= slack) continue;
      Learn(entry, unknown_[i].value, clock);
      taught = true;
    }
  }
}

// All that live posts know and the owner does not, by entry, the latest first. Posts of which it knows everything go.
void SemaphoreOrder::GatherUnknown(int64_t slack, const VectorClock& clock) {
  MarkWeighed(slack);
  unknown_.clear();
  size_t i = 0;
  live_.DropIf([&](const LivePost& post) {
    const bool whole = weighed_[i++];
    const size_t before = unknown_.size();
    if (whole && post.label != LivePost::kNoLabel) {
      const VectorClock& label = live_.LabelOf(post);
      for (ClockEntry entry = 0; entry < label.size(); ++entry) {
        const uint64_t value = label.Get(entry);
        if (clock.Get(entry) < value) unknown_.push_back({entry, value, post.units});
      }
    } else if (clock.Get(post.entry) < post.value) {
      unknown_.push_back({post.entry, post.value, post.units});
    }
    return whole && unknown_.size() == before;
  });
  std::sort(unknown_.begin(), unknown_.end(), [](const Unknown& a, const Unknown& b) {
    return a.entry != b.entry ? a.entry < b.entry : a.value > b.value;
  });
}

// A core's later posts know all that its earlier ones do, but for the entry of an earlier one's transfer. So what is
// behind more units of the same core than the slack makes no difference, again but for that entry.
void SemaphoreOrder::MarkWeighed(int64_t slack) {
  weighed_.assign(live_.size(), true);
  units_behind_.clear();
  for (size_t i = live_.size(); i-- > 0;) {
    const LivePost& post = live_[i];
    if (post.label == LivePost::kNoLabel) continue;
    const auto core = static_cast<size_t>(post.name.core);
    if (core >= units_behind_.size()) units_behind_.resize(core + 1);
    weighed_[i] = units_behind_[core] <= slack;
    units_behind_[core] += post.units;
  }
}

void SemaphoreOrder::LearnPost(const LivePost& post, VectorClock& clock) {
  if (post.label == LivePost::kNoLabel) {
    Learn(post.entry, post.value, clock);
  } else {
    Learn(live_.LabelOf(post), clock);
  }
}

void SemaphoreOrder::Learn(const VectorClock& label, VectorClock& clock) {
  for (ClockEntry entry = 0; entry < label.size(); ++entry) Learn(entry, label.Get(entry), clock);
}

void SemaphoreOrder::Learn(ClockEntry entry, uint64_t value, VectorClock& clock) {
  if (!clock.Raise(entry, value)) return;
  learned_ = true;
  if (shared_) taught_.Raise(entry, value);
}

bool SemaphoreOrder::IsKnown(const LivePost& post, const VectorClock& clock) const {
  if (post.label == LivePost::kNoLabel) return clock.Get(post.entry) >= post.value;
  return clock.Contains(live_.LabelOf(post));
}

bool SemaphoreOrder::Proves(const LivePost& post, const AccessEpoch& epoch) const {
  if (post.label == LivePost::kNoLabel) return post.entry == epoch.entry && post.value >= epoch.value;
  return live_.LabelOf(post).Get(epoch.entry) >= epoch.value;
}

void SemaphoreOrder::Purge(const VectorClock& clock) {
  live_.DropIf([&](const LivePost& post) { return IsKnown(post, clock); });
}

bool SemaphoreOrder::IsOpen(const VectorClock& clock) {
  const BriefGuard guard(lock_, shared_);
  Purge(clock);
  return live_.units() > slack_;
}

bool SemaphoreOrder::FindOpen(const VectorClock& clock, UnsurePost& unsure) {
  const BriefGuard guard(lock_, shared_);
  Purge(clock);
  if (live_.units() <= slack_) return false;
  Explain(live_[0], unsure);
  return true;
}

bool SemaphoreOrder::FindUnsure(const VectorClock& clock, const AccessEpoch& sought, UnsurePost& unsure) {
  const BriefGuard guard(lock_, shared_);
  Purge(clock);
  for (size_t i = 0; i < live_.size(); ++i) {
    if (live_[i].arrival > waited_arrivals_ || !Proves(live_[i], sought)) continue;
    Explain(live_[i], unsure);
    return true;
  }
  return false;
}

void SemaphoreOrder::Explain(const LivePost& post, UnsurePost& unsure) const {
  unsure.post = post.name;
  unsure.wait = last_wait_;
  unsure.instead.clear();
  // Posts of which the owner knows everything may have paid as well: the last few, as far as they need not be used up.
  for (int64_t i = std::max(paid_arrivals_, arrivals_ - kRecent); i < waited_arrivals_; ++i) {
    const PostName& name = recent_[static_cast<size_t>(i) % kRecent];
    if (!(name == post.name)) unsure.instead.push_back(name);
  }
  for (size_t i = 0; i < live_.size(); ++i) {
    const bool listed = live_[i].arrival > arrivals_ - kRecent;
    if (!listed && &live_[i] != &post) unsure.instead.push_back(live_[i].name);
  }
}

}  // namespace strandcore
