#include "runtime/check/live_posts.h"

namespace strandcore {

VectorClock& LivePosts::GiveLabel(LivePost& post, const VectorClock& label) {
  if (free_labels_.empty()) {
    free_labels_.push_back(static_cast<int32_t>(labels_.size()));
    labels_.emplace_back();
  }
  const int32_t at = free_labels_.back();
  free_labels_.pop_back();
  VectorClock& kept = labels_[static_cast<size_t>(at)];
  kept = label;
  post.label = at;
  ++labelled_;
  return kept;
}

void LivePosts::DropFront(size_t count) {
  for (size_t i = 0; i < count; ++i) Forget(posts_[first_ + i]);
  first_ += count;
  // Moving the rest down costs no more than what has been dropped since the last time.
  if (first_ > size()) {
    posts_.erase(posts_.begin(), posts_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void LivePosts::Forget(const LivePost& post) {
  units_ -= post.units;
  if (post.label == LivePost::kNoLabel) return;
  free_labels_.push_back(post.label);
  --labelled_;
}

}  // namespace strandcore
