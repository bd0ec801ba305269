#include "runtime/cli/case_body.h"

#include <cmath>

#include "runtime/memory/dtype.h"
#include "runtime/memory/walk.h"

namespace strandcore {
namespace {

void FillWindow(const Ref& window, double value) {
  window.Declare(AccessMode::kWrite, Site::Here());
  const int64_t bytes = DTypeSize(window.dtype());
  const int64_t columns = MatrixSizeOf(window.shape()).columns;
  // Of a window whose dimensions are all squeezed, rank 0, there is no last stride.
  const int64_t step = window.rank() == 0 ? 1 : window.strides().back();
  ForEachRow(window.shape(), window.strides(), window.strides(), [&](int64_t row, int64_t) {
    std::byte* at = window.data() + row * bytes;
    for (int64_t c = 0; c < columns; ++c) StoreFromDouble(window.dtype(), at + c * step * bytes, value);
  });
}

}  // namespace

void RunCaseBody(KernelContext& core, Refs windows, size_t inputs, int grid_rank) {
  double total = 0;
  for (size_t k = 0; k < inputs; ++k) {
    windows[k].Declare(AccessMode::kRead, Site::Here());
    total += static_cast<double>(k + 1) * LoadAsDouble(windows[k].dtype(), windows[k].data());
  }
  for (int d = 0; d < grid_rank; ++d) total += static_cast<double>((d + 1) * core.ProgramId(d));
  for (size_t k = inputs; k < windows.size(); ++k) {
    // Like Python's: the remainder has the sign of 97.
    const double remainder = std::fmod(total + static_cast<double>(k - inputs), 97.0);
    FillWindow(windows[k], remainder < 0 ? remainder + 97.0 : remainder);
  }
}

}  // namespace strandcore
