// The smallest pipeline: y = 2 x on two cores, each taking half of the columns.
#include <iostream>

#include "runtime/strandcore.h"

namespace sc = strandcore;

// A body is a plain function; it sees windows, not buffers.
void Double(sc::KernelContext&, sc::Ref x, sc::Ref y) { y.Write<float>() = 2.0f * x.Read<float>(); }

int main() {
  sc::Simulator simulator({.cores = 2, .threads = 2});
  sc::Array x = sc::Array::Iota(sc::DType::kFloat32, {512, 512});
  sc::Array y(sc::DType::kFloat32, {512, 512});
  sc::BlockSpec block({128, 128}, [](sc::GridIndex g) { return sc::BlockIndex{g[0], g[1]}; });
  auto pipeline = sc::EmitPipeline(Double, {.grid = {4, 4},
                                            .in_specs = {block},
                                            .out_specs = {block},
                                            .core_axis = 0,
                                            .dimension_semantics = {sc::kArbitrary, sc::kParallel}});
  sc::RunReport report = simulator.Run(*pipeline, {sc::In("x", x), sc::Out("y", y)});
  const bool right = report.ok() && (y.Matrix<float>() == 2.0f * x.Matrix<float>()).all();
  std::cout << report << "\n" << (right ? "every element of y is twice that of x\n" : "y is wrong\n");
  return right ? 0 : 1;
}
