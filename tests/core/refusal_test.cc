// What a kernel is refused, word for word: the message names what was expected and what was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <regex>
#include <string>

#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"

namespace strandcore::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What a kernel under test has at hand.
struct Parts {
  Ref x;  // int32 (16, 256), given with In
  Ref y;  // int32 (16, 256), given with Out
  Ref flags;
  Ref tile;  // int32 (8, 128) in VMEM
  SemaphoreRef bytes;
  SemaphoreRef bytes_array;
  SemaphoreRef signals;
  SemaphoreRef signals_array;
};

RunReport RunWith(const std::function<void(KernelContext&, const Parts&)>& body) {
  const Array x(DType::kInt32, {16, 256});
  Array y(DType::kInt32, {16, 256}), flags(DType::kBool, {16, 256});
  auto kernel = [&](KernelContext& core, Ref x, Ref y, Ref flags) {
    core.RunScoped(
        [&](Ref tile, SemaphoreRef bytes, SemaphoreRef bytes_array, SemaphoreRef signals, SemaphoreRef signals_array) {
          body(core, {x, y, flags, tile, bytes, bytes_array, signals, signals_array});
        },
        Vmem({8, 128}, DType::kInt32, "tile"), DmaSemaphore({}, "bytes"), DmaSemaphore({4}, "bytes_array"),
        RegularSemaphore({}, "signals"), RegularSemaphore({2, 3}, "signals_array"));
  };
  return RunOnce(kernel, {In("x", x), Out("y", y), InOut("flags", flags)});
}

// Takes " (core 0, kernel (refusal_test.cc:12))" off the end: a refusal in a call that has a site names it.
void CutPlace(std::string& message) {
  static const std::regex place(R"( \(core \d, kernel( \(refusal_test\.cc:\d+\))?\)$)");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(message, found, place)) << message;
  message.resize(message.size() - found.str().size());
}

// The message of the refusal, without the place.
std::string RefusalOf(const std::function<void(KernelContext&, const Parts&)>& body) {
  const RunReport report = RunWith(body);
  EXPECT_TRUE(report.faults.empty()) << report;
  std::string message(report.status.message());
  CutPlace(message);
  return message;
}

TEST(CopyRefusalTest, OfDifferentShapes) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.MakeAsyncCopy(p.x, p.tile, p.bytes); }),
            "copy from x (16, 256) int32 in HBM to tile (8, 128) int32 in VMEM: expected equal shapes");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.SyncCopy(p.x.At(0), p.tile); }),
            "copy from x (256,) int32 in HBM to tile (8, 128) int32 in VMEM: expected equal shapes");
}

TEST(CopyRefusalTest, OfDifferentElementTypes) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) {
              core.RunScoped([&](Ref floats) { core.SyncCopy(p.x.At(Ds(0, 8), Ds(0, 128)), floats); },
                             Vmem({8, 128}, DType::kFloat32, "floats"));
            }),
            "copy from x (8, 128) int32 in HBM to floats (8, 128) float32 in VMEM: expected equal element types");
}

TEST(CopyRefusalTest, OfBool) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) {
              core.RunScoped([&](Ref own) { core.SyncCopy(p.flags, own); }, Vmem({16, 256}, DType::kBool));
            }),
            "copy from flags (16, 256) bool in HBM: a copy cannot move bool; use int8");
}

TEST(CopyRefusalTest, OfNoMemory) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.MakeAsyncCopy(Ref(), p.tile, p.bytes); }),
            "copy: expected a source and a target, given an empty view");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.SyncCopy(p.tile, Ref()); }),
            "copy: expected a source and a target, given an empty view");
}

TEST(CopyRefusalTest, IntoAnInput) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.SyncCopy(p.y, p.x); }),
            "copy into operand x: expected an operand given with Out or InOut, it was given with In");
}

TEST(CopyRefusalTest, OnAnotherSortOfSemaphore) {
  auto with = [](auto pick) {
    return RefusalOf([pick](KernelContext& core, const Parts& p) { core.MakeAsyncCopy(p.x, p.y, pick(p)); });
  };
  EXPECT_EQ(with([](const Parts& p) { return p.signals; }),
            "copy: expected one DMA semaphore of the copying core (chips from v6e on count copies on regular ones "
            "too), given "
            "regular semaphore signals of shape () of core 0");
  EXPECT_EQ(with([](const Parts& p) { return p.bytes_array; }),
            "copy: expected one DMA semaphore of the copying core, given DMA semaphore bytes_array[:] of shape (4,) of "
            "core 0");
  EXPECT_EQ(with([](const Parts&) { return SemaphoreRef(); }),
            "copy: expected one DMA semaphore of the copying core, given no semaphore");
}

