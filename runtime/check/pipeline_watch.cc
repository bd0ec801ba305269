#include "runtime/check/pipeline_watch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace strandcore {
namespace {

// Whether two are of one operand of one pipeline, as its author sees it.
template <typename A, typename B>
bool OfOneOperand(const A& a, const B& b) {
  return a.stamp.operand == b.stamp.operand && a.stamp.phase == b.stamp.phase && a.stamp.site == b.stamp.site &&
         a.operand == b.operand;
}

std::string StepText(const Stamp& stamp, int64_t step) { return GridPointOf(*stamp.grid, step).ToString(); }

}  // namespace

void PipelineWatch::OnBlockLeft(int32_t core, const BlockVisit& visit, const Stamp& stamp) {
  Core& self = cores_[static_cast<size_t>(core)];
  const auto depth = static_cast<size_t>(visit.depth);
  const auto position = static_cast<size_t>(stamp.operand);
  if (self.visits.size() <= depth) self.visits.resize(depth + 1);
  if (self.visits[depth].size() <= position) self.visits[depth].resize(position + 1);
  OutputVisits& visits = self.visits[depth][position];
  visits.Follow(visit.invocation);
  const OutputVisits::Steps* before = visits.Leave(visit.number, {visit.first_step, stamp.step});
  if (before == nullptr) return;
  const Revisit revisit = {*visit.operand, *visit.block, *before, stamp, visit.first_step, 1};
  const auto found = std::find_if(self.revisits.begin(), self.revisits.end(),
                                  [&](const Revisit& other) { return OfOneOperand(other, revisit); });
  if (found == self.revisits.end()) {
    self.revisits.push_back(revisit);
  } else {
    ++found->count;
  }
}

void PipelineWatch::OnIndexChange(int32_t core, const IndexChange& change, const Stamp& stamp) {
  std::vector<Unstable>& all = cores_[static_cast<size_t>(core)].unstable;
  const Unstable unstable = {*change.operand, *change.was, *change.is, *change.started, stamp};
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const Unstable& other) { return OfOneOperand(other, unstable); });
  if (!known) all.push_back(unstable);
}

std::vector<Fault> PipelineWatch::Faults() const {
  std::vector<Fault> faults;
  std::vector<const Revisit*> firsts;  // of each fault
  for (size_t core = 0; core < cores_.size(); ++core) {
    for (const Revisit& revisit : cores_[core].revisits) {
      const auto found = std::find_if(firsts.begin(), firsts.end(),
                                      [&](const Revisit* first) { return OfOneOperand(*first, revisit); });
      if (found == firsts.end()) {
        firsts.push_back(&revisit);
        faults.push_back(FaultOf(static_cast<int32_t>(core), revisit));
      } else {
        faults[static_cast<size_t>(found - firsts.begin())].count += revisit.count;
      }
    }
  }
  return faults;
}

Fault PipelineWatch::FaultOf(int32_t core, const Revisit& revisit) {
  Fault fault;
  fault.kind = FaultKind::kRevisitedOutput;
  fault.headline = absl::StrCat("the pipeline comes back to block ", revisit.block.ToString(), " of ", revisit.operand,
                                " after leaving it");
  Stamp again = revisit.stamp;
  again.step = revisit.again;
  fault.places = {PlaceOf(again, CoreId{0, core}, revisit.operand)};
  fault.lines = {absl::StrCat("first visited at step ", StepText(again, revisit.before.first), ", left at step ",
                              StepText(again, revisit.before.left), ", again at step ", StepText(again, revisit.again),
                              ": what was written there is overwritten, never read back"),
                 absl::StrCat("by ", fault.places[0].ToString()),
                 "an output may be revisited on adjacent steps only: make the axis of the reduction the innermost, or "
                 "let the output accumulate"};
  fault.count = revisit.count;
  return fault;
}

std::vector<Note> PipelineWatch::Notes() const {
  std::vector<Note> notes;
  std::vector<const Unstable*> known;
  for (size_t core = 0; core < cores_.size(); ++core) {
    for (const Unstable& unstable : cores_[core].unstable) {
      if (std::any_of(known.begin(), known.end(),
                      [&](const Unstable* other) { return OfOneOperand(*other, unstable); })) {
        continue;
      }
      known.push_back(&unstable);
      notes.push_back(NoteOf(static_cast<int32_t>(core), unstable));
    }
  }
  return notes;
}

Note PipelineWatch::NoteOf(int32_t core, const Unstable& unstable) {
  Note note;
  note.kind = NoteKind::kUnstableIndex;
  note.place = PlaceOf(unstable.stamp, CoreId{0, core}, unstable.operand);
  note.text = absl::StrCat("the index map of ", unstable.operand, " said block ", unstable.was.ToString(),
                           " when its copy was started at step ", StepText(unstable.started, unstable.started.step),
                           " and says ", unstable.is.ToString(), " at its wait");
  return note;
}

}  // namespace strandcore
