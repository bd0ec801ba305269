#include "runtime/exec/pick_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace strandcore {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::Pair;

class FakeAgent final : public Agent {
 public:
  FakeAgent(Kind kind, int64_t rank, std::string name) : Agent(kind, rank), name(std::move(name)) {}
  void Step() override {}
  bool IsAwaited() const override { return awaited; }
  bool IsYielding() const override { return yielding; }

  const std::string name;
  bool awaited = false;
  bool yielding = false;
};

class PickPolicyTest : public ::testing::Test {
 protected:
  std::unique_ptr<FakeAgent> Core(int64_t rank) {
    return std::make_unique<FakeAgent>(Agent::Kind::kCore, rank, "core " + std::to_string(rank));
  }
  std::unique_ptr<FakeAgent> Transfer(int64_t rank) {
    return std::make_unique<FakeAgent>(Agent::Kind::kTransfer, rank, "transfer " + std::to_string(rank));
  }
  void Use(const Policy& policy) { policy_ = MakePickPolicy(policy); }
  void Ready(std::initializer_list<FakeAgent*> agents) {
    for (FakeAgent* agent : agents) policy_->Ready(*agent);
  }
  std::string PickName() {
    Agent* agent = policy_->Pick();
    return agent == nullptr ? "nobody" : static_cast<FakeAgent*>(agent)->name;
  }
  std::vector<std::string> PickAll() {
    std::vector<std::string> names;
    while (Agent* agent = policy_->Pick()) names.push_back(static_cast<FakeAgent*>(agent)->name);
    return names;
  }

  const std::unique_ptr<FakeAgent> core_0_ = Core(0), core_1_ = Core(1), core_2_ = Core(2);
  const std::unique_ptr<FakeAgent> transfer_1_ = Transfer(1), transfer_2_ = Transfer(2), transfer_3_ = Transfer(3);
  std::unique_ptr<PickPolicy> policy_;
};

