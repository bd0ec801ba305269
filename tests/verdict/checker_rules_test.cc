// Each rule of the checker is needed: with it a small kernel is judged rightly, without it wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "runtime/simulator/checker_hook.h"
#include "runtime/strandcore.h"
#include "tests/core/exchange.h"

namespace strandcore::testing {
namespace {

class Without final : public CheckerHook {
 public:
  explicit Without(const CheckerRules& rules) : rules_(rules) {}
  CheckerRules rules() const override { return rules_; }

 private:
  const CheckerRules rules_;
};

// What a kernel is given: two arrays in HBM, 8 rows of 128 each; and what its cores share.
struct Setting {
  Exchange semaphore;
  Exchange also;
};
using Kernel = std::function<void(KernelContext&, Setting&, Ref, Ref)>;

struct RuleCase {
  std::string name;
  CheckerRules without;
  int cores;
  Kernel kernel;
  std::set<FaultKind> faults;  // what is right
};
std::ostream& operator<<(std::ostream& out, const RuleCase& rule) { return out << rule.name; }

CheckerRules Off(bool CheckerRules::*rule) {
  CheckerRules rules;
  rules.*rule = false;
  return rules;
}
CheckerRules OrderOff(bool OrderRules::*rule) {
  CheckerRules rules;
  rules.order.*rule = false;
  return rules;
}

void InScope(KernelContext& core, const std::function<void(Ref, SemaphoreRef, SemaphoreRef)>& body) {
  core.RunScoped(body, Vmem({8, 128}, DType::kFloat32, "tile"), DmaSemaphore({}, "done"), DmaSemaphore({}, "also"));
}

// --- One core.

void ReadsBeforeTheWait(KernelContext& core, Setting&, Ref x, Ref) {
  InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef) {
    const AsyncCopy copy = core.MakeAsyncCopy(x, tile, done);
    copy.Start();
    tile.Declare(AccessMode::kRead, Site::Here());
    copy.Wait();
  });
}

void OverwritesASource(KernelContext& core, Setting&, Ref, Ref y) {
  InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef) {
    tile.Declare(AccessMode::kWrite, Site::Here());
    const AsyncCopy copy = core.MakeAsyncCopy(tile, y, done);
    copy.Start();
    tile.Declare(AccessMode::kWrite, Site::Here());
    copy.Wait();
  });
}

void UsesTheOtherHalf(KernelContext& core, Setting&, Ref x, Ref) {
  InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef) {
    const AsyncCopy copy = core.MakeAsyncCopy(x.At(Ds(0, 4, 2)), tile.At(Ds(0, 4, 2)), done);
    copy.Start();
    tile.At(Ds(1, 4, 2)).Declare(AccessMode::kWrite, Site::Here());
    copy.Wait();
  });
}

// Two copies read x; the wait for the second does not prove the first, whose source is then written.
void WaitsForTheSecondReader(KernelContext& core, Setting&, Ref, Ref y) {
  InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef also) {
    tile.Declare(AccessMode::kWrite, Site::Here());
    const AsyncCopy first = core.MakeAsyncCopy(tile.At(Ds(0, 4)), y.At(Ds(0, 4)), done);
    const AsyncCopy second = core.MakeAsyncCopy(tile.At(Ds(0, 4)), y.At(Ds(4, 4)), also);
    first.Start();
    second.Start();
    second.Wait();
    tile.At(Ds(0, 4)).Declare(AccessMode::kWrite, Site::Here());
    first.Wait();
  });
}

void LeavesACopyBehind(KernelContext& core, Setting&, Ref x, Ref) {
  core.RunScoped(
      [&](SemaphoreRef done) {
        core.RunScoped([&](Ref tile) { core.MakeAsyncCopy(x, tile, done).Start(); },
                       Vmem({8, 128}, DType::kFloat32, "tile"));
        core.WaitForBytes(done, x.bytes(), Site::Here());
      },
      DmaSemaphore({}, "done"));
}

void ReadsWhatWasNotCopied(KernelContext& core, Setting&, Ref x, Ref) {
  InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef) {
    const AsyncCopy copy = core.MakeAsyncCopy(x.At(Ds(0, 4)), tile.At(Ds(0, 4)), done);
    copy.Start();
    copy.Wait();
    tile.Declare(AccessMode::kRead, Site::Here());
  });
}

// --- Several cores. Core 0 owns the semaphore.

