// Support: what the tests of the field reports share, over the suite's: arrays of whole numbers, and what a report
// says.
#ifndef STRANDCORE_TESTS_REPORTS_SUPPORT_H_
#define STRANDCORE_TESTS_REPORTS_SUPPORT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "runtime/exec/agent_identity.h"
#include "runtime/strandcore.h"
#include "runtime/testing/schedule_test.h"
#include "tests/core/exchange.h"
#include "tests/suite/support.h"

// First in a test whose program races, or ends with a copy that nobody waited for: ThreadSanitizer reports that itself,
// which ends the test.
#ifdef STRANDCORE_TSAN
#define SKIP_IF_THE_SANITIZER_REPORTS_IT() GTEST_SKIP() << "the sanitizer reports it too"
#else
#define SKIP_IF_THE_SANITIZER_REPORTS_IT() static_cast<void>(0)
#endif

namespace strandcore::testing {

// Clean, and so on every schedule of this input.
MATCHER(IsProved, "ended clean, and proved so for all schedules") { return arg.ok() && arg.proved; }

// One fault or more, all of this kind, of which one has a text that `text`, a matcher, describes.
MATCHER_P2(HasOnly, kind, text, "has faults of the kind " + std::string(FaultName(kind)) + " alone") {
  if (!arg.status.ok() || arg.faults.empty()) return false;
  const auto is_kind = [&](const Fault& fault) { return fault.kind == kind; };
  if (!std::all_of(arg.faults.begin(), arg.faults.end(), is_kind)) return false;
  return std::any_of(arg.faults.begin(), arg.faults.end(), [&](const Fault& fault) {
    return ::testing::ExplainMatchResult(text, fault.ToString(), result_listener);
  });
}

// Among its faults is one of this kind with such a text.
MATCHER_P2(HasAmong, kind, text, "has among its faults one of the kind " + std::string(FaultName(kind))) {
  return arg.status.ok() && std::any_of(arg.faults.begin(), arg.faults.end(), [&](const Fault& fault) {
           return fault.kind == kind && ::testing::ExplainMatchResult(text, fault.ToString(), result_listener);
         });
}

// What most of these kernels move.
inline constexpr DType kF32 = DType::kFloat32;
inline ScopedMemory VmemTile(const std::string& name) { return Vmem({8, 128}, kF32, name); }
inline ScopedMemory VmemTiles(int64_t count, const std::string& name) { return Vmem({count, 8, 128}, kF32, name); }
// `count` blocks of (8, 128), each of one number: 1, 2, 3, ...
inline Array NumberedBlocks(int64_t count) {
  Array x(kF32, {count, 8, 128});
  x.Generate([](int64_t flat) { return static_cast<double>(1 + flat / 1024); });
  return x;
}
inline Array Blocks(int64_t count) { return Array(kF32, {count, 8, 128}); }

}  // namespace strandcore::testing

#endif  // STRANDCORE_TESTS_REPORTS_SUPPORT_H_
