// BlockTrack: the block indices of one operand at a walk's previous point, point and next point: computed when first
// asked for, kept as long as they hold, carried along when the walk moves on. An answer of the wrong rank is refused.
//
// Concurrency: the kernel's.
#ifndef STRANDCORE_RUNTIME_PIPELINE_BLOCK_TRACK_H_
#define STRANDCORE_RUNTIME_PIPELINE_BLOCK_TRACK_H_

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "runtime/pipeline/block_spec.h"
#include "runtime/pipeline/grid.h"

namespace strandcore {

class BlockTrack {
 public:
  // The spec must outlive it, and each walk that it follows. `operand`: for the refusal.
  BlockTrack(const BlockSpec& spec, std::string operand) : spec_(&spec), operand_(std::move(operand)) {}

  // Follows this walk from where it stands; null: none, so nothing is kept.
  void Follow(const GridWalk* walk) {
    walk_ = walk;
    ForgetAll();
  }
  bool following() const { return walk_ != nullptr; }
  // The walk has moved on to its next point.
  void Advance() {
    known_[first_] = false;
    first_ = Place(1);
    changed_ = will_change_;
    will_change_ = Answer::kUnknown;
  }
  // User code has run, which may have changed what the index map reads.
  void Forget() {
    if (!spec_->index_map.stateless()) ForgetAll();
  }
  // Whether the previous point has another block, or the next one has. REQUIRES: it follows a walk.
  bool Changed() { return AnswerOf(&changed_, walk_->previous()); }
  bool WillChange() { return AnswerOf(&will_change_, walk_->next()); }
  // The block of a grid point. Valid until the next call.
  const BlockIndex& At(const GridIndex& point) {
    const int place = PlaceOf(point);
    if (place != kNowhere && known_[place]) return index_[place];
    // Constructed in place: copying numbers that have just been written one by one would stall.
    BlockIndex* index = new (&index_[place]) BlockIndex(spec_->index_map(point));
    CheckRank(point, *index);
    if (place != kNowhere) known_[place] = true;
    return *index;
  }

  // The same, asked anew and not kept.
  BlockIndex Ask(const GridIndex& point) const {
    BlockIndex index = spec_->index_map(point);
    CheckRank(point, index);
    return index;
  }

 private:
  static constexpr int kNowhere = 3;
  enum class Answer : uint8_t { kUnknown, kNo, kYes };

  void CheckRank(const GridIndex& point, const BlockIndex& index) const {
    const bool right = index.size() == static_cast<int>(spec_->block.size()) && !index.overflowed();
    if (__builtin_expect(!right, 0)) RefuseRank(point, index);
  }
  [[noreturn]] void RefuseRank(const GridIndex& point, const BlockIndex& index) const;
  void ForgetAll() {
    known_[0] = known_[1] = known_[2] = false;
    changed_ = will_change_ = Answer::kUnknown;
  }
  bool AnswerOf(Answer* answer, const GridIndex& other) {
    if (*answer == Answer::kUnknown) {
      *answer = At(walk_->point()) == At(other) ? Answer::kNo : Answer::kYes;
    }
    return *answer == Answer::kYes;
  }
  // Of the previous point, the point, the next point (0, 1, 2): a ring.
  int Place(int which) const {
    const int place = first_ + which;
    return place < 3 ? place : place - 3;
  }
  // By identity: the walk's own points.
  int PlaceOf(const GridIndex& point) const {
    if (walk_ == nullptr) return kNowhere;
    if (&point == &walk_->point()) return Place(1);
    if (&point == &walk_->next()) return Place(2);
    return &point == &walk_->previous() ? Place(0) : kNowhere;
  }

  const BlockSpec* spec_;
  std::string operand_;
  const GridWalk* walk_ = nullptr;
  int first_ = 0;
  bool known_[3] = {};
  Answer changed_ = Answer::kUnknown;
  Answer will_change_ = Answer::kUnknown;
  BlockIndex index_[4];  // the last one of a point that is none of the walk's
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_PIPELINE_BLOCK_TRACK_H_
