#include "tests/verdict/shipped_kernels.h"

#include <stdexcept>

#include "kernels/accumulate.h"
#include "kernels/add.h"
#include "kernels/copy.h"
#include "kernels/elementwise.h"
#include "kernels/gather.h"
#include "kernels/matmul.h"
#include "kernels/matmul_accumulate.h"
#include "kernels/multiply.h"
#include "kernels/nested_copy.h"
#include "kernels/padded_matmul.h"
#include "kernels/row_sum.h"
#include "kernels/scale.h"
#include "kernels/scatter.h"
#include "kernels/softmax.h"

namespace strandcore {
namespace {

using Direction = Operand::Direction;
using Argument = ShippedKernel::Argument;

// A kernel that could not be made is an error of this file's.
template <typename T>
T Made(absl::StatusOr<T> made) {
  if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
  return *std::move(made);
}

Argument Input(std::string name, const Dims& shape, DType dtype = DType::kFloat32) {
  Array array(dtype, shape);
  array.Generate([](int64_t flat) { return flat * 5 % 7 - 3; });
  return {std::move(name), std::move(array), Direction::kIn};
}
Argument Output(std::string name, const Dims& shape, DType dtype = DType::kFloat32) {
  return {std::move(name), Array::Full(dtype, shape, 0), Direction::kOut};
}
Argument Both(std::string name, const Dims& shape) {
  return {std::move(name), Array::Full(DType::kFloat32, shape, 1), Direction::kInOut};
}

void AddElementwise(std::vector<ShippedKernel>& all) {
  const Dims shape = {16, 256}, block = {8, 128};
  for (int cores : {1, 2}) {
    const ElementwiseShape over = {shape, block};
    all.push_back(
        {"copy", cores, Made(ElementwisePipeline(CopyBody, 1, over)), {Input("x", shape), Output("y", shape)}});
    all.push_back({"add", cores, Made(AddPipeline(over)), {Input("x", shape), Input("y", shape), Output("z", shape)}});
    all.push_back(
        {"multiply", cores, Made(MultiplyPipeline(over)), {Input("x", shape), Input("y", shape), Output("z", shape)}});
    all.push_back({"scale",
                   cores,
                   Made(ScaleKernel(over)),
                   {{"factor", Array::Full(DType::kFloat32, {1}, 3), Direction::kIn, MemorySpace::kSmem},
                    Input("x", shape),
                    Output("y", shape)}});
  }
}

void AddRows(std::vector<ShippedKernel>& all) {
  for (int cores : {1, 2}) {
    all.push_back({"row sum",
                   cores,
                   Made(RowSumPipeline({.rows = 16, .columns = 256})),
                   {Input("x", {16, 256}), Output("y", {1, 256})}});
    all.push_back({"softmax",
                   cores,
                   Made(SoftmaxPipeline({.rows = 16, .columns = 128})),
                   {Input("x", {16, 128}), Output("y", {16, 128})}});
  }
  const Array ids = Array::FromValues<int32_t>({3}, {2, 0, 1});
  all.push_back({"gather",
                 1,
                 Made(GatherKernel({})),
                 {{"ids", ids, Direction::kIn, MemorySpace::kSmem}, Input("x", {24, 128}), Output("y", {24, 128})}});
  all.push_back({"scatter",
                 1,
                 Made(ScatterKernel({})),
                 {{"ids", ids, Direction::kIn, MemorySpace::kSmem}, Input("x", {24, 128}), Output("y", {24, 128})}});
  all.push_back({"nested copy",
                 1,
                 Made(NestedCopyPipeline({.rows = 8, .columns = 512})),
                 {Input("x", {8, 512}), Output("y", {8, 512})}});
}

void AddMatmuls(std::vector<ShippedKernel>& all) {
  const MatmulShape shape = {
      .m = 16, .k = 16, .n = 16, .block_m = 8, .block_k = 8, .block_n = 8, .core_axis = 0, .semantics = {}};
  MatmulShape over = shape;
  over.semantics = {kParallel, kParallel, kArbitrary};
  const auto operands = [](Argument z) {
    return std::vector<Argument>{Input("x", {16, 16}), Input("y", {16, 16}), std::move(z)};
  };
  for (int cores : {1, 2}) {
    for (const Schedule& schedule : {Schedule::Default(), Schedule::Fixed()}) {
      all.push_back({"matmul", cores, Made(MatmulKernel(over, schedule)), operands(Output("z", {16, 16}))});
      all.push_back({"matmul accumulate", cores, Made(MatmulAccumulateKernel(over, true, schedule)),
                     operands(Output("z", {16, 16}))});
      all.push_back({"matmul accumulate onto", cores, Made(MatmulAccumulateKernel(over, false, schedule)),
                     operands(Both("z", {16, 16}))});
    }
  }
  MatmulShape uneven = over;
  uneven.m = 12;
  uneven.k = 130;
  uneven.n = 9;
  uneven.block_m = 8;
  uneven.block_k = uneven.block_n = 128;
  all.push_back({"padded matmul",
                 1,
                 Made(PaddedMatmulKernel(uneven, DType::kFloat32)),
                 {Input("x", {12, 130}), Input("y", {130, 9}), Output("z", {12, 9})}});
}

void AddAccumulates(std::vector<ShippedKernel>& all) {
  const AccumulateShape shape = {.cycles = 2};
  all.push_back({"accumulate",
                 1,
                 Made(AccumulateKernel(shape, Schedule::Fixed())),
                 {Input("x", shape.XShape()), Input("w", shape.WShape()), Output("z", shape.ZShape())}});
}

}  // namespace

std::vector<ShippedKernel> ShippedKernels() {
  std::vector<ShippedKernel> all;
  AddElementwise(all);
  AddRows(all);
  AddMatmuls(all);
  AddAccumulates(all);
  return all;
}

ShippedRun RunShipped(Simulator& simulator, const ShippedKernel& kernel) {
  ShippedRun run;
  std::vector<Array> arrays;
  for (const Argument& argument : kernel.arguments) arrays.push_back(argument.array);
  Operands operands;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    switch (argument.direction) {
      case Direction::kIn:
        operands.push_back(In(argument.name, arrays[i], argument.space));
        break;
      case Direction::kOut:
        operands.push_back(Out(argument.name, arrays[i]));
        break;
      default:
        operands.push_back(InOut(argument.name, arrays[i]));
    }
  }
  run.report = simulator.Run(kernel.kernel, operands);
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (kernel.arguments[i].direction != Direction::kIn) run.results.push_back(std::move(arrays[i]));
  }
  return run;
}

}  // namespace strandcore
