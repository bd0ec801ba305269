// Fused cycles: four invocations of one pipeline over the same buffers add up into z, under the schedules default and
// fixed. kernels/accumulate.h says how such a kernel is written.
#include <iostream>
#include <string>

#include "absl/strings/str_format.h"
#include "kernels/accumulate.h"
#include "runtime/strandcore.h"

namespace sc = strandcore;

struct Expected {
  int64_t x_in, w_in, z_in, z_out;
  bool right;  // z is the sum, and the checker finds no race
};

// z by a plain loop: the sum over cycles and steps of w * x.
sc::Array PlainSum(const sc::AccumulateShape& shape, const sc::Array& x, const sc::Array& w) {
  sc::Array result(sc::DType::kFloat32, shape.ZShape());
  auto sum = result.Matrix<float>();
  const auto weight = w.Matrix<float>();
  for (int64_t cycle = 0; cycle < shape.cycles; ++cycle) {
    const auto part = x.Matrix<float>({cycle});
    for (int64_t row = 0; row < part.rows(); ++row) {
      for (int64_t column = 0; column < part.cols(); ++column) {
        const int64_t within = column % shape.block_columns;
        sum(row, within) += weight(row % shape.block_rows, within) * part(row, column);
      }
    }
  }
  return result;
}

// Runs all cycles and prints a row; true if it is as expected.
bool PrintRun(const sc::AccumulateShape& shape, const std::string& schedule, const Expected& expected) {
  sc::Array x(sc::DType::kFloat32, shape.XShape());
  sc::Array w(sc::DType::kFloat32, shape.WShape());
  sc::Array z(sc::DType::kFloat32, shape.ZShape());
  x.Generate([](int64_t flat) { return flat % 11 - 5; });
  w.Generate([](int64_t flat) { return flat % 3 + 1; });
  sc::Simulator simulator({.policy = sc::Policy::Eager()});
  const sc::RunReport report = simulator.Run(*sc::AccumulateKernel(shape, *sc::Schedule::FromName(schedule)),
                                             {sc::In("x", x), sc::In("w", w), sc::Out("z", z)});
  if (!report.status.ok()) {
    std::cout << report << "\n";
    return false;
  }
  const Expected found = {report.CountersOf("x").copies_in, report.CountersOf("w").copies_in,
                          report.CountersOf("z").copies_in, report.CountersOf("z").copies_out, report.ok()};
  const bool z_right = z == PlainSum(shape, x, w);
  std::cout << absl::StrFormat("  %-9s%6d%6d%6d%7d   %s\n", schedule, found.x_in, found.w_in, found.z_in, found.z_out,
                               z_right ? "equal to a plain loop's" : "not the sum");
  for (const sc::Fault& fault : report.faults)
    std::cout << "  " << sc::FaultName(fault.kind) << ": " << fault.headline << "\n";
  const bool as_expected = found.x_in == expected.x_in && found.w_in == expected.w_in && found.z_in == expected.z_in &&
                           found.z_out == expected.z_out && found.right == expected.right && z_right == expected.right;
  if (!as_expected) std::cout << "  UNEXPECTED\n";
  return as_expected;
}

int main() {
  std::cout
      << "z = the sum over 4 cycles of w * x[cycle]; z starts from zero in the first cycle and is an accumulator.\n"
      << "Transfers in all 4 cycles:\n";
  const sc::AccumulateShape two_blocks = {.cycles = 4, .blocks = 2, .steps = 2};
  const sc::AccumulateShape one_block = {.cycles = 4, .blocks = 1, .steps = 2};

  std::cout << "\nz has 2 blocks of 2 steps each\n  schedule   x in  w in  z in  z out   z\n";
  bool right = PrintRun(two_blocks, "default", {.x_in = 16, .w_in = 4, .z_in = 6, .z_out = 8, .right = true});
  right = PrintRun(two_blocks, "fixed", {.x_in = 16, .w_in = 1, .z_in = 6, .z_out = 8, .right = true}) && right;

  std::cout << "\nz has 1 block of 2 steps\n  schedule   x in  w in  z in  z out   z\n";
  right = PrintRun(one_block, "default", {.x_in = 8, .w_in = 4, .z_in = 3, .z_out = 4, .right = false}) && right;
  right = PrintRun(one_block, "fixed", {.x_in = 8, .w_in = 1, .z_in = 0, .z_out = 1, .right = true}) && right;

  if (!right) {
    std::cout << "\nA row is not as it must be.\n";
    return 1;
  }
  std::cout
      << "\nWhat this proves:\n"
      << "  - default takes the arrays of every cycle for new ones: w, always the same block, is copied in 4 times.\n"
      << "    fixed takes them for the same ones: w is copied in once and stays in VMEM.\n"
      << "  - z's first cycle copies nothing in, as it starts from zero. With 2 blocks both schedules then let z come\n"
      << "    and go in every cycle: its last block and the next cycle's first are different ones.\n"
      << "  - With 1 block, fixed keeps the running sum in VMEM through all cycles: a single copy out, at the end.\n"
      << "  - With 1 block, default is not usable, as in Pallas (quirk Q2): the last step's prefetch reads z in HBM\n"
      << "    before this cycle's sum is written there, so a sum is lost. The row shows it, the checker says why, and\n"
      << "    this demo expects it.\n";
  return 0;
}
