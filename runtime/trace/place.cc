#include "runtime/trace/place.h"

#include "absl/strings/str_cat.h"

namespace strandcore {

const char* PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kKernel:
      return "kernel";
    case Phase::kInitialize:
      return "initialize";
    case Phase::kWaitIn:
      return "wait_in";
    case Phase::kCopyIn:
      return "copy_in";
    case Phase::kPrefetch:
      return "prefetch";
    case Phase::kBody:
      return "body";
    case Phase::kWaitOut:
      return "wait_out";
    case Phase::kPostyeet:
      return "postyeet";
    case Phase::kCopyOut:
      return "copy_out";
    case Phase::kFinalize:
      return "finalize";
    case Phase::kSetAccumulator:
      return "set_accumulator";
    case Phase::kAccumulate:
      return "accumulate";
  }
  return "unknown";
}

std::string Place::ToString() const {
  const std::string device = core.device == 0 ? "" : absl::StrCat("device ", core.device, " ");
  return absl::StrCat(device, "core ", core.core, AfterCore());
}

std::string Place::AfterCore() const {
  std::string text;
  if (in_pipeline) absl::StrAppend(&text, ", cycle ", cycle, ", step ", grid_point.ToString());
  absl::StrAppend(&text, ", ", PhaseName(phase));
  if (!operand.empty()) absl::StrAppend(&text, " of ", operand);
  if (site.known()) absl::StrAppend(&text, " (", site.ToString(), ")");
  return text;
}

}  // namespace strandcore
