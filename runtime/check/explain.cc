#include "runtime/check/explain.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/digits.h"
#include "runtime/check/region_union.h"

namespace strandcore {
namespace {

constexpr size_t kMostInstead = 3;

// "the body", "a copy-in"
std::string WhoOf(const SeenAccess& access) {
  switch (access.stamp.phase) {
    case Phase::kInitialize:
    case Phase::kCopyIn:
      return access.by_transfer() ? "a copy-in" : "the pipeline";
    case Phase::kPrefetch:
      return access.by_transfer() ? "a copy-in" : "the prefetch callback";
    case Phase::kCopyOut:
      return access.by_transfer() ? "a copy-out" : "the pipeline";
    case Phase::kBody:
      return access.by_transfer() ? "a copy" : "the body";
    case Phase::kKernel:
      return access.by_transfer() ? "a copy" : "the kernel";
    case Phase::kPostyeet:
      return access.by_transfer() ? "a copy" : "the postyeet callback";
    default:
      return access.by_transfer() ? "a copy" : "the pipeline";
  }
}

std::string PlaceText(int32_t core, const Stamp& stamp) { return PlaceOf(stamp, CoreId{0, core}, "").ToString(); }

// "the copy started by core 0, kernel (matmul.cc:41)"
std::string PostText(const ToldRequest& post) {
  const char* what = post.is_copy ? "the copy started by " : "the signal of ";
  if (post.stamp.has_value()) return absl::StrCat(what, PlaceText(post.core, *post.stamp));
  return post.is_copy ? absl::StrCat("an earlier copy of core ", post.core)
                      : absl::StrCat("an earlier signal of core ", post.core);
}

// Each place once: the copies of a loop have one.
std::string InsteadText(const std::vector<ToldRequest>& posts) {
  std::vector<std::string> texts;
  for (const ToldRequest& post : posts) {
    std::string text = PostText(post);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string text;
  for (size_t i = 0; i < texts.size() && i < kMostInstead; ++i) {
    absl::StrAppend(&text, text.empty() ? "" : i + 1 == texts.size() ? " or " : "; ", texts[i]);
  }
  if (texts.size() > kMostInstead) absl::StrAppend(&text, " or ", texts.size() - kMostInstead, " others");
  return text;
}

// The earlier side, a transfer, as it is spoken of after both sides.
std::string TheCopy(const SeenAccess& earlier, const SeenAccess& later) {
  if (!later.by_transfer()) return "this copy";
  return earlier.write ? "the copy that is still filling it" : "the copy that is still reading it";
}

std::string UnsureText(const ToldWait& unsure, const std::string& copy) {
  std::string waits = absl::StrCat("the waits of core ", unsure.wait.core, " on ", unsure.semaphore);
  if (unsure.wait.stamp.has_value()) {
    absl::StrAppend(&waits, ", the last by ", PlaceText(unsure.wait.core, *unsure.wait.stamp), ",");
  }
  const std::string post = unsure.post_is_earlier_side ? copy : PostText(unsure.post);
  if (unsure.instead.empty()) return absl::StrCat(waits, " take too little to show ", post);
  return absl::StrCat(waits, " may have been paid by ", InsteadText(unsure.instead), " instead of ", post);
}

std::string NotWaitedText(const WhyUnordered& why, const SeenAccess& earlier, const SeenAccess& later) {
  const std::string core = absl::StrCat("core ", earlier.core), owner = absl::StrCat("core ", why.owner);
  if (!earlier.by_transfer()) {
    if (!why.posts_afterwards) return absl::StrCat(core, " signals nobody afterwards");
    return absl::StrCat("core ", later.core, " has waited for nothing that ", core, " signalled or copied afterwards");
  }
  const std::string copy = TheCopy(earlier, later);
  if (why.owner == later.core) {
    std::string text = absl::StrCat(owner, " has not waited ", why.semaphore, " for ", copy);
    if (why.totals.has_value()) {
      absl::StrAppend(&text, " (", DigitsInGroups(why.totals->posted),
                      why.counts_bytes ? " bytes started, " : " started, ", DigitsInGroups(why.totals->waited),
                      " waited)");
    }
    return text;
  }
  if (!why.owner_learns) {
    return absl::StrCat(owner, " never waits ", why.semaphore, " for ", copy, ", so it can tell core ", later.core,
                        " nothing of it");
  }
  return absl::StrCat("after ", owner, " had waited ", why.semaphore, " for ", copy,
                      ", it signalled or copied nothing that core ", later.core, " has waited for");
}

// A wait that one copy or another has paid.
bool MistakesCopies(const ToldWait& unsure) {
  return unsure.post.is_copy && !unsure.instead.empty() &&
         std::all_of(unsure.instead.begin(), unsure.instead.end(),
                     [](const ToldRequest& post) { return post.is_copy; });
}

// Two cores at the same part of the memory, each in a pipeline over the same grid: a part of its own each would have
// another offset.
bool RunTheSameGrid(const SeenAccess& earlier, const SeenAccess& later) {
  const GridInfo *a = earlier.stamp.grid, *b = later.stamp.grid;
  return earlier.core != later.core && earlier.stamp.site == later.stamp.site && a != nullptr && b != nullptr &&
         *a == *b;
}

}  // namespace

AccessKind KindOf(const SeenAccess& access) {
  if (access.by_transfer()) return access.write ? AccessKind::kDmaWrite : AccessKind::kDmaRead;
  return access.write ? AccessKind::kCoreWrite : AccessKind::kCoreRead;
}

std::string RaceHeadline(const std::string& memory, const SeenAccess& earlier, const SeenAccess& later) {
  const char* does = later.write ? " writes " : " reads ";
  std::string text = absl::StrCat(WhoOf(later), does, memory, " while ");
  if (!earlier.by_transfer()) {
    return absl::StrCat(text, earlier.core == later.core ? WhoOf(earlier) : absl::StrCat("core ", earlier.core),
                        " may still be ", earlier.write ? "writing" : "reading", " it");
  }
  return absl::StrCat(text, WhoOf(earlier), earlier.core == later.core ? "" : absl::StrCat(" of core ", earlier.core),
                      " is still ", earlier.write ? "filling" : "reading", " it");
}

std::string SideText(const std::string& memory, const Region& region, const SeenAccess& side) {
  return absl::StrCat(side.by_transfer() ? absl::StrCat(WhoOf(side), ", started by ") : "",
                      PlaceText(side.core, side.stamp), ": ", side.write ? "writes " : "reads ", memory, ", ",
                      PartText(region));
}

std::vector<std::string> WhyLines(const WhyUnordered& why, const SeenAccess& earlier, const SeenAccess& later) {
  std::vector<std::string> lines = {
      absl::StrCat("nothing orders them: ", why.unsure.has_value() ? UnsureText(*why.unsure, TheCopy(earlier, later))
                                                                   : NotWaitedText(why, earlier, later))};
  if (why.unsure.has_value() && MistakesCopies(*why.unsure)) {
    lines.push_back("wait for all of these copies before one is used, or give each a semaphore of its own");
  }
  if (RunTheSameGrid(earlier, later)) {
    lines.push_back(absl::StrCat("both cores run the whole grid ", later.stamp.grid->sizes.ToString(),
                                 " of this pipeline: core_axis would give each a part of it"));
  }
  return lines;
}

std::string CauseOf(const Stamp& start, const std::string& semaphore) {
  return absl::StrCat(start.site.ToString(), " ", PhaseName(start.phase), " ", start.operand, " ", semaphore);
}

}  // namespace strandcore
