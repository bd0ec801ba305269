#include "runtime/trace/recorder.h"

#include "absl/strings/str_cat.h"

namespace strandcore {

void Recorder::OnEvent(const Event& event) {
  std::lock_guard<std::mutex> lock(mutex_);
  events_[event.place.core].push_back(event);
}

const std::vector<Event>& Recorder::EventsOf(CoreId core) const {
  static const std::vector<Event> kNone;
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = events_.find(core);
  return found == events_.end() ? kNone : found->second;
}

std::vector<CoreId> Recorder::Cores() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<CoreId> cores;
  for (const auto& [core, events] : events_) cores.push_back(core);
  return cores;
}

void Recorder::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  events_.clear();
}

std::vector<VisitedPoint> VisitedPoints(const Recorder& recorder) {
  std::vector<VisitedPoint> points;
  for (CoreId core : recorder.Cores()) {
    for (const Event& event : recorder.EventsOf(core)) {
      if (event.kind == Event::Kind::kBody) points.push_back({core, event.start});
    }
  }
  return points;
}

std::string EventText(const Event& event) {
  std::string text = absl::StrCat(event.place.ToString(), ": ", EventName(event.kind));
  if (event.slot >= 0) absl::StrAppend(&text, ", slot ", event.slot);
  if (!event.start.empty() || !event.size.empty()) {
    absl::StrAppend(&text, ", start ", event.start.ToString(), ", size ", event.size.ToString());
  }
  if (event.transfer != 0) absl::StrAppend(&text, ", transfer ", event.transfer);
  if (!event.semaphore.empty()) absl::StrAppend(&text, ", semaphore ", event.semaphore);
  if (event.amount != 0) absl::StrAppend(&text, ", amount ", event.amount);
  return text;
}

std::string TraceText(const Recorder& recorder) {
  std::string text;
  for (CoreId core : recorder.Cores()) {
    for (const Event& event : recorder.EventsOf(core)) absl::StrAppend(&text, EventText(event), "\n");
  }
  return text;
}

}  // namespace strandcore
