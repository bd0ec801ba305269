#include "runtime/check/uninitialised_reads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/check/region_union.h"

namespace strandcore {
namespace {

// Who reads, other than the pipeline itself, which never uses what it reads.
const char* WhoOf(Phase phase) {
  switch (phase) {
    case Phase::kKernel:
      return "the kernel";
    case Phase::kBody:
      return "the body";
    case Phase::kPrefetch:
      return "the prefetch callback";
    case Phase::kPostyeet:
      return "the postyeet callback";
    default:
      return "an index map";
  }
}

// A pipeline's operand has a window, wherever that lies: its two slots are one to the author.
std::string WindowName(const std::string& memory) {
  for (const char* slot : {" slot 0", " slot 1"}) {
    if (absl::EndsWith(memory, slot)) return absl::StrCat(memory.substr(0, memory.size() - 7), "'s window");
  }
  return memory;
}

// Where an element was undefined first; nothing if here.
std::string OriginOf(const ElementState& state) { return state.origin == nullptr ? "" : WindowName(*state.origin); }

bool Before(const Hole& a, const Hole& b) {
  const Region& one = a.region;
  return std::lexicographical_compare(one.start, one.start + one.rank, b.region.start, b.region.start + one.rank);
}

const Hole& FirstOf(const std::vector<Hole>& holes) { return *std::min_element(holes.begin(), holes.end(), Before); }

bool SameReason(const ElementState& a, const ElementState& b) { return a.why == b.why && OriginOf(a) == OriginOf(b); }

struct Reason {
  ElementState state;
  std::vector<Region> regions;
};

// In the order of their first elements.
std::vector<Reason> ReasonsOf(std::vector<Hole> holes) {
  std::sort(holes.begin(), holes.end(), Before);
  std::vector<Reason> reasons;
  for (const Hole& hole : holes) {
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const Reason& reason) { return SameReason(reason.state, hole.state); });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {hole.state, {}});
    found->regions.push_back(hole.region);
  }
  for (Reason& reason : reasons) reason.regions = RegionUnion(reason.regions);
  return reasons;
}

// "never written since the memory was allocated"
std::string WhyText(const ElementState& state) {
  const std::string origin = OriginOf(state);
  switch (state.why) {
    case WhyUndefined::kNeverWritten:
      return origin.empty() ? "never written since the memory was allocated"
                            : absl::StrCat("copied from elements of ", origin, " that were never written");
    case WhyUndefined::kNewVisit:
      return absl::StrCat(origin.empty() ? "" : absl::StrCat("copied from ", origin, ", where they were "),
                          "not written since the window began its block: what it held before, of another block or an "
                          "old sum, is no value of this one");
    case WhyUndefined::kBeyondArray:
      return origin.empty() ? "the block is partial: the array ends there, what the window holds beyond is stale"
                            : absl::StrCat(origin, " ends there: what was copied is no element of it");
    case WhyUndefined::kDefined:
      break;
  }
  return "";
}

const char* AdviceOf(WhyUndefined why) {
  switch (why) {
    case WhyUndefined::kBeyondArray:
      return "read only the part that is there, core.Filled(x) or x.At(Ds(0, rows)), or load it with a mask";
    case WhyUndefined::kNewVisit:
      return "write the window at the first step of each block before it is read or added to";
    default:
      return "write it before it is read, or read only the part that was written";
  }
}

// What holds an undefined element, in a verb of singular or plural.
std::string VerbOf(const ElementState& state, const std::string& memory, bool one) {
  if (state.why != WhyUndefined::kBeyondArray) return one ? "was never written" : "were never written";
  if (state.origin == nullptr || WindowName(memory) == WindowName(*state.origin + " slot 0")) {
    return one ? "lies beyond the end of the array" : "lie beyond the end of the array";
  }
  return absl::StrCat(one ? "holds" : "hold", " what lies beyond the end of ", OriginOf(state));
}

