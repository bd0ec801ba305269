// LivePosts: the posts on one semaphore of which its owner does not know everything yet, oldest first.
//
// A post's label is what is known once it is known that this post has paid. Of a transfer that the owner itself started
// the owner knows all but the transfer's own entry, so no label is kept: a pipeline's copies cost no clocks.
//
// Ownership: part of a SemaphoreOrder, under its lock. Memory of posts and labels is kept for the next ones.
#ifndef STRANDCORE_RUNTIME_CHECK_LIVE_POSTS_H_
#define STRANDCORE_RUNTIME_CHECK_LIVE_POSTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "runtime/check/order_names.h"
#include "runtime/check/vector_clock.h"

namespace strandcore {

struct LivePost {
  static constexpr int32_t kNoLabel = -1;

  PostName name;
  int64_t units = 0;
  uint64_t value = 0;  // of a transfer: what it proves of its own entry; in its label, too
  ClockEntry entry = 0;
  int32_t label = kNoLabel;
  int64_t arrival = 0;  // counts the posts on the semaphore
};

class LivePosts {
 public:
  bool empty() const { return first_ == posts_.size(); }
  size_t size() const { return posts_.size() - first_; }
  const LivePost& operator[](size_t i) const { return posts_[first_ + i]; }
  const LivePost& back() const { return posts_.back(); }
  int64_t units() const { return units_; }
  // How many have a label.
  size_t labelled() const { return labelled_; }
  const VectorClock& LabelOf(const LivePost& post) const { return labels_[static_cast<size_t>(post.label)]; }

  // The new post is written field by field, by the caller too: copying one that was just written would make the
  // processor wait for its own stores.
  LivePost& Add(int64_t units) {
    LivePost& post = posts_.emplace_back();
    post.units = units;
    units_ += units;
    return post;
  }
  // The label is returned, to add to.
  VectorClock& GiveLabel(LivePost& post, const VectorClock& label);

  void DropFront(size_t count);
  void DropAll() { DropFront(size()); }
  // Drops the posts for which `goes(post)`; asks in order, each once.
  template <typename Goes>
  void DropIf(Goes&& goes) {
    size_t kept = first_;
    for (size_t i = first_; i < posts_.size(); ++i) {
      if (goes(posts_[i])) {
        Forget(posts_[i]);
      } else {
        if (kept != i) posts_[kept] = posts_[i];
        ++kept;
      }
    }
    posts_.resize(kept == first_ ? 0 : kept);  // unlike clear() keeps the memory
    if (posts_.empty()) first_ = 0;
  }

 private:
  void Forget(const LivePost& post);

  absl::InlinedVector<LivePost, 2> posts_;  // those before first_ are gone
  size_t first_ = 0;
  int64_t units_ = 0;
  size_t labelled_ = 0;
  std::vector<VectorClock> labels_;
  std::vector<int32_t> free_labels_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_LIVE_POSTS_H_