Kernel Owning(const std::function<void(KernelContext&, SemaphoreRef, Ref, Ref)>& owner,
              const std::function<void(KernelContext&, SemaphoreRef, Ref, Ref)>& other,
              const std::function<void(KernelContext&, SemaphoreRef, Ref, Ref)>& third = nullptr) {
  return [=](KernelContext& core, Setting& setting, const Ref& x, const Ref& y) {
    if (core.core_index() == 1) return other(core, setting.semaphore.Get(core), x, y);
    if (core.core_index() == 2) return third(core, setting.semaphore.Get(core), x, y);
    core.RunScoped(
        [&](SemaphoreRef own) {
          setting.semaphore.Publish(own);
          owner(core, own, x, y);
        },
        RegularSemaphore({}, "own"));
  };
}

void WritesX(KernelContext&, const Ref& x) { x.Declare(AccessMode::kWrite, Site::Here()); }
void ReadsX(KernelContext&, const Ref& x) { x.Declare(AccessMode::kRead, Site::Here()); }

// The i-th wait gets the i-th signal: the second, after which x is written, is not needed for what the first proves.
Kernel WriteAfterSignal() {
  return Owning(
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        core.Wait(own);
        ReadsX(core, x);
      },
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        ReadsX(core, x);
        core.Signal(own);
        WritesX(core, x);
      });
}

// Core 2's signal may have paid for the first wait.
Kernel EitherPays() {
  return Owning(
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        core.Wait(own);
        ReadsX(core, x);
        core.Wait(own);
      },
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        WritesX(core, x);
        core.Signal(own);
      },
      [](KernelContext& core, SemaphoreRef own, Ref, Ref) {
        core.Delay(200);
        core.Signal(own);
      });
}

// Two signals: a peek for both proves what came before both and leaves them for the waits.
Kernel PeeksForBoth() {
  return Owning(
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        core.WaitUntil(own, 2);
        ReadsX(core, x);
        core.Wait(own, 2);
      },
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        WritesX(core, x);
        core.Signal(own, 2);
      });
}

// Two cores signal one each. A peek for one and a wait for one may both have seen the same.
Kernel PeeksForOne() {
  return Owning(
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        core.Delay(200);
        core.WaitUntil(own, 1);
        core.Wait(own, 1);
        ReadsX(core, x);
      },
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        WritesX(core, x);
        core.Signal(own);
      },
      [](KernelContext& core, SemaphoreRef own, Ref, Ref) { core.Signal(own); });
}

// Core 0 sends x to y on core 1 and waits: x may be used again, y not.
Kernel SendsAndUses(bool target) {
  return [=](KernelContext& core, Setting& setting, const Ref& x, const Ref& y) {
    core.RunScoped(
        [&](SemaphoreRef own) {
          if (core.core_index() == 1) {
            setting.semaphore.Publish(own);
            core.WaitForBytes(own, x.bytes(), Site::Here());
            return;
          }
          const AsyncCopy copy = core.MakeAsyncRemoteCopy(x, y, own, setting.semaphore.Get(core));
          copy.Start();
          copy.Wait();
          if (target) y.Declare(AccessMode::kRead, Site::Here());
        },
        DmaSemaphore({}, "own"));
  };
}

// Core 0 writes x and reads it; core 1 reads it too, unordered: core 0's read is no reason to forget its write.
Kernel WriteReadRead() {
  return Owning(
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        WritesX(core, x);
        ReadsX(core, x);
        core.Wait(own);
      },
      [](KernelContext& core, SemaphoreRef own, Ref x, Ref) {
        ReadsX(core, x);
        core.Signal(own);
      });
}

// Core 1 writes x and starts two copies, each of which pays core 0: its one wait proves both starts, no completion.
Kernel TwoStarts() {
  return [=](KernelContext& core, Setting& setting, const Ref& x, const Ref& y) {
    core.RunScoped(
        [&](SemaphoreRef own) {
          if (core.core_index() == 0) {
            setting.semaphore.Publish(own);
            core.WaitForBytes(own, 512, Site::Here());
            ReadsX(core, x);
            core.WaitForBytes(own, 512, Site::Here());
            return;
          }
          const SemaphoreRef receive = setting.semaphore.Get(core);
          InScope(core, [&](Ref tile, SemaphoreRef done, SemaphoreRef) {
            WritesX(core, x);
            tile.Declare(AccessMode::kWrite, Site::Here());
            for (int row : {0, 1}) core.MakeAsyncRemoteCopy(tile.At(row), y.At(row), done, receive).Start();
            core.WaitForBytes(done, 1024, Site::Here());
          });
        },
        DmaSemaphore({}, "own"));
  };
}

