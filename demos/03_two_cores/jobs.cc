#include "demos/03_two_cores/jobs.h"

#include <utility>

#include "kernels/matmul.h"
#include "kernels/multiply.h"

namespace strandcore {
namespace {

constexpr int64_t kBlocks = 4;  // in each dimension

Array SmallNumbers(int64_t size, int factor) {
  Array array(DType::kFloat32, {size, size});
  array.Generate([factor](int64_t flat) { return (flat * factor) % 7 - 3; });
  return array;
}

Job MakeJob(const std::string& name, int64_t size) {
  Job job;
  job.name = name;
  job.x = SmallNumbers(size, 3);
  job.y = SmallNumbers(size, 5);
  job.expected = Array(DType::kFloat32, {size, size});
  return job;
}

}  // namespace

Job MultiplyJob(int64_t block) {
  const int64_t size = kBlocks * block;
  Job job = MakeJob("multiply", size);
  const auto x = std::as_const(job.x).Matrix<float>();
  const auto y = std::as_const(job.y).Matrix<float>();
  auto z = job.expected.Matrix<float>();
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) z(i, j) = x(i, j) * y(i, j);
  }
  const auto pipeline = MultiplyPipeline(
      {.shape = {size, size}, .block = {block, block}, .core_axis = 0, .semantics = {kArbitrary, kParallel}});
  job.kernel = [pipeline = *pipeline](const Schedule& schedule) {
    return RefFunction([=](KernelContext& core, Refs operands) { pipeline(core, operands, {.schedule = schedule}); });
  };
  job.copies_of_x = job.copies_of_y = job.copies_of_z = kBlocks * kBlocks;
  return job;
}

Job MatmulJob(int64_t block) {
  const int64_t size = kBlocks * block;
  Job job = MakeJob("matmul", size);
  const auto x = std::as_const(job.x).Matrix<float>();
  const auto y = std::as_const(job.y).Matrix<float>();
  auto z = job.expected.Matrix<float>();
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < size; ++k) {
      for (int64_t j = 0; j < size; ++j) z(i, j) += x(i, k) * y(k, j);
    }
  }
  const MatmulShape shape = {.m = size,
                             .k = size,
                             .n = size,
                             .block_m = block,
                             .block_k = block,
                             .block_n = block,
                             .core_axis = 0,
                             .semantics = {kParallel, kParallel, kArbitrary}};
  job.kernel = [shape](const Schedule& schedule) { return *MatmulKernel(shape, schedule); };
  job.copies_of_x = job.copies_of_y = kBlocks * kBlocks * kBlocks;
  job.copies_of_z = kBlocks * kBlocks;
  return job;
}

JobRun RunJob(Simulator& simulator, const Job& job, const Schedule& schedule) {
  JobRun run;
  Array z(DType::kFloat32, job.expected.shape());
  run.report = simulator.Run(job.kernel(schedule), {In("x", job.x), In("y", job.y), Out("z", z)});
  run.right = run.report.ok() && z == job.expected && run.report.CountersOf("x").copies_in == job.copies_of_x &&
              run.report.CountersOf("y").copies_in == job.copies_of_y &&
              run.report.CountersOf("z").copies_out == job.copies_of_z;
  return run;
}

}  // namespace strandcore
