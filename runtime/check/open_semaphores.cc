#include "runtime/check/open_semaphores.h"

#include <algorithm>
#include <map>

#include "runtime/check/solve.h"

namespace strandcore {
namespace {

struct Post {
  int32_t core;
  int64_t number;  // of the request
  int64_t units;
  AccessName proves;  // of a transfer: what its own completion proves
  bool by_transfer;
};

struct Semaphore {
  int64_t left = 0;
  std::vector<Post> posts;
};

// What of the run's accesses the owner of a semaphore does not know at its end.
struct Unknown {
  std::vector<int64_t> from;  // by core: from which of its accesses on; -1: it knows all
  std::vector<AccessName> transfers;
};

class Finder {
 public:
  Finder(const RequestLog& requests, const AccessLog& accesses, SolvedOrder& solved)
      : requests_(requests), accesses_(accesses), solved_(solved) {
    for (int32_t core = 0; core < requests.cores(); ++core) Read(core);
  }

  std::vector<LoggedSemaphore> Find() {
    std::vector<LoggedSemaphore> open;
    for (const auto& [name, semaphore] : semaphores_) {
      if (semaphore.left > 0 && IsOpen(name % requests_.cores(), semaphore)) open.push_back(name);
    }
    return open;
  }

 private:
  AccessName EndOf(int32_t core) const {
    return AccessName::OfCore(core, static_cast<int64_t>(requests_.CountOf(core)));
  }

  void Read(int32_t core) {
    int64_t started = 0;
    for (size_t i = 0; i < requests_.CountOf(core); ++i) {
      const LoggedRequest& request = requests_.Of(core, i);
      Semaphore& semaphore = semaphores_[request.semaphore];
      const auto number = static_cast<int64_t>(i);
      switch (request.kind) {
        case LoggedRequest::Kind::kSignal:
          AddPost(semaphore, {core, number, request.units, {}, false});
          break;
        case LoggedRequest::Kind::kWait:
          semaphore.left -= request.units;
          break;
        case LoggedRequest::Kind::kStart: {
          const int64_t serial = started++ * requests_.cores() + core;
          const bool remote = request.receive != kNotLogged;
          AddPost(semaphore, {core, number, request.units, AccessName::OfTransfer(serial, !remote), true});
          if (!remote) break;
          AddPost(semaphores_[request.receive],
                  {core, number, request.receive_units, AccessName::OfTransfer(serial, true), true});
          break;
        }
        case LoggedRequest::Kind::kWaitWithoutDecrement:
          break;
      }
    }
  }
  static void AddPost(Semaphore& semaphore, const Post& post) {
    semaphore.left += post.units;
    if (post.units > 0) semaphore.posts.push_back(post);
  }

  bool IsOpen(int32_t owner, const Semaphore& semaphore) {
    const Unknown& unknown = UnknownTo(owner);
    int64_t live = 0;
    for (const Post& post : semaphore.posts) live += IsLive(post, owner, unknown) ? post.units : 0;
    return live > semaphore.left;
  }

  // Whether it would tell the owner anything.
  bool IsLive(const Post& post, int32_t owner, const Unknown& unknown) {
    if (post.by_transfer && !solved_.Ordered(post.proves, EndOf(owner))) return true;
    if (post.core == owner) return false;
    const AccessName here = AccessName::OfCore(post.core, post.number);
    for (int32_t core = 0; core < requests_.cores(); ++core) {
      const int64_t from = unknown.from[static_cast<size_t>(core)];
      if (from < 0) continue;
      if (core == post.core ? from <= post.number : solved_.Ordered(AccessName::OfCore(core, from), here)) return true;
    }
    return std::any_of(unknown.transfers.begin(), unknown.transfers.end(),
                       [&](const AccessName& transfer) { return solved_.Ordered(transfer, here); });
  }

  const Unknown& UnknownTo(int32_t owner) {
    const auto [found, added] = unknown_.try_emplace(owner);
    if (!added) return found->second;
    Unknown& unknown = found->second;
    unknown.from.assign(static_cast<size_t>(requests_.cores()), -1);
    for (int32_t core = 0; core < requests_.cores(); ++core) {
      for (const LoggedAccess& logged : accesses_.Of(core)) {
        const AccessName& name = logged.access.name;
        int64_t& from = unknown.from[static_cast<size_t>(core)];
        if (logged.access.by_transfer()) {
          const bool repeated = !unknown.transfers.empty() && unknown.transfers.back() == name;
          if (!repeated && !solved_.Ordered(name, EndOf(owner))) unknown.transfers.push_back(name);
        } else if (core != owner && from < 0 && !solved_.Ordered(name, EndOf(owner))) {
          from = name.number;  // who does not know of this one knows of none after it
        }
      }
    }
    return unknown;
  }

  const RequestLog& requests_;
  const AccessLog& accesses_;
  SolvedOrder& solved_;
  std::map<LoggedSemaphore, Semaphore> semaphores_;
  std::map<int32_t, Unknown> unknown_;  // by owner
};

// Whether any semaphore is left with units: the others are not open.
bool AnyIsLeft(const RequestLog& requests) {
  std::vector<int64_t> left;
  const auto add = [&](LoggedSemaphore semaphore, int64_t units) {
    const auto at = static_cast<size_t>(semaphore);
    if (at >= left.size()) left.resize(at + 1);
    left[at] += units;
  };
  for (int32_t core = 0; core < requests.cores(); ++core) {
    for (size_t i = 0; i < requests.CountOf(core); ++i) {
      const LoggedRequest& request = requests.Of(core, i);
      using Kind = LoggedRequest::Kind;
      if (request.kind == Kind::kWaitWithoutDecrement) continue;
      add(request.semaphore, request.kind == Kind::kWait ? -request.units : request.units);
      if (request.kind == Kind::kStart && request.receive != kNotLogged) add(request.receive, request.receive_units);
    }
  }
  return std::any_of(left.begin(), left.end(), [](int64_t units) { return units > 0; });
}

}  // namespace

std::vector<LoggedSemaphore> OpenSemaphores(const RequestLog& requests, const AccessLog& accesses,
                                            const OrderRules& rules) {
  if (!AnyIsLeft(requests)) return {};
  SolvedOrder solved(requests, rules);
  return Finder(requests, accesses, solved).Find();
}

}  // namespace strandcore
