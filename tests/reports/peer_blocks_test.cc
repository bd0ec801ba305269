// Index maps, windows that stay, and the steps of a grid (interpreter_cases.md S3, S12, S18, S26, S30).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/reports/support.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PeerBlocksReportTest = ReportTest;
STRANDCORE_ON_EVERY_BACKEND(PeerBlocksReportTest);

// Copies four blocks of rows by index maps that are shifted by some blocks.
RefFunction CopiesShifted(int64_t in, int64_t out) {
  auto by = [](int64_t shift) {
    return BlockSpec({4, 128}, [shift](GridIndex g) { return BlockIndex{g[0] + shift, 0}; });
  };
  return Once(Emit(Copy<float>, {.grid = {4}, .in_specs = {by(in)}, .out_specs = {by(out)}}));
}

// An index map's blocks must be there, whatever is permitted of views (simulator/bounds_test has those).
TEST_P(PeerBlocksReportTest, S03AnIndexMapOneOrTwoBlocksTooFarIsOutOfBoundsWhateverReadsMayDo) {
  const Array x = Array::Iota(kF32, {16, 128});
  for (OutOfRangeReads reads : {OutOfRangeReads::kFault, OutOfRangeReads::kUninitialised}) {
    SimulatorOptions options = OptionsFor(1);
    options.out_of_range_reads = reads;
    Array y(kF32, {16, 128});
    auto run = [&](int64_t in, int64_t out) {
      return MakeSimulator(options).Run(CopiesShifted(in, out), {In("x", x), Out("y", y)});
    };
    EXPECT_THAT(run(1, 0), HasOnly(FaultKind::kOutOfBounds,
                                   AllOf(HasSubstr("operand x, grid point (3,): block (4, 0)"),
                                         HasSubstr("dimension 0 has blocks 0–3"), HasSubstr("copy_in of x"))));
    EXPECT_THAT(run(0, 2), HasOnly(FaultKind::kOutOfBounds,
                                   AllOf(HasSubstr("operand y, grid point (2,): block (4, 0)"),
                                         HasSubstr("dimension 0 has blocks 0–3"), HasSubstr("copy_out of y"))));
    EXPECT_THAT(run(0, 0), IsProved());
    EXPECT_EQ(y, x);
  }
}

// Rows of 2 x 3 blocks, from the block that two prefetched scalars name.
RefFunction SlicesAtPrefetched() {
  return [](KernelContext& core, Ref start, Ref x, Ref y) {
    const BlockSpec from({8, 128}, [&](GridIndex g) {
      return BlockIndex{start.Get<int32_t>({0}) / 8 + g[0], start.Get<int32_t>({1}) / 128 + g[1]};
    });
    Emit(Copy<float>, {.grid = {2, 3}, .in_specs = {from}, .out_specs = {Tile()}})(core, std::vector<Ref>{x, y});
  };
}

TEST_P(PeerBlocksReportTest, S12ASliceAtPrefetchedScalarsIsThatSlice) {
  const Array x = Array::Iota(kF32, {64, 768});
  for (const auto& [row, column] : {std::pair{0, 0}, {16, 128}, {48, 384}}) {
    const Array start = Array::FromValues<int32_t>({2}, {row, column});
    Array y(kF32, {16, 384});
    EXPECT_THAT(Run(SlicesAtPrefetched(), {In("start", start, MemorySpace::kSmem), In("x", x), Out("y", y)}),
                IsProved());
    EXPECT_TRUE((y.Matrix<float>() == x.Matrix<float>().block(row, column, 16, 384)).all()) << row << ", " << column;
  }
}

TEST_P(PeerBlocksReportTest, S12PrefetchedScalarsThatNameABlockTooFarAreOutOfBounds) {
  const Array x = Array::Iota(kF32, {64, 768}), start = Array::FromValues<int32_t>({2}, {48, 512});
  Array y(kF32, {16, 384});
  EXPECT_THAT(Run(SlicesAtPrefetched(), {In("start", start, MemorySpace::kSmem), In("x", x), Out("y", y)}),
              HasOnly(FaultKind::kOutOfBounds, AllOf(HasSubstr("operand x, grid point (0, 2): block (6, 6)"),
                                                     HasSubstr("dimension 1 has blocks 0–5"))));
}