// "rows 4–7 were never written"
std::string UndefinedText(const std::string& memory, const std::vector<Region>& regions, const Region& array,
                          const std::vector<Reason>& reasons) {
  const std::string parts = PartsText(regions, array);
  const bool one = !absl::StrContains(parts, "–") && !absl::StrContains(parts, ";");
  const std::string verb = VerbOf(reasons[0].state, memory, one);
  for (const Reason& reason : reasons) {
    if (VerbOf(reason.state, memory, one) != verb) return absl::StrCat(parts, one ? " is" : " are", " undefined");
  }
  return absl::StrCat(parts, " ", verb);
}

// All of them in one.
std::vector<Region> Together(const std::vector<Hole>& holes) {
  std::vector<Region> regions;
  for (const Hole& hole : holes) regions.push_back(hole.region);
  return RegionUnion(regions);
}

void AddReasons(const std::vector<Reason>& reasons, const Region& array, Fault* fault) {
  for (const Reason& reason : reasons) {
    fault->lines.push_back(absl::StrCat(PartsText(reason.regions, array), ": ", WhyText(reason.state)));
  }
}

Fault FaultOf(int32_t core, const Stamp& stamp, const std::string& memory, const Region& array, const Region& read,
              const std::vector<Hole>& holes) {
  const std::vector<Reason> reasons = ReasonsOf(holes);
  const std::string name = WindowName(memory);
  Fault fault;
  fault.kind = FaultKind::kUninitialisedRead;
  fault.headline = absl::StrCat(WhoOf(stamp.phase), " reads ", name, ", of which ",
                                UndefinedText(memory, Together(holes), array, reasons));
  fault.places = {PlaceOf(stamp, CoreId{0, core}, memory)};
  fault.lines = {absl::StrCat(PlaceOf(stamp, CoreId{0, core}, "").ToString(), ": reads ", name, ", ", PartText(read))};
  AddReasons(reasons, array, &fault);
  fault.lines.push_back(AdviceOf(reasons[0].state.why));
  return fault;
}

}  // namespace

void UninitialisedReads::Add(int32_t core, const Stamp& stamp, const std::string& memory, const Region& array,
                             const Region& read, const std::vector<Hole>& holes) {
  const ElementState& first = FirstOf(holes).state;
  const std::string key =
      absl::StrCat(stamp.site.file, ":", absl::Dec(stamp.site.line, absl::kZeroPad8), "|", PhaseName(stamp.phase), "|",
                   WindowName(memory), "|", static_cast<int>(first.why), "|", OriginOf(first));
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = reads_.try_emplace(key);
  Found& kept = found->second;
  if (!is_new) ++kept.fault.count;
  if (!is_new && kept.core <= core) return;
  const int64_t count = kept.fault.count;
  kept.core = core;
  kept.fault = FaultOf(core, stamp, memory, array, read, holes);
  kept.fault.count = count;
}

void UninitialisedReads::AddHandedOver(const std::string& memory, const Region& array, const std::vector<Hole>& holes) {
  const std::vector<Region> all = Together(holes);
  const std::vector<Reason> reasons = ReasonsOf(holes);
  int64_t elements = 0;
  for (const Region& region : all) elements += region.elements();
  Fault fault;
  fault.kind = FaultKind::kUninitialisedRead;
  fault.headline =
      absl::StrCat("the host is handed ", memory, ", of which ", UndefinedText(memory, all, array, reasons));
  fault.lines = {absl::StrCat("when the run ended, ", elements, " of ", array.elements(), " elements were undefined")};
  AddReasons(reasons, array, &fault);
  fault.lines.push_back("write all of it, or give it with InOut if what the host put there is to stay");
  std::lock_guard<std::mutex> lock(mutex_);
  handed_over_.push_back(std::move(fault));
}

std::vector<Fault> UninitialisedReads::TakeFaults() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Fault> faults;
  for (auto& [key, found] : reads_) faults.push_back(std::move(found.fault));
  for (Fault& fault : handed_over_) faults.push_back(std::move(fault));
  reads_.clear();
  handed_over_.clear();
  return faults;
}

}  // namespace strandcore
