#include "runtime/trace/fault.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace strandcore {
namespace {

TEST(FaultTest, HasTheNamesOfTheDesign) {
  EXPECT_EQ(FaultName(FaultKind::kDeadlock), std::string("deadlock"));
  EXPECT_EQ(FaultName(FaultKind::kKernelError), std::string("kernel-error"));
  EXPECT_EQ(FaultName(FaultKind::kOutOfBounds), std::string("out-of-bounds"));
  EXPECT_EQ(FaultName(FaultKind::kCapacity), std::string("capacity"));
}

TEST(FaultTest, PrintsItsLinesIndented) {
  const Fault fault = {FaultKind::kDeadlock, "nothing can run", {"core 0 waits", "nobody could pay"}, {}};
  EXPECT_EQ(fault.ToString(), "deadlock: nothing can run\n  core 0 waits\n  nobody could pay");
  std::ostringstream out;
  out << fault;
  EXPECT_EQ(out.str(), fault.ToString());
}

TEST(FaultTest, ComparesByValue) {
  const Fault fault = {FaultKind::kCapacity, "VMEM is full", {}, {}};
  Fault other = fault;
  EXPECT_EQ(fault, other);
  other.lines.push_back("x");
  EXPECT_FALSE(fault == other);
}

}  // namespace
}  // namespace strandcore
