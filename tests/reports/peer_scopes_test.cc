// Scopes without number, cores that allocate other things in other orders, and all that their semaphores are left with
// (interpreter_cases.md W15 to W17).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/testing/sanitizer.h"
#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerScopesReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerScopesReportTest);

// Beyond 33,000, where an emulator that numbers its allocations in 16 bits, or in a fixed table, ends.
constexpr int32_t kScopes = Times(40'000, 2'000);

// Takes a scratch and a semaphore `kScopes` times, and makes one number of one of each scope, in their order; the scope
// `careless` reads its scratch without having written it.
RefFunction ManyScopes(int32_t careless) {
  return [careless](KernelContext& core, Ref sum) {
    uint32_t total = 0;
    for (int32_t i = 0; i < kScopes; ++i) {
      auto scope = [&](Ref number, SemaphoreRef turn) {
        if (i != careless) number.Set<int32_t>(3 * i + 1, {i % 3});
        core.Signal(turn);
        core.Wait(turn);
        total = 31 * total + static_cast<uint32_t>(number.Get<int32_t>({i % 3}));
      };
      core.RunScoped(scope, Smem({3}, DType::kInt32, "number"), RegularSemaphore({}, "turn"));
    }
    sum.Set<int32_t>(static_cast<int32_t>(total), {0});
  };
}

TEST_P(PeerScopesReportTest, W15AFaultInTheLastOfThemIsStillFound) {
  Array sum(DType::kInt32, {1});
  const RunReport report = Run(ManyScopes(/*careless=*/kScopes - 1), {Out("sum", sum, MemorySpace::kSmem)});
  ASSERT_THAT(report, HasOne(FaultKind::kUninitialisedRead,
                             AllOf(HasSubstr("the kernel reads number"), HasSubstr("never written"))));
  EXPECT_EQ(report.faults[0].count, 1);
}

// Core 0 takes a wide tile and then a small one, core 1 the other way round with more between them; in each, rows of
// its own numbers; the semaphores too are taken in another order.
RefFunction AllocatesDifferently(Exchange& full) {
  return [&full](KernelContext& core, Ref x, Ref y, Ref shared) {
    auto produce = [&](Ref wide, Ref small) {
      core.SyncCopy(x.At(0), small);
      wide.Write<float>().setConstant(3);
      wide.At(Ds(0, 8), Ds(0, 128)).Write<float>() += small.Read<float>();
      core.SyncCopy(wide, shared);
      core.Signal(full.Get(core));
    };
    auto consume = [&](SemaphoreRef done, SemaphoreRef told, Ref small, Ref between, Ref wide) {
      full.Publish(told);
      const AsyncCopy load = core.MakeAsyncCopy(x.At(1), small, done);
      load.Start();
      between.Set<int32_t>(4, {2});
      core.Wait(told);
      core.SyncCopy(shared, wide);
      load.Wait();
      small.ReadWrite<float>() += wide.At(Ds(0, 8), Ds(0, 128)).Read<float>();
      small.ReadWrite<float>() *= static_cast<float>(between.Get<int32_t>({2}));
      core.SyncCopy(small, y);
    };
    if (core.core_index() == 0) {
      core.RunScoped([&](Ref wide) { core.RunScoped([&](Ref small) { produce(wide, small); }, VmemTile("small")); },
                     Vmem({16, 256}, kF32, "wide"));
    } else {
      core.RunScoped(consume, DmaSemaphore({}, "done"), RegularSemaphore({}, "told"), VmemTile("small"),
                     Smem({5}, DType::kInt32, "between"), Vmem({16, 256}, kF32, "wide"));
    }
  };
}

TEST_P(PeerScopesReportTest, W16CoresThatAllocateInOtherOrdersKeepTheirOwn) {
  const Array x = Array::Iota(kF32, {2, 8, 128});
  Array y(kF32, {8, 128}), shared(kF32, {16, 256});
  Exchange full;
  EXPECT_THAT(Run(AllocatesDifferently(full), {In("x", x), InOut("y", y), InOut("shared", shared)}, 2), IsProved());
  EXPECT_TRUE((y.Matrix<float>() == 4.0f * (x.Matrix<float>({0}) + x.Matrix<float>({1}) + 3.0f)).all());
}

// Leaves units on three semaphores of each of two cores, bytes on a fourth.
RefFunction LeavesUnits(int64_t left) {
  return [left](KernelContext& core, Ref x, Ref y) {
    auto kernel = [&](SemaphoreRef one, SemaphoreRef several, SemaphoreRef bytes) {
      const int64_t row = core.core_index();
      core.Signal(one, 1);
      core.Signal(several.At(0), 2);
      core.Signal(several.At(1), 3);
      core.MakeAsyncCopy(x.At(row), y.At(row), bytes).Start();
      core.Wait(one, 1 - left);
      core.Wait(several.At(0), 2);
      core.Wait(several.At(1), 3 - 2 * left);
      core.WaitForBytes(bytes, 4096 - 16 * left, Site::Here());
    };
    core.RunScoped(kernel, RegularSemaphore({}, "one"), RegularSemaphore({2}, "several"), DmaSemaphore({}, "bytes"));
  };
}

TEST_P(PeerScopesReportTest, W17WhatIsLeftOnSeveralSemaphoresOfSeveralCoresIsAllReported) {
  const Array x = Array::Iota(kF32, {2, 8, 128});
  Array y = Blocks(2);
  Expecting(FaultKind::kSemaphoreNotZero);
  const RunReport report = Run(LeavesUnits(1), {In("x", x), Out("y", y)}, 2);
  std::vector<std::string> expected, headlines;
  for (int core : {0, 1}) {
    expected.push_back(absl::StrCat("one of core ", core, " ends with 1 unit left"));
    expected.push_back(absl::StrCat("several[1] of core ", core, " ends with 2 units left"));
    expected.push_back(absl::StrCat("bytes of core ", core, " ends with 16 bytes left"));
  }
  for (const Fault& fault : report.faults) {
    EXPECT_EQ(fault.kind, FaultKind::kSemaphoreNotZero);
    headlines.push_back(fault.headline);
  }
  EXPECT_THAT(headlines, ::testing::UnorderedElementsAreArray(expected));
  EXPECT_THAT(Run(LeavesUnits(0), {In("x", x), Out("y", y)}, 2), IsProved());
  EXPECT_EQ(y, x);
}

}  // namespace
}  // namespace strandcore::testing
