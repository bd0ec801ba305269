#include "kernels/padded_matmul.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace strandcore {
namespace {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The window as float32, with 0 outside the part that is filled.
template <typename T>
FloatMatrix Masked(const Ref& window, const Index& rows, const Index& columns) {
  Mask inside = Mask::Constant(window.shape()[0], window.shape()[1], false);
  inside.topLeftCorner(rows.size, columns.size).setConstant(true);
  return window.Load<T>(inside, T(0)).template cast<float>().matrix();
}

template <typename T>
FloatMatrix Whole(const Ref& window) {
  return window.Read<T>().template cast<float>().matrix();
}

template <typename T>
FloatMatrix BlockProduct(const MatmulShape& shape, const FilledBlock& filled, const Ref& x, const Ref& y) {
  FloatMatrix product(shape.block_m, shape.block_n);
  if (filled.m.size == shape.block_m && filled.k.size == shape.block_k && filled.n.size == shape.block_n) {
    product.noalias() = Whole<T>(x) * Whole<T>(y);
  } else {
    product.noalias() = Masked<T>(x, filled.m, filled.k) * Masked<T>(y, filled.k, filled.n);
  }
  return product;
}

// T: of x and y; Sum: of the scratch; Z: of z.
template <typename T, typename Sum, typename Z>
RefFunction Body(const MatmulShape& shape, int64_t last_k) {
  return RefFunction([shape, last_k](KernelContext& core, Ref x, Ref y, Ref z, Ref sum) {
    if (core.ProgramId(2) == 0) sum.Write<Sum>().setZero();
    sum.ReadWrite<Sum>() += BlockProduct<T>(shape, Filled(core, shape), x, y).array().template cast<Sum>();
    if (core.ProgramId(2) == last_k) z.Write<Z>() = sum.Read<Sum>().template cast<Z>();
  });
}

absl::StatusOr<RefFunction> BodyFor(const MatmulShape& shape, DType dtype, int64_t last_k) {
  if (dtype == DType::kFloat32) return Body<float, float, float>(shape, last_k);
  if (dtype == DType::kBfloat16) return Body<Eigen::bfloat16, float, Eigen::bfloat16>(shape, last_k);
  if (dtype != DType::kInt8) {
    return absl::InvalidArgumentError(
        absl::StrCat("padded matmul: expected float32, bfloat16 or int8, given ", DTypeName(dtype)));
  }
  if (shape.block_k > 1024) {
    return absl::InvalidArgumentError(
        absl::StrCat("padded matmul: expected block_k up to 1024 for int8, given ", shape.block_k));
  }
  return Body<int8_t, int32_t, int32_t>(shape, last_k);
}

}  // namespace

DType PaddedMatmulResult(DType dtype) { return dtype == DType::kInt8 ? DType::kInt32 : dtype; }

absl::StatusOr<RefFunction> PaddedMatmulKernel(const MatmulShape& shape, DType dtype) {
  absl::StatusOr<PipelineOptions> options = MatmulOptions(shape, /*accumulate=*/false);
  if (!options.ok()) return options.status();
  absl::StatusOr<RefFunction> body = BodyFor(shape, dtype, options->grid[2].size - 1);
  if (!body.ok()) return body.status();
  absl::StatusOr<Pipeline> pipeline = EmitPipeline(*std::move(body), *std::move(options));
  if (!pipeline.ok()) return pipeline.status();
  const DType sum_type = dtype == DType::kInt8 ? DType::kInt32 : DType::kFloat32;
  return RefFunction([pipeline = *pipeline, shape, sum_type](KernelContext& core, Refs operands) {
    CheckOperands(core, shape, operands);
    core.RunScoped([&](Ref sum) { pipeline(core, operands, {.scratches = {sum}}); },
                   Vmem({shape.block_m, shape.block_n}, sum_type, "sum"));
  });
}

}  // namespace strandcore
