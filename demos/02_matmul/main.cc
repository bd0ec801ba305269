// Matmul on one core in two ways: with the sum in a scratch, and with z as an accumulator. Both are checked against a
// plain loop, and what they move against a formula.
#include <iostream>
#include <string>

#include "absl/strings/str_format.h"
#include "kernels/matmul.h"
#include "kernels/matmul_accumulate.h"
#include "runtime/strandcore.h"

namespace sc = strandcore;

const sc::MatmulShape kShape = {.m = 512, .k = 384, .n = 256, .block_m = 128, .block_k = 96, .block_n = 64};

// start + x y by a plain loop.
sc::Array PlainMatmul(const sc::Array& x, const sc::Array& y, const sc::Array& start) {
  sc::Array result = start;
  auto z = result.Matrix<float>();
  const auto a = x.Matrix<float>();
  const auto b = y.Matrix<float>();
  for (int64_t i = 0; i < kShape.m; ++i) {
    for (int64_t k = 0; k < kShape.k; ++k) {
      for (int64_t j = 0; j < kShape.n; ++j) z(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

// Elements that a row of the table says were moved, against those that the formula says.
bool PrintTraffic(const std::string& what, int64_t copies, int64_t bytes, const std::string& formula,
                  int64_t elements) {
  const bool right = bytes == elements * static_cast<int64_t>(sizeof(float));
  std::cout << absl::StrFormat("  %-7s%5d copies %9d elements   %-22s = %9d   %s\n", what, copies, bytes / 4, formula,
                               elements, right ? "equal" : "DIFFERENT");
  return right;
}

// What the run moved, operand by operand; `loads_z`: z's old blocks are copied in too.
bool PrintAll(const sc::RunReport& report, bool loads_z) {
  const sc::MatmulShape& s = kShape;
  const sc::OperandCounters x = report.CountersOf("x"), y = report.CountersOf("y"), z = report.CountersOf("z");
  bool right = PrintTraffic("x in", x.copies_in, x.bytes_in, "m k (n / block_n)", s.m * s.k * (s.n / s.block_n));
  right = PrintTraffic("y in", y.copies_in, y.bytes_in, "k n (m / block_m)", s.k * s.n * (s.m / s.block_m)) && right;
  right = PrintTraffic("z in", z.copies_in, z.bytes_in, loads_z ? "m n" : "0", loads_z ? s.m * s.n : 0) && right;
  return PrintTraffic("z out", z.copies_out, z.bytes_out, "m n", s.m * s.n) && right;
}

bool PrintRun(const std::string& title, const sc::RunReport& report, bool loads_z, bool equal) {
  std::cout << title << "\n  " << report << "\n";
  const bool moved = PrintAll(report, loads_z);
  std::cout << "  z is " << (equal ? "equal to" : "DIFFERENT from") << " the plain loop's\n\n";
  return report.ok() && moved && equal;
}

int main() {
  // Small whole numbers: every sum is exact, so the order of adding changes nothing and results can be compared bit
  // by bit.
  sc::Array x(sc::DType::kFloat32, {kShape.m, kShape.k});
  sc::Array y(sc::DType::kFloat32, {kShape.k, kShape.n});
  x.Generate([](int64_t flat) { return flat * 3 % 7 - 3; });
  y.Generate([](int64_t flat) { return flat * 5 % 7 - 3; });
  const sc::Array zeros(sc::DType::kFloat32, {kShape.m, kShape.n});
  const sc::Array old = sc::Array::Full(sc::DType::kFloat32, {kShape.m, kShape.n}, 100);
  sc::Simulator simulator;

  std::cout << "x (512, 384) in blocks of (128, 96), y (384, 256) of (96, 64), z (512, 256) of (128, 64):\n"
            << "grid (4, 4, 4), k innermost, 64 steps.\n\n";
  sc::Array z = zeros;
  sc::RunReport report = simulator.Run(*sc::MatmulKernel(kShape), {sc::In("x", x), sc::In("y", y), sc::Out("z", z)});
  bool right = PrintRun("z = x y, summed up in a scratch", report, false, z == PlainMatmul(x, y, zeros));

  z = zeros;
  report = simulator.Run(*sc::MatmulAccumulateKernel(kShape, /*init_accumulators=*/true),
                         {sc::In("x", x), sc::In("y", y), sc::Out("z", z)});
  right = PrintRun("z = x y, z an accumulator that starts from zero", report, false, z == PlainMatmul(x, y, zeros)) &&
          right;

  z = old;
  report = simulator.Run(*sc::MatmulAccumulateKernel(kShape, /*init_accumulators=*/false),
                         {sc::In("x", x), sc::In("y", y), sc::InOut("z", z)});
  right = PrintRun("z = z + x y, z an accumulator that starts from its old value", report, true,
                   z == PlainMatmul(x, y, old)) &&
          right;

  std::cout
      << "What this proves: a block travels when the grid moves to another one, and only then. x is read once for\n"
      << "each column of blocks of z, y once for each row of them, and z, as k is innermost, goes out once and comes\n"
      << "in only where its old value is needed. The pipeline adds that by itself; the body has no line for it.\n";
  return right ? 0 : 1;
}
