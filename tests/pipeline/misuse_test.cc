// Mistakes in how a pipeline is called are refused by operand; the simulator stays usable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/testing/schedule_test.h"
#include "tests/pipeline/support.h"

namespace strandcore::testing {
namespace {

using ::testing::HasSubstr;

class MisuseTest : public ::testing::Test {
 protected:
  Array x = Numbers(DType::kFloat32, {32, 128});
  Array y{DType::kFloat32, {32, 128}};
  Pipeline pipeline = Emit(Copy<float>, {.grid = {4}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});

  std::string Refusal(const RefFunction& kernel) { return RefusalText(kernel, {In("x", x), Out("y", y)}); }
  // Two cycles over the same buffers, of which the first prefetches `other` for x.
  RefFunction Prefetching(std::function<Ref()> other) const {
    return [this, other](KernelContext& core, Refs refs) {
      Allocations buffers = pipeline.MakeAllocations(core, refs);
      auto prefetch = [&](BufferedRefs b, Scheduler& s) { s.Prefetch(b[0], other()); };
      pipeline(core, refs, {.allocations = &buffers, .last_cycle = false, .prefetch = prefetch});
      pipeline(core, refs, {.allocations = &buffers, .first_cycle = false});
    };
  }
};

TEST_F(MisuseTest, APrefetchOfAnotherElementTypeIsRefused) {
  for (DType dtype : {DType::kFloat64, DType::kInt32, DType::kInt8, DType::kBool}) {
    Array other(dtype, {32, 128});
    Ref wrong;
    auto kernel = [&](KernelContext& core, Refs refs) {
      wrong = refs[2];
      Prefetching([&] { return wrong; })(core, refs.first(2));
    };
    EXPECT_THAT(RefusalText(kernel, {In("x", x), Out("y", y), In("other", other)}),
                HasSubstr("operand other: expected float32 as its allocations, given "));
  }
}

TEST_F(MisuseTest, AnEmptyViewIsRefused) {
  EXPECT_THAT(Refusal([&](KernelContext& core, Refs refs) {
                const std::vector<Ref> operands = {refs[0], Ref()};
                pipeline(core, operands);
              }),
              HasSubstr("pipeline: expected an array as operand 1, given an empty view"));
  EXPECT_THAT(Refusal(Prefetching([] { return Ref(); })), HasSubstr("operand x: expected an array, given an empty"));
}

TEST_F(MisuseTest, AllocationsServeOneInvocationAtATime) {
  EXPECT_THAT(Refusal([&](KernelContext& core, Refs refs) {
                Allocations* buffers = nullptr;
                const Pipeline outer = Emit([&](KernelContext& core, const Ref&,
                                                const Ref&) { pipeline(core, refs, {.allocations = buffers}); },
                                            {.grid = {2}, .in_specs = {RowTile()}, .out_specs = {RowTile()}});
                Allocations made = outer.MakeAllocations(core, refs);
                buffers = &made;
                outer(core, refs, {.allocations = buffers});
              }),
              HasSubstr("its allocations are in use by an invocation that has not ended"));
}

TEST_F(MisuseTest, ChangesAreAskedForInsideAnInvocation) {
  EXPECT_THAT(
      Refusal([&](KernelContext& core, Refs refs) { pipeline.MakeAllocations(core, refs).refs()[0].HasChanged(); }),
      HasSubstr("operand x: HasChanged outside an invocation of its pipeline"));
}

TEST_F(MisuseTest, ACallbackCannotCopyOutToAnInput) {
  EXPECT_THAT(Refusal([&](KernelContext& core, Refs refs) {
                auto write = [&](BufferedRefs b, Scheduler& s) { b[1].CopyOut(core, refs[0], s.indices()); };
                pipeline(core, refs, {.prefetch = write});
              }),
              HasSubstr("operand x"));
  EXPECT_EQ(x, Numbers(DType::kFloat32, {32, 128}));
}

TEST_F(MisuseTest, AnIndexMapOfMoreThanEightNumbersIsRefused) {
  Array deep(DType::kFloat32, {1, 1, 1, 1, 1, 1, 8, 128});
  const BlockSpec spec({1, 1, 1, 1, 1, 1, 8, 128}, [](const GridIndex&) { return Dims::Filled(12, 0); });
  const Pipeline reads = Emit(Nothing, {.grid = {1}, .in_specs = {spec}});
  EXPECT_THAT(RefusalText(Once(reads), {In("deep", deep)}), HasSubstr("expected 8 numbers"));
}

TEST_F(MisuseTest, ComputeIndexAsksTheMapAnew) {
  int64_t shift = 0;
  const BlockSpec shifted({8, 128}, [&shift](const GridIndex& g) { return BlockIndex{(g[0] + shift) % 4, 0}; });
  const Pipeline reads = Emit(Nothing, {.grid = {4}, .in_specs = {shifted}});
  std::vector<int64_t> answers;
  auto ask = [&](BufferedRefs b, Scheduler& s) {
    answers.push_back(b[0].ComputeIndex(s.indices())[0]);
    shift = 1;
    answers.push_back(b[0].ComputeIndex(s.indices())[0]);
    shift = 0;
  };
  Simulator simulator;
  EXPECT_THAT(simulator.Run(Once(reads, {.prefetch = ask}), {In("x", x)}), IsClean());
  EXPECT_THAT(answers, ::testing::ElementsAre(3, 0));
}

TEST_F(MisuseTest, ARefusedBlockOfAReshapedViewLeavesTheSimulatorAsItWas) {
  Simulator simulator;
  const RunReport before = simulator.Run(Once(pipeline), {In("x", x), Out("y", y)});
  Array odd(DType::kFloat32, {20, 128});
  const Pipeline cut = Emit(Nothing, {.grid = {3}, .in_specs = {RowTile()}});
  auto kernel = [&](KernelContext& core, Refs refs) {
    const Pipeline outer = Emit(
        [&](KernelContext& core, const Ref& window) {
          const Ref reshaped[] = {window.Reshape({2560}).Reshape({20, 128})};
          cut(core, reshaped);
        },
        {.grid = {1}, .in_specs = {BlockSpec({20, 128}, Picking({-1, -1}))}});
    outer(core, refs);
  };
  EXPECT_THAT(simulator.Run(kernel, {In("odd", odd)}), IsRefused("a reshaped view cannot be cut into blocks"));
  const RunReport after = simulator.Run(Once(pipeline), {In("x", x), Out("y", y)});
  EXPECT_THAT(after, IsClean());
  EXPECT_EQ(after.counters, before.counters);
}

TEST(NullFunctionTest, IsRefused) {
  Array x(DType::kFloat32, {8, 128});
  Simulator simulator;
  void (*null)(KernelContext&, Ref) = nullptr;
  EXPECT_THAT(simulator.Run(null, {In("x", x)}), IsRefused("kernel: expected a function, given none"));
  EXPECT_THAT(simulator.Run(std::function<void(KernelContext&, Ref)>(), {In("x", x)}),
              IsRefused("kernel: expected a function, given none"));
}

}  // namespace
}  // namespace strandcore::testing
