// Why two accesses race, as the checker says it: the facts, from the run's order or the solved one. (explain.cc has
// the words.)
#include <optional>
#include <utility>
#include <vector>

#include "runtime/check/checker.h"
#include "runtime/check/solve.h"

namespace strandcore {

WhyUnordered Checker::BeginWhy(const SeenAccess& earlier, const SeenAccess& later) const {
  WhyUnordered why;
  why.owner = earlier.core;
  int32_t tag = earlier.semaphore;
  // A remote copy's target is shown by its arrival alone; its source by either, so by that of the later side's core.
  if (earlier.remote() && (earlier.write || (later.core == earlier.receiver && later.core != earlier.core))) {
    why.owner = earlier.receiver;
    tag = earlier.receive;
  }
  if (earlier.by_transfer()) why.semaphore = names_.NameOf(tag);
  why.counts_bytes = names_.CountsBytes(tag);
  return why;
}

void Checker::AddWhy(const WhyUnordered& why, const SeenAccess& earlier, const SeenAccess& later, Fault& fault) {
  for (std::string& line : WhyLines(why, earlier, later)) fault.lines.push_back(std::move(line));
  if (earlier.by_transfer()) fault.cause = CauseOf(earlier.stamp, why.semaphore);
}

ToldRequest Checker::Tell(bool is_copy, int32_t core, int64_t number) const {
  ToldRequest told{is_copy, core, number, std::nullopt};
  if (const Stamp* stamp = stamps_.OfRequest(core, number); stamp != nullptr) told.stamp = *stamp;
  return told;
}

// While the run is on, `asking` may read its own stamps alone.
ToldRequest Checker::Tell(const PostName& post, int32_t asking) const {
  if (post.core != asking) return {post.tick != 0, post.core, post.number, std::nullopt};
  if (post.tick == 0) return Tell(false, post.core, post.number);
  ToldRequest told{true, post.core, post.number, std::nullopt};
  if (const Stamp* stamp = stamps_.OfTransfer(post.core, post.number); stamp != nullptr) told.stamp = *stamp;
  for (const Unproven& transfer : cores_[static_cast<size_t>(post.core)].unproven) {
    if (transfer.write.name.number == post.number) told.stamp = transfer.write.stamp;
  }
  return told;
}

void Checker::Explain(const SeenAccess& earlier, const SeenAccess& later, Fault& fault) const {
  WhyUnordered why = BeginWhy(earlier, later);
  if (const std::optional<UnsurePost> unsure = order_.WhyUnordered(earlier.epoch, later.core); unsure.has_value()) {
    ToldWait& told = why.unsure.emplace();
    told.semaphore = names_.NameOf(order_.TagOf(unsure->semaphore));
    told.wait = Tell(false, unsure->wait.core, unsure->wait.number);
    told.post = Tell(unsure->post, later.core);
    told.post_is_earlier_side =
        earlier.by_transfer() && unsure->post.tick != 0 && unsure->post.number == earlier.name.number;
    for (const PostName& post : unsure->instead) told.instead.push_back(Tell(post, later.core));
  }
  if (!several_) why.totals = order_.TotalsFor(earlier.epoch, later.core);
  AddWhy(why, earlier, later, fault);
}

void Checker::ExplainSolved(SolvedOrder& solved, const SeenAccess& earlier, const SeenAccess& later,
                            Fault& fault) const {
  WhyUnordered why = BeginWhy(earlier, later);
  auto tell = [&](const RequestName& post) {
    const bool is_copy = requests_.Of(post.core, static_cast<size_t>(post.number)).kind == LoggedRequest::Kind::kStart;
    return Tell(is_copy, post.core, post.number);
  };
  if (const std::optional<UnsureWait> unsure = solved.WhyUnordered(earlier.name, later.name); unsure.has_value()) {
    ToldWait& told = why.unsure.emplace();
    const auto n = static_cast<size_t>(unsure->semaphore / requests_.cores());
    told.semaphore = names_.NameOf(cores_[static_cast<size_t>(unsure->wait.core)].tags[n]);
    told.wait = tell(unsure->wait);
    told.post = tell(unsure->post);
    told.post_is_earlier_side = earlier.by_transfer() && solved.StartOf(earlier.name.number) == unsure->post;
    for (const RequestName& post : unsure->instead) told.instead.push_back(tell(post));
  }
  if (earlier.by_transfer()) {
    const RequestName start = solved.StartOf(earlier.name.number);
    const LoggedRequest& request = requests_.Of(start.core, static_cast<size_t>(start.number));
    const bool arrival = earlier.remote() && why.owner == earlier.receiver && request.receive != kNotLogged;
    const LoggedSemaphore semaphore = arrival && earlier.write ? request.receive : request.semaphore;
    const int64_t until = later.by_transfer() ? solved.StartOf(later.name.number).number : later.name.number;
    if (why.owner == later.core && semaphore % requests_.cores() == why.owner) {
      why.totals = solved.TotalsBefore(semaphore, until);
    }
    why.owner_learns = solved.EverKnown(earlier.name, why.owner);
  } else {
    why.posts_afterwards = solved.PostsFrom(earlier.core, earlier.name.number);
  }
  AddWhy(why, earlier, later, fault);
}

std::optional<std::vector<Payer>> Checker::PayersOf(int32_t semaphore) const {
  if (!several_ || requests_.cut()) return std::nullopt;
  const LoggedSemaphore logged = order_.LoggedAs(semaphore);
  std::vector<Payer> payers;
  for (int32_t core = 0; core < requests_.cores(); ++core) {
    if (core == order_.OwnerOf(semaphore)) continue;
    Payer payer{core, 0, {}};
    for (size_t i = 0; i < requests_.CountOf(core); ++i) {
      const LoggedRequest& request = requests_.Of(core, i);
      const bool signals = request.kind == LoggedRequest::Kind::kSignal && request.semaphore == logged;
      if (!signals && request.receive != logged) continue;
      ++payer.posts;
      if (const Stamp* stamp = stamps_.OfRequest(core, static_cast<int64_t>(i)); stamp != nullptr) payer.last = *stamp;
    }
    if (payer.posts > 0) payers.push_back(payer);
  }
  return payers;
}

}  // namespace strandcore