TEST(SemaphoreRefusalTest, OfADmaSemaphore) {
  const std::string given = ", given DMA semaphore bytes of shape () of core 0";
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.Signal(p.bytes); }),
            "Signal: expected one regular semaphore" + given);
  EXPECT_EQ(
      RefusalOf([](KernelContext& core, const Parts& p) { core.Wait(p.bytes); }),
      "Wait: expected one regular semaphore of the waiting core (a copy is waited for by AsyncCopy::Wait)" + given);
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.WaitUntil(p.bytes); }),
            "WaitUntil: expected one regular semaphore of the waiting core" + given);
}

TEST(SemaphoreRefusalTest, OfAnArrayThatIsNotIndexed) {
  const std::string given = ", given regular semaphore signals_array[1] of shape (3,) of core 0";
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.Signal(p.signals_array.At(1)); }),
            "Signal: expected one regular semaphore" + given);
  EXPECT_THAT(RefusalOf([](KernelContext& core, const Parts& p) { core.Wait(p.signals_array.At(1)); }),
              AllOf(StartsWith("Wait: expected one regular semaphore"), HasSubstr(given)));
  EXPECT_THAT(RefusalOf([](KernelContext& core, const Parts& p) { core.WaitUntil(p.signals_array.At(1)); }),
              AllOf(StartsWith("WaitUntil: expected one regular semaphore"), HasSubstr(given)));
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.ReadSemaphore(p.signals_array.At(1)); }),
            "ReadSemaphore: expected one semaphore of the reading core" + given);
}

TEST(SemaphoreRefusalTest, OfNone) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts&) { core.Signal(SemaphoreRef()); }),
            "Signal: expected one regular semaphore, given no semaphore");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts&) { core.ReadSemaphore(SemaphoreRef()); }),
            "ReadSemaphore: expected one semaphore of the reading core, given no semaphore");
}

TEST(SemaphoreRefusalTest, OfUnitsThatAreNoCount) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.Signal(p.signals, -1); }),
            "Signal of signals: expected 0 to 2147483647 units, given -1");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.Wait(p.signals_array.At(1, 2), -5); }),
            "Wait of signals_array[1, 2]: expected 0 to 2147483647 units, given -5");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts& p) { core.WaitUntil(p.signals, int64_t{1} << 31); }),
            "WaitUntil of signals: expected 0 to 2147483647 units, given 2147483648");
}

TEST(SemaphoreRefusalTest, AnIndexOutsideIsOutOfBounds) {
  const RunReport report = RunWith([](KernelContext& core, const Parts& p) { core.Signal(p.signals_array.At(1, 3)); });
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(report.ToString(),
            "out-of-bounds: semaphore signals_array[:]: index 3 of dimension 1 lies outside 0–2\n"
            "  at core 0, kernel (refusal_test.cc:" +
                line + ")");
}

// The kernel of core 1 is handed a semaphore of core 0.
RunReport RunOnForeign(const std::function<void(KernelContext&, SemaphoreRef, SemaphoreRef)>& body) {
  Array y(DType::kInt32, {8, 128});
  SemaphoreRef shared_signals, shared_bytes;
  std::atomic<bool> shared{false};
  auto kernel = [&](KernelContext& core, Ref) {
    if (core.core_index() == 1) {
      while (!shared.load()) core.Delay(1);
      return body(core, shared_signals, shared_bytes);
    }
    core.RunScoped(
        [&](SemaphoreRef signals, SemaphoreRef bytes) {
          shared_signals = signals;
          shared_bytes = bytes;
          shared = true;
          core.Wait(signals);
        },
        RegularSemaphore({}, "signals"), DmaSemaphore({}, "bytes"));
  };
  return RunOnce(kernel, {InOut("y", y)}, 2);
}

