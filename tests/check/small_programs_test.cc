// The small programs of the rule, and patterns that must stay silent; each with a twin one line apart that races.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/check/order_program.h"
#include "tests/check/program_run.h"
#include "tests/check/search.h"

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Transfer = OrderProgram::Transfer;
using Races = std::set<RacePair>;
using Cores = std::vector<std::vector<OrderProgram::Operation>>;

constexpr uint64_t kSchedules = 60;
constexpr int kM = 0;  // cells
constexpr int kK = 1;

OrderProgram Program(const std::vector<int>& owners, const Cores& cores, const std::vector<Transfer>& transfers = {}) {
  OrderProgram program;
  program.cells = 8;
  program.owners = owners;
  program.cores = cores;
  program.transfers = transfers;
  return program;
}

// What every run of the program says, and the search of all its schedules too.
Races RacesOf(const OrderProgram& program) {
  const std::optional<OrderVerdict> truth = SearchAllSchedules(program, 1'000'000);
  EXPECT_TRUE(truth.has_value());
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    EXPECT_EQ(ToText(RunProgram(program, seed).verdict), ToText(*truth)) << ToText(program) << "\nseed " << seed;
  }
  return truth->races;
}

// Whether in some run a semaphore is open at the end.
bool IsNoted(const OrderProgram& program) {
  for (uint64_t seed = 0; seed < kSchedules; ++seed) {
    if (!RunProgram(program, seed).open.empty()) return true;
  }
  return false;
}

Races ProgramOne(bool wait_first) {
  Cores cores = {{Wait(0), Read(kM), Wait(0)}, {Write(kM), Signal(0)}, {Signal(0)}};
  if (!wait_first) cores[0] = {Wait(0, 2), Read(kM)};
  return RacesOf(Program({0}, cores));
}
TEST(SmallProgramTest, AWaitThatEitherOfTwoSignalsPaysIsReported) {
  EXPECT_THAT(ProgramOne(true), ElementsAre(Pair("c0.1", "c1.0")));
}
TEST(SmallProgramTest, AWaitThatEitherOfTwoSignalsPaysFixedIsSilent) { EXPECT_THAT(ProgramOne(false), IsEmpty()); }

// Starts of core 0 that pay core 1.
Races ProgramTwo(const std::vector<OrderProgram::Operation>& waits) {
  return RacesOf(Program({1, 0}, {{Start(0), Start(1)}, waits}, {{-1, kM, 1, 1, 0}, {-1, kK, 1, 1, 0}}));
}
TEST(SmallProgramTest, AWaitThatEitherOfTwoReceivesPaysIsReported) {
  EXPECT_THAT(ProgramTwo({Wait(0), Read(kM), Wait(0)}), ElementsAre(Pair("c1.1", "t0.write")));
}
TEST(SmallProgramTest, AWaitThatEitherOfTwoReceivesPaysFixedIsSilent) {
  EXPECT_THAT(ProgramTwo({Wait(0), Wait(0), Read(kM)}), IsEmpty());
}

// The transfer's send is on core 1, which signals core 0 on.
Races ProgramThree(int64_t units) {
  return RacesOf(Program({0, 1}, {{Start(0), Wait(0, units), Read(kM)}, {Wait(1), Signal(0)}}, {{-1, kM, 1, 1, 0}}));
}
TEST(SmallProgramTest, ASendPassedOnIsNoReceiveIsReported) {
  EXPECT_THAT(ProgramThree(1), ElementsAre(Pair("c0.2", "t0.write")));
}
TEST(SmallProgramTest, ASendPassedOnIsNoReceiveFixedIsSilent) { EXPECT_THAT(ProgramThree(2), IsEmpty()); }

Races ProgramFour(const std::vector<OrderProgram::Operation>& signaller) {
  return RacesOf(Program({1}, {signaller, {Wait(0), Write(kM), Wait(0)}}));
}
TEST(SmallProgramTest, TheFirstSignalOfOneCoreIsKnownByTheFirstWaitIsSilent) {
  EXPECT_THAT(ProgramFour({Read(kM), Signal(0), Signal(0)}), IsEmpty());
}
TEST(SmallProgramTest, TheSecondSignalOfOneCoreIsNotKnownByTheFirstWaitIsReported) {
  EXPECT_THAT(ProgramFour({Signal(0), Read(kM), Signal(0)}), ElementsAre(Pair("c0.1", "c1.1")));
}

