// Recorder: an Observer that keeps every event, core by core; and a writer that prints them, a line each.
//
// Concurrency: self-synchronised; read it after the run.
#ifndef STRANDCORE_RUNTIME_TRACE_RECORDER_H_
#define STRANDCORE_RUNTIME_TRACE_RECORDER_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/trace/event.h"

namespace strandcore {

class Recorder final : public Observer {
 public:
  void OnEvent(const Event& event) override;

  // The events of one core, in its program order (its transfers' completions where they happened to come).
  const std::vector<Event>& EventsOf(CoreId core) const;
  // The cores that had events, in order.
  std::vector<CoreId> Cores() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::map<CoreId, std::vector<Event>> events_;  // guarded by mutex_ while a run is on
};

// The grid points whose bodies ran, core after core, each core's in its order.
struct VisitedPoint {
  CoreId core;
  Dims point;
  friend bool operator==(const VisitedPoint&, const VisitedPoint&) = default;
};
std::vector<VisitedPoint> VisitedPoints(const Recorder& recorder);

// "core 0, cycle 0, step (1,), copy_in of x: slot 0, start (8, 0), size (8, 128)"
std::string EventText(const Event& event);

// All events of a recorder, a line each, core after core.
std::string TraceText(const Recorder& recorder);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_TRACE_RECORDER_H_