std::vector<RuleCase> Cases() {
  using enum FaultKind;
  return {
      {"WholeTransfers", Off(&CheckerRules::whole_transfers), 1, ReadsBeforeTheWait, {kRace}},
      {"SourceHalves", Off(&CheckerRules::source_halves), 1, OverwritesASource, {kRace}},
      {"ExactRegions", Off(&CheckerRules::exact_regions), 1, UsesTheOtherHalf, {}},
      {"KeepUnordered", Off(&CheckerRules::keep_unordered), 1, WaitsForTheSecondReader, {kRace}},
      {"ReadsStay", Off(&CheckerRules::reads_stay), 2, WriteReadRead(), {kRace}},
      {"ScopesEnd", Off(&CheckerRules::scopes_end), 1, LeavesACopyBehind, {kUseAfterScope}},
      {"Definedness", Off(&CheckerRules::definedness), 1, ReadsWhatWasNotCopied, {kUninitialisedRead}},
      {"TicksApart", Off(&CheckerRules::ticks_apart), 2, SendsAndUses(true), {kRace}},
      {"AnyEndProves", Off(&CheckerRules::any_end_proves), 2, SendsAndUses(false), {}},
      {"PeeksProve", Off(&CheckerRules::peeks_prove), 2, PeeksForBoth(), {}},
      {"PeeksLeave", Off(&CheckerRules::peeks_leave), 3, PeeksForOne(), {kRace}},
      {"JudgeAgain", Off(&CheckerRules::judge_again), 3, EitherPays(), {kRace}},
      {"LatePosts", OrderOff(&OrderRules::see_late_posts), 3, EitherPays(), {kRace}},
      {"TickAfterPosts", OrderOff(&OrderRules::tick_after_posts), 2, WriteAfterSignal(), {kRace}},
      {"LearnPerEntry", OrderOff(&OrderRules::learn_per_entry), 2, TwoStarts(), {}},
  };
}

class CheckerRulesTest : public ::testing::TestWithParam<RuleCase> {
 protected:
  static RunReport RunWith(const CheckerRules& rules, const Policy& policy) {
    const RuleCase& rule = GetParam();
    Array x = Array::Iota(DType::kFloat32, {8, 128}), y = Array::Iota(DType::kFloat32, {8, 128});
    Setting setting;
    Simulator simulator({.cores = rule.cores, .policy = policy, .allow_hbm_access = true, .step_limit = 100'000});
    Without hook(rules);
    hook.AttachTo(simulator);
    return simulator.Run([&](KernelContext& core, Ref x, Ref y) { rule.kernel(core, setting, x, y); },
                         {InOut("x", x), InOut("y", y)});
  }
  static std::set<FaultKind> KindsOf(const RunReport& report) {
    std::set<FaultKind> kinds;
    for (const Fault& fault : report.faults) {
      // One kernel leaves a signal behind, which is not what is judged here.
      if (fault.kind != FaultKind::kSemaphoreNotZero) kinds.insert(fault.kind);
    }
    return kinds;
  }
  static std::vector<Policy> Policies() {
    std::vector<Policy> policies = {Policy::Eager(), Policy::OnWait(), Policy::InOrder()};
    for (uint64_t seed = 0; seed < 10; ++seed) policies.push_back(Policy::Random(seed));
    return policies;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, CheckerRulesTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(CheckerRulesTest, WithItEveryRunIsJudgedRightly) {
  for (const Policy& policy : Policies()) {
    const RunReport report = RunWith({}, policy);
    ASSERT_TRUE(report.status.ok()) << report.status;
    EXPECT_EQ(KindsOf(report), GetParam().faults) << policy.ToString() << ": " << report;
  }
}

TEST_P(CheckerRulesTest, WithoutItSomeRunIsMisjudged) {
  int wrong = 0;
  for (const Policy& policy : Policies()) {
    wrong += KindsOf(RunWith(GetParam().without, policy)) == GetParam().faults ? 0 : 1;
  }
  EXPECT_GT(wrong, 0);
}

}  // namespace
}  // namespace strandcore::testing