// `count` starts on one semaphore, `waits` waits, then all targets are read.
OrderProgram ManyStarts(int count, int waits) {
  OrderProgram program = Program({0}, {{}});
  for (int i = 0; i < count; ++i) {
    program.transfers.push_back({-1, i, 1, 0, -1});
    program.cores[0].push_back(Start(i));
  }
  for (int i = 0; i < waits; ++i) program.cores[0].push_back(Wait(0));
  for (int i = 0; i < count; ++i) program.cores[0].push_back(Read(i));
  return program;
}
TEST(SmallProgramTest, AsManyWaitsAsStartsBeforeUseIsSilent) {
  EXPECT_THAT(RacesOf(ManyStarts(5, 5)), IsEmpty());
  EXPECT_FALSE(IsNoted(ManyStarts(5, 5)));
}
TEST(SmallProgramTest, OneWaitTooFewBeforeUseIsReportedAndNoted) {
  EXPECT_EQ(RacesOf(ManyStarts(5, 4)).size(), 5u);
  EXPECT_TRUE(IsNoted(ManyStarts(5, 4)));
}

Races ProgramSix(const std::vector<OrderProgram::Operation>& starter) {
  return RacesOf(Program({1}, {starter, {Wait(0), Read(kM)}}, {{-1, kK, 1, 0, -1}, {-1, 2, 1, 0, -1}}));
}
TEST(SmallProgramTest, WhatCameBeforeBothStartsIsKnownIsSilent) {
  EXPECT_THAT(ProgramSix({Write(kM), Start(0), Start(1)}), IsEmpty());
}
TEST(SmallProgramTest, WhatCameBetweenTheStartsIsNotKnownIsReported) {
  EXPECT_THAT(ProgramSix({Start(0), Write(kM), Start(1)}), ElementsAre(Pair("c0.1", "c1.1")));
}

Races ProgramSeven(int64_t units) {
  return RacesOf(Program({0}, {{Start(0), Wait(0, units), Write(kM)}}, {{kM, kK, 2, 0, 0}}));
}
TEST(SmallProgramTest, EitherHalfShowsThatTheSourceWasReadIsSilent) { EXPECT_THAT(ProgramSeven(2), IsEmpty()); }
TEST(SmallProgramTest, EitherHalfDoesNotShowThatTheTargetWasWrittenIsReported) {
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Wait(0, 2), Write(kK)}}, {{kM, kK, 2, 0, 0}})),
              ElementsAre(Pair("c0.2", "t0.write")));
}

TEST(SmallProgramTest, OfTwoCopiesTheOneLargerThanTheSlackIsProvenIsSilent) {
  const std::vector<Transfer> copies = {{-1, kM, 2, 0, -1}, {-1, kK, 1, 0, -1}};
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Start(1), Wait(0, 2), Read(kM)}}, copies)), IsEmpty());
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Start(1), Wait(0, 2), Read(kK)}}, copies)),
              ElementsAre(Pair("c0.3", "t1.write")));
}

// Three cores; each signals the two others and waits for them, `rounds` times, and then touches a cell. One barrier is
// not enough on one semaphore: a fast core's second signal may pay for a slow core's first.
OrderProgram Barriers(int rounds, int64_t waited) {
  OrderProgram program = Program({0, 1, 2}, {{Write(0)}, {Write(1)}, {Write(2)}});
  for (int core = 0; core < 3; ++core) {
    auto& operations = program.cores[static_cast<size_t>(core)];
    for (int round = 0; round < rounds; ++round) {
      for (int other = 0; other < 3; ++other) {
        if (other != core) operations.push_back(Signal(other));
      }
      operations.push_back(Wait(core, waited));
    }
    operations.push_back(Read((core + 1) % 3));
  }
  return program;
}
TEST(SilentPatternTest, ABarrierOfAllIsSilent) {
  EXPECT_THAT(RacesOf(Barriers(1, 2)), IsEmpty());
  EXPECT_THAT(RacesOf(Barriers(2, 2)), IsEmpty());
  EXPECT_FALSE(IsNoted(Barriers(2, 2)));
}
TEST(SilentPatternTest, ABarrierThatWaitsForOneOfTwoIsReported) { EXPECT_EQ(RacesOf(Barriers(1, 1)).size(), 3u); }

