#include "runtime/memory/allocation.h"

#include <utility>

#include "runtime/base/refusal.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

std::string TitleOf(const AllocationOptions& options) {
  if (options.operand != kNoOperand) return "operand " + options.name;
  return options.name.empty() ? "memory without a name" : options.name;
}

}  // namespace

const char* MemorySpaceName(MemorySpace space) {
  switch (space) {
    case MemorySpace::kHbm:
      return "HBM";
    case MemorySpace::kVmem:
      return "VMEM";
    case MemorySpace::kSmem:
      return "SMEM";
    case MemorySpace::kCmem:
      return "CMEM";
    case MemorySpace::kAny:
      break;
  }
  return "ANY";
}

absl::StatusOr<std::unique_ptr<Allocation>> Allocation::Make(const Options& options) {
  STRANDCORE_RETURN_IF_ERROR(ValidateShape(TitleOf(options), options.shape));
  const Padding padding = options.space == MemorySpace::kSmem ? Padding::kNone : Padding::kTiled;
  const Dims physical = PhysicalShape(options.shape, padding);
  const absl::StatusOr<int64_t> bytes = PhysicalBytes(options.dtype, physical);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Storage> storage = Storage::Make(options.dtype, *bytes, options.fill);
  if (!storage.ok()) {
    return absl::Status(storage.status().code(),
                        absl::StrCat(TitleOf(options), ": ", std::string(storage.status().message())));
  }
  return std::unique_ptr<Allocation>(new Allocation(options, physical, *std::move(storage)));
}

absl::StatusOr<std::unique_ptr<Allocation>> Allocation::Borrow(const Options& options, const Dims& physical_shape,
                                                               void* memory) {
  const std::string title = TitleOf(options);
  STRANDCORE_RETURN_IF_ERROR(ValidateShape(title, options.shape));
  STRANDCORE_RETURN_IF_ERROR(ValidateShape(title, physical_shape));
  bool fits = physical_shape.size() == options.shape.size();
  for (int d = 0; fits && d < physical_shape.size(); ++d) fits = physical_shape[d] >= options.shape[d];
  if (!fits) {
    return Refuse(title, ": shape ", options.shape.ToString(), " does not fit the physical shape ",
                  physical_shape.ToString(), " of its memory");
  }
  const absl::StatusOr<int64_t> bytes = PhysicalBytes(options.dtype, physical_shape);
  if (!bytes.ok()) return bytes.status();
  if (memory == nullptr && *bytes > 0) return Refuse(title, ": expected memory of ", *bytes, " bytes; given none");
  if (reinterpret_cast<uintptr_t>(memory) % DTypeSize(options.dtype) != 0) {
    return Refuse(title, ": expected memory aligned to ", DTypeSize(options.dtype), " bytes, the size of ",
                  DTypeName(options.dtype), "; given less");
  }
  return std::unique_ptr<Allocation>(
      new Allocation(options, physical_shape, Storage::Borrow(options.dtype, memory, *bytes)));
}

Allocation::Allocation(const Options& options, const Dims& physical_shape, Storage storage)
    : options_(options),
      physical_shape_(physical_shape),
      physical_strides_(RowMajorStrides(physical_shape)),
      storage_(std::move(storage)) {}

std::string Allocation::Title() const { return TitleOf(options_); }

}  // namespace strandcore