// The body adds to its input's window, which stays for the two steps of j, and to a scalar, which stays for good.
TEST_P(PeerBlocksReportTest, S18WindowsThatStayTravelOnceAndKeepWhatTheBodyAdds) {
  const Array x = Array::Iota(kF32, {16, 256});
  Array y(kF32, {16, 256}), s = Array::FromValues<int32_t>({1}, {0});
  const BlockSpec rows({8, 256}, Picking({0, -1}));
  auto kernel = [&](KernelContext& core, Ref s, Ref x, Ref y) {
    auto body = [&](KernelContext&, Ref x, Ref y) {
      const int32_t added = s.Get<int32_t>({0});
      x.ReadWrite<float>() += static_cast<float>(added);
      s.Set<int32_t>(added + 1, {0});
      y.Write<float>() = x.Read<float>();
    };
    Emit(body, {.grid = {2, 2}, .in_specs = {rows}, .out_specs = {rows}})(core, std::vector<Ref>{x, y});
  };
  const RunReport report = Run(kernel, {InOut("s", s, MemorySpace::kSmem), In("x", x), Out("y", y)});
  EXPECT_THAT(report, IsProved());
  // The peer counts the scalar's own travel, too, and so five.
  EXPECT_EQ(report.CountersOf("x"), (OperandCounters{"x", 2, 16384, 0, 0}));
  EXPECT_EQ(report.CountersOf("y"), (OperandCounters{"y", 0, 0, 2, 16384}));
  EXPECT_EQ(report.counters.transfers, 4);
  EXPECT_EQ(s.Get({0}), 4);
  y.ForEach([](int64_t flat, double value) {
    ASSERT_EQ(value, static_cast<double>(flat + (flat < 8 * 256 ? 0 + 1 : 2 + 3))) << flat;
  });
}

TEST_P(PeerBlocksReportTest, S26AnAxisIsKnownByItsName) {
  Array y(kF32, {32, 384});
  auto body = [](KernelContext& core, Ref y) {
    y.Write<float>().setConstant(static_cast<float>(10 * core.ProgramId("foo") + core.ProgramId("bar")));
  };
  const Pipeline pipeline = Emit(body, {.grid = {4, 3}, .out_specs = {Tile()}, .axis_names = {"foo", "bar"}});
  EXPECT_THAT(Run(Once(pipeline), {Out("y", y)}), IsProved());
  y.ForEach([](int64_t flat, double value) {
    const int64_t foo = flat / 384 / 8, bar = flat % 384 / 128;
    ASSERT_EQ(value, static_cast<double>(10 * foo + bar)) << flat;
  });
}

// Which core takes a row of the grid (4, 4) whose first axis is parallel: the emulated pipeline shares evenly, where
// the peer gives three cores two, two and none.
std::vector<int> OwnersOfRows(int cores) {
  if (cores == 1) return {0, 0, 0, 0};
  if (cores == 2) return {0, 0, 1, 1};
  if (cores == 3) return {0, 0, 1, 2};
  return {0, 1, 2, 3};
}

TEST_P(PeerBlocksReportTest, S30UpToSixCoresShareAParallelAxisAndEachCountsItsSteps) {
  const Array x = Array::Iota(kF32, {32, 512}), zero = Array::FromValues<int32_t>({1}, {0});
  auto kernel = [](KernelContext& core, Ref counter, Ref x, Ref y) {
    auto body = [&](KernelContext&, Ref x, Ref y) {
      const int32_t step = counter.Get<int32_t>({0});
      y.Write<float>() = x.Read<float>() + static_cast<float>(100'000 * step);
      counter.Set<int32_t>(step + 1, {0});
    };
    Emit(body, {.grid = {4, 4},
                .in_specs = {Tile()},
                .out_specs = {Tile()},
                .core_axis = 0,
                .dimension_semantics = {kParallel, kArbitrary}})(core, std::vector<Ref>{x, y});
  };
  for (int cores = 1; cores <= 6; ++cores) {
    Recorder recorder;
    SimulatorOptions options = OptionsFor(cores);
    options.observer = &recorder;
    Array y(kF32, {32, 512});
    EXPECT_THAT(MakeSimulator(options).Run(kernel, {In("counter", zero, MemorySpace::kSmem), In("x", x), Out("y", y)}),
                IsProved());
    std::vector<VisitedPoint> expected;
    std::vector<int> steps;  // of a core, before that row of blocks
    const std::vector<int> owners = OwnersOfRows(cores);
    for (int64_t i = 0; i < 4; ++i) {
      const int owner = owners[static_cast<size_t>(i)];
      steps.push_back(i > 0 && owner == owners[static_cast<size_t>(i - 1)] ? steps.back() + 4 : 0);
      for (int64_t j = 0; j < 4; ++j) expected.push_back({CoreId{0, owner}, Dims({i, j})});
    }
    EXPECT_EQ(VisitedPoints(recorder), expected) << cores << " cores";
    y.ForEach([&](int64_t flat, double value) {
      const int64_t step = steps[static_cast<size_t>(flat / 512 / 8)] + flat % 512 / 128;
      ASSERT_EQ(value, static_cast<double>(flat + 100'000 * step)) << cores << " cores, " << flat;
    });
  }
}

}  // namespace
}  // namespace strandcore::testing