TEST(SemaphoreRefusalTest, OfAnotherCores) {
  const std::string regular =
      ", given regular semaphore signals of shape () of core 0 (core 1, kernel (refusal_test.cc:";
  EXPECT_THAT(RunOnForeign([](KernelContext& core, SemaphoreRef signals, SemaphoreRef) { core.Wait(signals); }),
              IsRefused("(a copy is waited for by AsyncCopy::Wait)" + regular));
  EXPECT_THAT(RunOnForeign([](KernelContext& core, SemaphoreRef signals, SemaphoreRef) { core.WaitUntil(signals); }),
              IsRefused("WaitUntil: expected one regular semaphore of the waiting core" + regular));
  EXPECT_THAT(
      RunOnForeign([](KernelContext& core, SemaphoreRef signals, SemaphoreRef) { core.ReadSemaphore(signals); }),
      IsRefused("ReadSemaphore: expected one semaphore of the reading core" + regular));
  EXPECT_THAT(RunOnForeign([](KernelContext& core, SemaphoreRef, SemaphoreRef bytes) {
                core.RunScoped([&](Ref a, Ref b) { core.MakeAsyncCopy(a, b, bytes); }, Smem({1}, DType::kInt32),
                               Smem({1}, DType::kInt32));
              }),
              IsRefused("copy: expected one DMA semaphore of the copying core, given DMA semaphore bytes of shape () "
                        "of core 0"));
  EXPECT_THAT(RunOnForeign([](KernelContext& core, SemaphoreRef signals, SemaphoreRef) { core.Signal(signals); }),
              IsClean());
}

TEST(AccessRefusalTest, OfHbmAdvisesACopy) {
  const std::string refused = "operand y lives in HBM: a kernel cannot ",
                    by = " (MakeAsyncCopy, SyncCopy or a pipeline)";
  const std::string load = refused + "load it directly; copy it to VMEM" + by;
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.Read<int32_t>(); }), load);
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.At(Ds(0, 8)).Load<int32_t>(); }), load);
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.Get<int32_t>({0, 0}); }), load);
  const std::string store = refused + "store to it directly; copy to it from VMEM" + by;
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.Write<int32_t>() = 0; }), store);
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.Store(p.tile.Load<int32_t>()); }), store);
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.Set<int32_t>(1, {0, 0}); }), store);
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.y.ReadWrite<int32_t>(); }),
            refused + "load and store it directly; copy it to VMEM and back" + by);
}

TEST(AccessRefusalTest, OfAnotherElementType) {
  EXPECT_EQ(RefusalOf([](KernelContext&, const Parts& p) { p.tile.Read<float>(); }),
            "tile: expected an access as int32; given float32");
}

// A slice outside is a fault of the emulated program: out-of-bounds, which ends the run.
TEST(BoundsTest, OfSlicesAndElementsAreChecked) {
  auto fault_of = [](const std::function<void(KernelContext&, const Parts&)>& body) {
    const RunReport report = RunWith(body);
    EXPECT_EQ(report.faults.size(), 1u) << report;
    return std::regex_replace(report.ToString(), std::regex(R"( \(refusal_test\.cc:\d+\)$)"), "");
  };
  const std::string at = "\n  at core 0, kernel";
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.x.At(Ds(9, 8)); }),
            "out-of-bounds: operand x: rows 9–16 of dimension 0 lie outside 0–15" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.x.At(All(), Ds(0, 129, 2)); }),
            "out-of-bounds: operand x: columns 0–256 in steps of 2 of dimension 1 lie outside 0–255" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.x.At(Ds(-1, 8)); }),
            "out-of-bounds: operand x: a slice of dimension 0 has start -1; expected 0 or more" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.x.At(Ds(0, -8)); }),
            "out-of-bounds: operand x: a slice of dimension 0 has size -8; expected 0 or more" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.tile.At(8); }),
            "out-of-bounds: tile: row 8 of dimension 0 lies outside 0–7" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) { p.tile.At(-1); }),
            "out-of-bounds: tile: row -1 of dimension 0 lies outside 0–7" + at);
  EXPECT_EQ(fault_of([](KernelContext&, const Parts& p) {
              p.tile.Get<int32_t>({0, 128});
            }),
            "out-of-bounds: tile: column 128 of dimension 1 lies outside 0–127" + at);
}

TEST(ControlRefusalTest, OfDelaysAndAxesThatAreNone) {
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts&) { core.Delay(-1); }),
            "Delay: expected 0 or more turns, given -1");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts&) { core.ProgramId(1); }),
            "ProgramId: expected an axis of a grid of rank 1, given 1");
  EXPECT_EQ(RefusalOf([](KernelContext& core, const Parts&) { core.NumPrograms(-1); }),
            "NumPrograms: expected an axis of a grid of rank 1, given -1");
}

}  // namespace
}  // namespace strandcore::testing
