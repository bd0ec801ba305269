#include "runtime/check/checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check/footprint_regions.h"
#include "runtime/check/open_semaphores.h"
#include "runtime/check/replay.h"
#include "runtime/memory/ref.h"

namespace strandcore {

Checker::Checker(int32_t cores, const CheckerRules& rules)
    : rules_(rules),
      several_(cores > 1),
      requests_(cores, kLogCapacity),
      order_(cores, several_ ? &requests_ : nullptr, rules.order),
      stamps_(cores, several_ ? kLogCapacity : kRecentRequests),
      accesses_(cores, kLogCapacity),
      semaphores_(cores),
      pipelines_(cores),
      cores_(static_cast<size_t>(cores)) {}

Checker::~Checker() = default;

int32_t Checker::AddSemaphore(int32_t core, const std::string& name, bool dma) {
  const SemaphoreId id = order_.AddSemaphore(core);
  const int32_t tag = names_.TagOf(name, dma);
  order_.SetTag(id, tag);
  if (order_.LoggedAs(id) != kNotLogged) cores_[static_cast<size_t>(core)].tags.push_back(tag);
  return id;
}

void Checker::EndSemaphore(int32_t core, const EndingSemaphore& ending, const Stamp& stamp) {
  const int32_t semaphore = ending.semaphore;
  const LoggedSemaphore logged = order_.LoggedAs(semaphore);
  const int32_t tag = order_.TagOf(semaphore);
  // One that is paid late, or that will be spoken of, keeps its number.
  const bool forget = !ending.others_may_pay && order_.UnitsOf(semaphore) == 0;
  semaphores_.End(core, ending, forget, stamp);
  const bool open = order_.EndSemaphore(core, semaphore, /*use_again=*/forget).has_value();
  std::vector<EndedSemaphore>& ended = cores_[static_cast<size_t>(core)].ended;
  if (several_ && logged != kNotLogged && ended.size() < kLogCapacity) ended.push_back({logged, stamp, tag});
  if (open) NoteOpen(core, tag, stamp);
}

void Checker::NoteOpen(int32_t core, int32_t tag, const Stamp& stamp) {
  Note note;
  note.kind = NoteKind::kAmbiguousWait;
  note.place = PlaceOf(stamp, CoreId{0, core}, "");
  note.text =
      absl::StrCat("the waits of core ", core, " on ", names_.NameOf(tag), " do not say which of its posts they took");
  findings_.Add(std::move(note));
}

// With several cores which notes were made while the run lasted depends on who came first.
void Checker::FindOpenSemaphores() {
  const std::vector<LoggedSemaphore> open = OpenSemaphores(requests_, accesses_, rules_.order);
  findings_.Forget(NoteKind::kAmbiguousWait);
  for (int32_t core = 0; core < order_.cores(); ++core) {
    for (const EndedSemaphore& ended : cores_[static_cast<size_t>(core)].ended) {
      if (std::binary_search(open.begin(), open.end(), ended.semaphore)) NoteOpen(core, ended.tag, ended.stamp);
    }
  }
}

void Checker::OnSignal(int32_t core, int32_t semaphore, int64_t units, const Stamp& stamp) {
  stamps_.Append(core, order_.RequestsOf(core), RequestStamps::kNoTransfer, stamp);
  semaphores_.Post(core, semaphore, units, stamp);
  order_.Signal(core, semaphore, units);
}

void Checker::OnWait(int32_t core, int32_t semaphore, int64_t units, bool subtract, const Stamp& stamp) {
  if (!subtract && !rules_.peeks_prove) return;
  stamps_.Append(core, order_.RequestsOf(core), RequestStamps::kNoTransfer, stamp);
  order_.Wait(core, semaphore, units, subtract || !rules_.peeks_leave);
}

void Checker::OnStart(int32_t core, const Ref& source, const Ref& target, int32_t send, int32_t receive, int64_t units,
                      const Stamp& stamp) {
  semaphores_.Post(core, send, units, stamp);
  if (receive != kNoSemaphore) semaphores_.Post(core, receive, units, stamp);
  const int64_t before = order_.RequestsOf(core);
  const StartedTransfer started =
      order_.Start(core, {send, units}, receive == kNoSemaphore ? SemaphoreUnits() : SemaphoreUnits{receive, units});
  stamps_.Append(core, before, started.serial, stamp);
  SeenAccess access;
  access.stamp = stamp;
  access.core = core;
  access.pays = send;
  access.semaphore = order_.TagOf(send);
  if (receive != kNoSemaphore) {
    access.pays_on_arrival = receive;
    access.receive = order_.TagOf(receive);
    access.receiver = static_cast<int16_t>(order_.OwnerOf(receive));
  }
  access.epoch = started.read;
  access.name = AccessName::OfTransfer(started.serial, /*write=*/false);
  if (__builtin_expect(!rules_.whole_transfers, 0)) return MeetAtStart(core, source, target, access, before);
  if (rules_.source_halves) Meet(core, ShadowOf(*source.allocation()), source, access, before);
  access.write = true;
  access.epoch = rules_.ticks_apart ? started.written : started.read;
  access.name = AccessName::OfTransfer(started.serial, /*write=*/true);
  Meet(core, ShadowOf(*target.allocation()), target, access, before);
  Carry(core, source, target, /*adds=*/false);
  DropProven(core);
  cores_[static_cast<size_t>(core)].unproven.push_back({access, target.name()});
}

// Without the rule that a transfer lasts.
void Checker::MeetAtStart(int32_t core, const Ref& source, const Ref& target, SeenAccess access, int64_t before) {
  access.epoch = order_.Access(core);
  access.name = AccessName::OfCore(core, before);
  Meet(core, ShadowOf(*source.allocation()), source, access, before);
  access.write = true;
  Meet(core, ShadowOf(*target.allocation()), target, access, before);
}

void Checker::OnReadSemaphore(int32_t core, int32_t semaphore, const Stamp&) {
  int32_t& read = cores_[static_cast<size_t>(core)].read;
  // The first is named. A value that is the same in every schedule is not told apart.
  if (read < 0) read = order_.TagOf(semaphore);
}

void Checker::OnRead(int32_t core, const Ref& part, const Stamp& stamp) { OnAccess(core, part, false, stamp); }
void Checker::OnWrite(int32_t core, const Ref& part, const Stamp& stamp) { OnAccess(core, part, true, stamp); }

void Checker::OnAccess(int32_t core, const Ref& part, bool write, const Stamp& stamp) {
  SeenAccess access;
  access.stamp = stamp;
  access.core = core;
  access.write = write;
  access.epoch = order_.Access(core);
  const int64_t before = order_.RequestsOf(core);
  access.name = AccessName::OfCore(core, before);
  AllocationShadow& shadow = ShadowOf(*part.allocation());
  Meet(core, shadow, part, access, before);
  if (!write && shadow.definedness.any()) JudgeRead(core, shadow, part, stamp);
}

void Checker::Meet(int32_t core, AllocationShadow& shadow, const Ref& part, const SeenAccess& access, int64_t before) {
  ForEachRegion(part, [&](const Region& exact) {
    const Region& region = __builtin_expect(rules_.exact_regions, 1) ? exact : shadow.whole;
    if (several_) accesses_.Append(core, shadow.number, {access, before, shadow.number, region});
    const BriefGuard guard(shadow.lock, several_);
    shadow.tree.ForEach(region, [&](ShadowCell& cell, const Region& piece) {
      const bool all = cell.Meet(
          access, [&](const SeenAccess& earlier) { return order_.Ordered(earlier.epoch, core); },
          [&](const SeenAccess& earlier) {
            findings_.AddRace(*shadow.name, piece, earlier, access,
                              [&](Fault& fault) { Explain(earlier, access, fault); });
          });
      if (__builtin_expect(!all, 0)) crowded_.store(shadow.name, std::memory_order_relaxed);
      Forget(cell);
    });
    // What the pipeline adds up is as defined as OnCarry says.
    if (access.write && !access.by_transfer() && shadow.definedness.MayLack(exact) &&
        access.stamp.phase != Phase::kAccumulate) {
      shadow.definedness.Set(exact, ElementState());
    }
  });
}

AllocationShadow& Checker::ShadowOf(const Allocation& allocation) {
  AllocationShadow* shadow = allocation.shadow().load(std::memory_order_acquire);
  if (__builtin_expect(shadow != nullptr, 1)) return *shadow;
  return MakeShadow(allocation);
}

void Checker::OnFree(int32_t core, const Allocation& allocation, const Stamp& stamp) {
  AllocationShadow* shadow = allocation.shadow().load(std::memory_order_acquire);
  if (shadow == nullptr) return;
  SeenAccess end;
  end.stamp = stamp;
  end.core = core;
  end.write = end.ends = true;
  end.epoch = order_.Access(core);
  end.name = AccessName::OfCore(core, order_.RequestsOf(core));
  if (rules_.scopes_end) FindUsesAfter(*shadow, end);
  allocation.shadow().store(nullptr, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(shadows_mutex_);
  shadows_.erase(shadow);
}

void Checker::FindUsesAfter(AllocationShadow& shadow, const SeenAccess& end) {
  if (several_) accesses_.Append(end.core, shadow.number, {end, end.name.number, shadow.number, shadow.whole});
  const BriefGuard guard(shadow.lock, several_);
  shadow.tree.ForEachOverlap(shadow.whole, [&](const ShadowCell& cell, const Region&) {
    for (const SeenAccess& access : cell.accesses) {
      if (access.by_transfer() && !order_.Ordered(access.epoch, end.core)) AddUseAfter(*shadow.name, end, access);
    }
  });
}

void Checker::AddUseAfter(const std::string& memory, const SeenAccess& end, const SeenAccess& transfer) {
  const WhyUnordered why = BeginWhy(transfer, end);
  Fault fault;
  fault.kind = FaultKind::kUseAfterScope;
  fault.headline =
      absl::StrCat(memory, " is freed while a copy may still be ", transfer.write ? "filling" : "reading", " it");
  fault.places = {PlaceOf(end.stamp, CoreId{0, end.core}, ""), PlaceOf(transfer.stamp, CoreId{0, transfer.core}, "")};
  fault.lines = {absl::StrCat("its scope is left by ", fault.places[0].ToString()),
                 absl::StrCat("the copy was started by ", fault.places[1].ToString()),
                 why.owner == end.core
                     ? absl::StrCat("core ", end.core, " has not waited ", why.semaphore, " for it")
                     : absl::StrCat("no wait of core ", why.owner, " on ", why.semaphore, " for it comes before")};
  fault.cause = CauseOf(transfer.stamp, why.semaphore);
  ExplainWhatItPays(end.core, transfer);
  findings_.Add(std::move(fault));
}

// What is left on them is no fault of its own.
void Checker::ExplainWhatItPays(int32_t core, const SeenAccess& transfer) {
  semaphores_.Explain(core, transfer.pays);
  if (transfer.remote()) semaphores_.Explain(core, transfer.pays_on_arrival);
}

void Checker::DropProven(int32_t core) {
  std::vector<Unproven>& unproven = cores_[static_cast<size_t>(core)].unproven;
  std::erase_if(unproven, [&](const Unproven& transfer) { return order_.Ordered(transfer.write.epoch, core); });
}

void Checker::OnEnd(int32_t core) { DropProven(core); }

// The receiver of a remote copy may be the one who knows.
template <typename Knows>
bool Checker::IsKnownAtEnd(const SeenAccess& write, Knows&& knows) const {
  if (!rules_.any_end_proves) return knows(write.core);
  for (int32_t core = 0; core < order_.cores(); ++core) {
    if (knows(core)) return true;
  }
  return false;
}

void Checker::FindInFlight() {
  for (const Core& core : cores_) {
    for (const Unproven& transfer : core.unproven) {
      const auto knows = [&](int32_t c) { return order_.Ordered(transfer.write.epoch, c); };
      if (!IsKnownAtEnd(transfer.write, knows)) AddInFlight(transfer.write, transfer.target);
    }
  }
}

void Checker::FindInFlightAgain(SolvedOrder& solved) {
  for (int32_t core = 0; core < order_.cores(); ++core) {
    int64_t last = -1;
    for (const LoggedAccess& logged : accesses_.Of(core)) {
      const SeenAccess& write = logged.access;
      // One in several regions is logged as often.
      if (write.name.part != AccessName::Part::kTransferWrite || write.name.number == last) continue;
      last = write.name.number;
      const auto knows = [&](int32_t c) {
        return solved.Ordered(write.name, AccessName::OfCore(c, order_.RequestsOf(c)));
      };
      if (!IsKnownAtEnd(write, knows)) AddInFlight(write, logged_[static_cast<size_t>(logged.shadow)].name);
    }
  }
}

void Checker::AddInFlight(const SeenAccess& write, const std::string& target) {
  // Of a remote one the arrival proves the whole.
  const std::string semaphore = names_.NameOf(write.remote() ? write.receive : write.semaphore);
  Fault fault;
  fault.kind = FaultKind::kTransferInFlightAtExit;
  fault.headline = absl::StrCat("core ", write.core, " ends while a copy to ", target, " may be in flight");
  fault.places = {PlaceOf(write.stamp, CoreId{0, write.core}, "")};
  fault.lines = {absl::StrCat("started by ", fault.places[0].ToString()),
                 absl::StrCat("no wait on ", semaphore, " proves that it is complete")};
  fault.cause = CauseOf(write.stamp, semaphore);
  ExplainWhatItPays(write.core, write);
  findings_.Add(std::move(fault));
}

void Checker::JudgeAgain() {
  SolvedOrder solved(requests_, rules_.order);
  findings_.ForgetRaces();
  findings_.Forget(FaultKind::kUseAfterScope);
  semaphores_.ForgetExplanations();
  std::vector<std::unique_ptr<RegionTree<ShadowCell>>> trees(logged_.size());
  ForEachInOneOrder(requests_, accesses_, [&](const LoggedAccess& logged) {
    auto& tree = trees[static_cast<size_t>(logged.shadow)];
    if (tree == nullptr) {
      tree = std::make_unique<RegionTree<ShadowCell>>(logged_[static_cast<size_t>(logged.shadow)].shape, ShadowCell());
    }
    MeetAgain(solved, *tree, logged);
  });
  FindInFlightAgain(solved);
}

void Checker::MeetAgain(SolvedOrder& solved, RegionTree<ShadowCell>& tree, const LoggedAccess& logged) {
  const std::string& memory = logged_[static_cast<size_t>(logged.shadow)].name;
  const SeenAccess& access = logged.access;
  const auto ordered = [&](const SeenAccess& earlier) {
    if (!earlier.by_transfer() && earlier.core == access.core) return true;
    return solved.Ordered(earlier.name, access.name);
  };
  tree.ForEach(logged.region, [&](ShadowCell& cell, const Region& piece) {
    if (access.ends) {
      cell.End(access, ordered, [&](const SeenAccess& earlier) { AddUseAfter(memory, access, earlier); });
      return;
    }
    const bool all = cell.Meet(access, ordered, [&](const SeenAccess& earlier) {
      if (earlier.ends) return AddUseAfter(memory, earlier, access);
      findings_.AddRace(memory, piece, earlier, access,
                        [&](Fault& fault) { ExplainSolved(solved, earlier, access, fault); });
    });
    if (!all) crowded_.store(&memory, std::memory_order_relaxed);
    Forget(cell);
  });
}

void Checker::AddWhatIsKnownAtTheEnd() {
  for (Fault& fault : semaphores_.Faults([&](int32_t semaphore) { return order_.UnitsOf(semaphore); },
                                         [&](int32_t semaphore) { return names_.NameOf(order_.TagOf(semaphore)); })) {
    findings_.Add(std::move(fault));
  }
  for (Fault& fault : pipelines_.Faults()) findings_.Add(std::move(fault));
  for (Note& note : pipelines_.Notes()) findings_.Add(std::move(note));
}

Verdict Checker::Finish() {
  Verdict verdict;
  const bool cut = several_ && (requests_.cut() || accesses_.cut());
  if (several_ && !cut && rules_.judge_again) FindOpenSemaphores();
  const bool again = order_.late() || findings_.any_race() || findings_.any(FaultKind::kUseAfterScope);
  if (several_ && !cut && again && rules_.judge_again) {
    JudgeAgain();
  } else {
    FindInFlight();
  }
  if (order_.late() && cut) {
    Note note;
    note.kind = NoteKind::kLatePost;
    note.text = "a post was made after a wait that it could have paid, and the log of the run is too short to say more";
    findings_.Add(std::move(note));
  }
  // Where accesses race, what is undefined depends on which came first in this run: the race is what is to be mended.
  const bool by_chance =
      several_ && (findings_.any_race() || findings_.any(FaultKind::kUseAfterScope) || (order_.late() && cut));
  AddWhatIsKnownAtTheEnd();
  verdict.faults = findings_.TakeFaults();
  // In the order of cores and programs: what is read first is what is to be mended first.
  for (Fault& fault : uninitialised_reads_.TakeFaults()) {
    if (!by_chance) verdict.faults.push_back(std::move(fault));
  }
  verdict.notes = findings_.TakeNotes();
  verdict.more_faults = findings_.overflowed();
  verdict.why_not_proved = WhyNotProved(!verdict.faults.empty(), cut);
  verdict.proved = verdict.why_not_proved.empty();
  return verdict;
}

std::string Checker::WhyNotProved(bool faulty, bool cut) const {
  if (faulty) return "it has faults";
  if (order_.late() && cut) {
    return "a post was made after a wait that it could have paid, and the log of the run is too short to say more";
  }
  if (!order_.capped().empty()) {
    return absl::StrCat("semaphore ", names_.NameOf(order_.TagOf(order_.capped().front())), " holds more than ",
                        kMaxLivePosts, " posts whose order no wait shows, the most that are weighed");
  }
  if (const std::string* memory = crowded_.load(std::memory_order_relaxed); memory != nullptr) {
    return absl::StrCat(*memory, " has seen more than ", ShadowCell::kMostAccesses,
                        " accesses of one place that nothing orders, the most that are kept");
  }
  for (size_t core = 0; core < cores_.size(); ++core) {
    if (cores_[core].read < 0) continue;
    return absl::StrCat("core ", core, " read semaphore ", names_.NameOf(cores_[core].read),
                        ", whose value may depend on the schedule");
  }
  return "";
}

}  // namespace strandcore
