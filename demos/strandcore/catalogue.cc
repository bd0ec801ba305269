#include "demos/strandcore/catalogue.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/accumulate.h"
#include "kernels/add.h"
#include "kernels/copy.h"
#include "kernels/faulty/faulty.h"
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

Array Numbers(const Dims& shape) {
  Array array(DType::kFloat32, shape);
  array.Generate([](int64_t flat) { return flat % 7 - 3; });
  return array;
}

// Every row once, from the last to the first.
Array Table(int64_t blocks) {
  Array ids(DType::kInt32, {blocks});
  ids.Generate([blocks](int64_t flat) { return blocks - 1 - flat; });
  return ids;
}

// Runs a kernel over float32 inputs of these shapes, x and y, and one output.
CatalogueEntry Entry(std::string name, std::string summary, int cores, absl::StatusOr<RefFunction> kernel,
                     std::vector<Dims> inputs, Dims output) {
  auto run = [kernel = std::move(kernel), inputs, output](Simulator& simulator) -> absl::StatusOr<RunReport> {
    if (!kernel.ok()) return kernel.status();
    std::vector<Array> arrays;
    for (const Dims& shape : inputs) arrays.push_back(Numbers(shape));
    Array z(DType::kFloat32, output);
    Operands operands;
    static constexpr const char* kNames[] = {"x", "y"};
    for (size_t i = 0; i < arrays.size(); ++i) operands.push_back(In(kNames[i], arrays[i]));
    operands.push_back(Out("z", z));
    return simulator.Run(*kernel, operands);
  };
  return {std::move(name), std::move(summary), cores, std::move(run)};
}

// Of a kernel that takes a table of blocks first.
CatalogueEntry TableEntry(std::string name, std::string summary, absl::StatusOr<RefFunction> kernel) {
  auto run = [kernel = std::move(kernel)](Simulator& simulator) -> absl::StatusOr<RunReport> {
    if (!kernel.ok()) return kernel.status();
    const Array ids = Table(8), x = Numbers({64, 128});
    Array y(DType::kFloat32, {64, 128});
    return simulator.Run(*kernel, {In("ids", ids, MemorySpace::kSmem), In("x", x), Out("y", y)});
  };
  return {std::move(name), std::move(summary), 1, std::move(run)};
}

// Of a kernel that takes a scalar first.
CatalogueEntry ScaleEntry(const ElementwiseShape& all) {
  auto run = [all, kernel = ScaleKernel(all)](Simulator& simulator) -> absl::StatusOr<RunReport> {
    if (!kernel.ok()) return kernel.status();
    const Array factor = Array::FromValues<float>({1}, {3}), x = Numbers(all.shape);
    Array y(DType::kFloat32, all.shape);
    return simulator.Run(*kernel, {In("factor", factor, MemorySpace::kSmem), In("x", x), Out("y", y)});
  };
  return {"scale", "y = factor * x, the factor a scalar in SMEM", 2, std::move(run)};
}

absl::StatusOr<Pipeline> CopyPipeline() {
  const BlockSpec block({128, 128}, [](const GridIndex& g) { return BlockIndex{g[0], g[1]}; });
  return EmitPipeline(CopyBody, {.grid = {4, 4}, .in_specs = {block}, .out_specs = {block}});
}

absl::StatusOr<RefFunction> AsKernel(const absl::StatusOr<Pipeline>& pipeline) {
  if (!pipeline.ok()) return pipeline.status();
  return RefFunction(*pipeline);
}

void AddRightOnes(Catalogue& catalogue) {
  const ElementwiseShape all = {.shape = {512, 512}, .block = {128, 128}};
  const MatmulShape matmul = {.m = 256, .k = 256, .n = 256};
  MatmulShape shared = matmul;
  shared.core_axis = 0;
  const MatmulShape padded = {.m = 200, .k = 150, .n = 100, .block_m = 64, .block_k = 128, .block_n = 128};
  const AccumulateShape sums = {.cycles = 4};
  catalogue.push_back(
      Entry("add", "z = x + y, on two cores", 2, AsKernel(AddPipeline(all)), {all.shape, all.shape}, all.shape));
  catalogue.push_back(Entry("multiply", "z = x * y, on two cores", 2, AsKernel(MultiplyPipeline(all)),
                            {all.shape, all.shape}, all.shape));
  catalogue.push_back(ScaleEntry(all));
  catalogue.push_back(Entry("copy", "z = x, block by block", 1, AsKernel(CopyPipeline()), {all.shape}, all.shape));
  catalogue.push_back(Entry("matmul", "z = x y, the sum in a scratch; two cores share the blocks of z", 2,
                            MatmulKernel(shared), {{256, 256}, {256, 256}}, {256, 256}));
  catalogue.push_back(Entry("matmul_accumulate", "z = x y, z an accumulator", 1, MatmulAccumulateKernel(matmul, true),
                            {{256, 256}, {256, 256}}, {256, 256}));
  catalogue.push_back(Entry("padded_matmul", "z = x y where no block divides the sizes", 1,
                            PaddedMatmulKernel(padded, DType::kFloat32), {{200, 150}, {150, 100}}, {200, 100}));
  catalogue.push_back(Entry("accumulate", "z = the sum of y * x[c] over four cycles that share their buffers", 1,
                            AccumulateKernel(sums, Schedule::Default()), {sums.XShape(), sums.WShape()},
                            sums.ZShape()));
  catalogue.push_back(Entry("row_sum", "z = the sum over the rows of x", 1,
                            AsKernel(RowSumPipeline({.rows = 64, .columns = 512})), {{64, 512}}, {1, 512}));
  catalogue.push_back(Entry("softmax", "z = the softmax of each row of x", 1,
                            AsKernel(SoftmaxPipeline({.rows = 64, .columns = 256})), {{64, 256}}, {64, 256}));
  catalogue.push_back(Entry("nested_copy", "z = x through three nested pipelines", 1,
                            AsKernel(NestedCopyPipeline({.rows = 64, .columns = 512})), {{64, 512}}, {64, 512}));
  catalogue.push_back(TableEntry("gather", "block i of y = block ids[i] of x", GatherKernel({})));
  catalogue.push_back(TableEntry("scatter", "block ids[i] of y = block i of x", ScatterKernel({})));
}

void AddFaultyOnes(Catalogue& catalogue) {
  for (bool repaired : {false, true}) {
    for (const FaultyKernel& faulty : FaultyKernels()) {
      auto run = [make = faulty.make, repaired](Simulator& simulator) -> absl::StatusOr<RunReport> {
        const Array x = Numbers(FaultyKernelShape());
        Array y(DType::kFloat32, FaultyKernelShape());
        return simulator.Run(make(repaired), {In("x", x), Out("y", y)});
      };
      catalogue.push_back({absl::StrCat(repaired ? "repaired/" : "faulty/", faulty.name),
                           repaired ? absl::StrCat("the repaired twin of faulty/", faulty.name)
                                    : absl::StrCat(FaultName(faulty.fault), ": ", faulty.summary),
                           faulty.cores, std::move(run)});
    }
  }
}

}  // namespace

Catalogue KernelCatalogue() {
  Catalogue catalogue;
  AddRightOnes(catalogue);
  AddFaultyOnes(catalogue);
  return catalogue;
}

}  // namespace strandcore