TEST_F(PickPolicyTest, EagerTakesTransfersFirstThenTheLowestCore) {
  Use(Policy::Eager());
  Ready({core_2_.get(), core_0_.get(), transfer_2_.get(), core_1_.get(), transfer_1_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("transfer 2", "transfer 1", "core 0", "core 1", "core 2"));
}

TEST_F(PickPolicyTest, EagerTakesCoresThatYieldLastAndInTurn) {
  Use(Policy::Eager());
  core_0_->yielding = core_1_->yielding = true;
  Ready({core_1_.get(), core_0_.get(), core_2_.get()});
  EXPECT_EQ(PickName(), "core 2");
  EXPECT_EQ(PickName(), "core 1");
  Ready({core_1_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("core 0", "core 1"));
}

TEST_F(PickPolicyTest, OnWaitTakesTheNewestAwaitedTransfer) {
  Use(Policy::OnWait());
  transfer_1_->awaited = transfer_2_->awaited = true;
  Ready({transfer_1_.get(), transfer_2_.get(), transfer_3_.get(), core_0_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("transfer 2", "transfer 1", "core 0", "transfer 3"));
}

TEST_F(PickPolicyTest, OnWaitPutsATransferBackInItsPlace) {
  Use(Policy::OnWait());
  Ready({transfer_1_.get(), transfer_2_.get(), transfer_3_.get()});
  EXPECT_EQ(PickName(), "transfer 3");
  EXPECT_EQ(PickName(), "transfer 2");
  Ready({transfer_2_.get(), transfer_3_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("transfer 3", "transfer 2", "transfer 1"));
}

TEST_F(PickPolicyTest, OnWaitCompletesWhatNobodyWaitsForBeforeAPollGoesOn) {
  Use(Policy::OnWait());
  core_0_->yielding = true;
  Ready({core_0_.get(), transfer_1_.get(), core_1_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("core 1", "transfer 1", "core 0"));
}

TEST_F(PickPolicyTest, InOrderIsRoundRobin) {
  Use(Policy::InOrder());
  Ready({core_1_.get(), transfer_1_.get(), core_0_.get()});
  EXPECT_EQ(PickName(), "core 1");
  Ready({core_1_.get()});
  EXPECT_THAT(PickAll(), ElementsAre("transfer 1", "core 0", "core 1"));
}

// 200 picks among agents that are ready again at once.
std::vector<std::string> RandomPicks(PickPolicy& policy, std::initializer_list<FakeAgent*> agents) {
  policy.Restart();
  for (FakeAgent* agent : agents) policy.Ready(*agent);
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    FakeAgent* picked = static_cast<FakeAgent*>(policy.Pick());
    names.push_back(picked->name);
    policy.Ready(*picked);
  }
  return names;
}

TEST_F(PickPolicyTest, RandomRepeatsItselfWithTheSameSeed) {
  const auto agents = {core_0_.get(), core_1_.get(), transfer_1_.get()};
  auto one = MakePickPolicy(Policy::Random(7)), two = MakePickPolicy(Policy::Random(7));
  const std::vector<std::string> first = RandomPicks(*one, agents);
  EXPECT_EQ(RandomPicks(*two, agents), first);
  EXPECT_EQ(RandomPicks(*one, agents), first) << "after a restart";
}

TEST_F(PickPolicyTest, RandomDiffersBetweenSeeds) {
  const auto agents = {core_0_.get(), core_1_.get(), transfer_1_.get()};
  std::map<std::vector<std::string>, uint64_t> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto [at, fresh] = seen.emplace(RandomPicks(*MakePickPolicy(Policy::Random(seed)), agents), seed);
    EXPECT_TRUE(fresh) << "seeds " << at->second << " and " << seed << " pick alike";
  }
}

TEST_F(PickPolicyTest, RandomLeavesNobodyOut) {
  const auto agents = {core_0_.get(), core_1_.get(), core_2_.get(), transfer_1_.get(), transfer_2_.get()};
  for (uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
    std::map<std::string, int> picks;
    for (const std::string& name : RandomPicks(*MakePickPolicy(Policy::Random(seed)), agents)) ++picks[name];
    EXPECT_EQ(picks.size(), 5u);
    EXPECT_THAT(picks, Each(Pair(::testing::_, Gt(15)))) << "40 of 200 are to be expected, seed " << seed;
  }
}

TEST_F(PickPolicyTest, PicksNobodyWhenNobodyIsReadyAndForgetsOnRestart) {
  for (const Policy& policy : {Policy::Eager(), Policy::OnWait(), Policy::InOrder(), Policy::Random(3)}) {
    Use(policy);
    EXPECT_EQ(PickName(), "nobody") << policy.ToString();
    Ready({core_0_.get(), transfer_1_.get()});
    policy_->Restart();
    EXPECT_EQ(PickName(), "nobody") << policy.ToString();
  }
}

TEST(PolicyTest, IsReadFromItsName) {
  EXPECT_EQ(*Policy::FromName("eager"), Policy::Eager());
  EXPECT_EQ(*Policy::FromName("on_wait"), Policy::OnWait());
  EXPECT_EQ(*Policy::FromName("in_order"), Policy::InOrder());
  EXPECT_EQ(*Policy::FromName("random", 9), Policy::Random(9));
}

TEST(PolicyTest, OfAnotherNameIsRefusedWithTheOnesItKnows) {
  for (const char* name : {"", "Eager", "random(7)", "fifo"}) {
    const absl::Status status = Policy::FromName(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "policy: expected eager, on_wait, in_order or random, given \"" + std::string(name) + "\"");
  }
}

TEST(PolicyTest, PrintsItsSeedWhereItHasOne) {
  EXPECT_EQ(Policy::Eager().ToString(), "eager");
  EXPECT_EQ(Policy::OnWait().ToString(), "on_wait");
  EXPECT_EQ(Policy::InOrder().ToString(), "in_order");
  EXPECT_EQ(Policy::Random(7).ToString(), "random(7)");
}

}  // namespace
}  // namespace strandcore