// Core 0 fills one of two cells, core 1 empties it and gives the credit back.
OrderProgram Credits(bool waits_for_credit) {
  OrderProgram program = Program({0, 1}, {{}, {}});
  for (int i = 0; i < 4; ++i) {
    if (i >= 2 && waits_for_credit) program.cores[0].push_back(Wait(0));
    program.cores[0].push_back(Write(i % 2));
    program.cores[0].push_back(Signal(1));
    program.cores[1].push_back(Wait(1));
    program.cores[1].push_back(Read(i % 2));
    program.cores[1].push_back(Signal(0));
  }
  return program;
}
TEST(SilentPatternTest, CreditsByOneProducerAreSilent) {
  EXPECT_THAT(RacesOf(Credits(true)), IsEmpty());
  EXPECT_FALSE(IsNoted(Credits(true)));
}
TEST(SilentPatternTest, CreditsNotWaitedForAreReported) { EXPECT_FALSE(RacesOf(Credits(false)).empty()); }

// Cores 0 and 1 send three cells to core 2, which waits once.
OrderProgram Receives(int64_t waited) {
  return Program({2, 0, 1}, {{Start(0), Start(1)}, {Start(2)}, {Wait(0, waited), Read(0), Read(1), Read(2)}},
                 {{-1, 0, 1, 1, 0}, {-1, 1, 1, 1, 0}, {-1, 2, 2, 2, 0}});
}
TEST(SilentPatternTest, OneWaitForTheTotalOfManyReceivesIsSilent) {
  EXPECT_THAT(RacesOf(Receives(4)), IsEmpty());
  EXPECT_FALSE(IsNoted(Receives(4)));
}
TEST(SilentPatternTest, OneWaitForLessThanTheTotalIsReported) { EXPECT_EQ(RacesOf(Receives(3)).size(), 2u); }

TEST(SilentPatternTest, OneTransferWaitedInTwoHalvesIsSilent) {
  const std::vector<Transfer> copy = {{-1, kM, 2, 0, -1}};
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Wait(0), Wait(0), Read(kM)}}, copy)), IsEmpty());
  // One half is as good as both here: a transfer pays in one step.
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Wait(0), Read(kM)}}, copy)), IsEmpty());
  EXPECT_THAT(RacesOf(Program({0}, {{Start(0), Read(kM), Wait(0), Wait(0)}}, copy)),
              ElementsAre(Pair("c0.1", "t0.write")));
}

TEST(SilentPatternTest, AWaitWithoutDecrementOrdersAsIfItSubtractedIsSilent) {
  EXPECT_THAT(RacesOf(Program({0}, {{Peek(0, 2), Read(kM), Wait(0, 2)}, {Write(kM), Signal(0)}, {Signal(0)}})),
              IsEmpty());
  EXPECT_THAT(RacesOf(Program({0}, {{Peek(0, 1), Read(kM), Wait(0, 2)}, {Write(kM), Signal(0)}, {Signal(0)}})),
              ElementsAre(Pair("c0.1", "c1.0")));
}

// Core 2's signals, which wait for core 3's, could have paid core 0's first wait as well. Its second needs all three.
TEST(SilentPatternTest, AWaitWithoutDecrementThatNeedsAllOfThemOrdersAllOfThemIsSilent) {
  const auto races = [](int64_t peeked) {
    return RacesOf(Program({0, 2}, {{Wait(0), Peek(0, peeked), Read(kM), Wait(0), Wait(0)},
                                    {Write(kM), Signal(0)},
                                    {Wait(1), Signal(0), Signal(0)},
                                    {Signal(1)}}));
  };
  EXPECT_THAT(races(2), IsEmpty());
  EXPECT_THAT(races(1), ElementsAre(Pair("c0.2", "c1.0")));
}

}  // namespace
}  // namespace strandcore
