#include "tests/bench/matmul_tiles.h"

#include <utility>

#include "tests/bench/machine.h"
#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

using A = MatmulArrays;

}  // namespace

void MatmulArrays::Check() const { Require((z.Matrix<float>() == kK * 0.125f).all(), "matmul tiles: a wrong product"); }

MatmulTiles::MatmulTiles(const SimulatorOptions& options, bool check)
    : simulator_(Checked(options, check)), pipeline_(*MatmulPipeline({.m = A::kM, .k = A::kK, .n = A::kN})) {}

double MatmulTiles::Seconds() {
  RunReport report;
  const auto kernel = [this](KernelContext& core, Refs operands) {
    auto rounds = [&](const Ref& sum) {
      Allocations buffers = pipeline_.MakeAllocations(core, operands);
      for (int64_t i = 0; i < A::kRounds; ++i) pipeline_(core, operands, {.scratches = {sum}, .allocations = &buffers});
    };
    core.RunScoped(rounds, Vmem({A::kBlock, A::kBlock}, DType::kFloat32, "sum"));
  };
  // Not Out: to poison z is part of the launch, not of a tile.
  const double seconds = SecondsOf([&] {
    report = simulator_.Run(kernel, {In("x", arrays_.x), In("y", arrays_.y), InOut("z", arrays_.z)});
  });
  Require(report.ok() && report.counters.steps == A::kTiles, "matmul tiles: a run that failed");
  arrays_.Check();
  return seconds;
}

double EigenTiles::SecondsInCache() {
  sum_.setZero();
  return SecondsOf([&] {
    // As a body sees them: maps of memory whose sizes are known at run time only.
    const ConstWindow<float> a(a_.data(), a_.rows(), a_.cols(), Eigen::OuterStride<>(a_.cols()));
    const ConstWindow<float> b(b_.data(), b_.rows(), b_.cols(), Eigen::OuterStride<>(b_.cols()));
    MutableWindow<float> sum(sum_.data(), sum_.rows(), sum_.cols(), Eigen::OuterStride<>(sum_.cols()));
    for (int64_t i = 0; i < A::kTiles; ++i) sum.matrix().noalias() += a.matrix() * b.matrix();
  });
}

double EigenTiles::SecondsOverArrays() {
  const auto x = std::as_const(arrays_.x).Matrix<float>();
  const auto y = std::as_const(arrays_.y).Matrix<float>();
  auto z = arrays_.z.Matrix<float>();
  constexpr int64_t n = A::kBlock;
  auto product = [&](int64_t i, int64_t j) {
    sum_.setZero();
    for (int64_t k = 0; k < A::kK; k += n) {
      sum_.matrix().noalias() += x.block(i, k, n, n).matrix() * y.block(k, j, n, n).matrix();
    }
    z.block(i, j, n, n) = sum_;
  };
  const double seconds = SecondsOf([&] {
    for (int64_t round = 0; round < A::kRounds; ++round) {
      for (int64_t i = 0; i < A::kM; i += n) {
        for (int64_t j = 0; j < A::kN; j += n) product(i, j);
      }
    }
  });
  arrays_.Check();
  return seconds;
}

}  // namespace strandcore::bench
