#include "runtime/core/room_list.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/digits.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/tiling.h"

namespace strandcore {
namespace {

// As many as can be counted: what is asked for may be absurd.
int64_t Sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

int64_t Product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace

absl::StatusOr<int64_t> BytesOf(const ScopedMemory& asked) {
  STRANDCORE_RETURN_IF_ERROR(ValidateShape(asked.name, asked.shape));
  const Padding padding = asked.space == MemorySpace::kSmem ? Padding::kNone : Padding::kTiled;
  return PhysicalBytes(asked.dtype, PhysicalShape(asked.shape, padding));
}

void RoomList::Add(const Allocation& operand) {
  if (operand.space() != space_) return;
  Add(operand.Title(), operand.physical_bytes(), operand.shape(), operand.dtype());
}

void RoomList::Add(const ScopedMemory& asked) {
  if (asked.space != space_) return;
  const absl::StatusOr<int64_t> bytes = BytesOf(asked);
  if (!bytes.ok()) return;
  const std::string title = asked.buffer_of.empty() ? asked.name : absl::StrCat("operand ", asked.buffer_of);
  Add(title, *bytes, asked.shape, asked.dtype);
  if (asked.buffer_of.empty() || lines_.size() < 2) return;
  Line& before = lines_[lines_.size() - 2];
  const Line& last = lines_.back();
  if (before.title != last.title || before.bytes != last.bytes || before.what != last.what) return;
  ++before.buffers;
  lines_.pop_back();
}

void RoomList::Add(std::string title, int64_t bytes, const Dims& shape, DType dtype) {
  lines_.push_back({std::move(title), 1, bytes, absl::StrCat(shape.ToString(), " ", DTypeName(dtype))});
}

std::string RoomList::ToString() const {
  int64_t needed = 0;
  std::string list;
  for (const Line& line : lines_) {
    const int64_t free = limit_ - needed;
    needed = Sum(needed, Product(line.buffers, line.bytes));
    const std::string buffers = line.buffers == 1 ? "" : absl::StrCat(line.buffers, " buffers × ");
    absl::StrAppend(&list, "\n", line.title, ": ", buffers, DigitsInGroups(line.bytes), " bytes, ", line.what);
    if (needed <= limit_) continue;
    absl::StrAppend(&list,
                    free < 0 ? ": does not fit" : absl::StrCat(": does not fit, ", DigitsInGroups(free), " are free"));
  }
  return absl::StrCat(MemorySpaceName(space_), " of core ", owner_.core, " is full: ", DigitsInGroups(needed),
                      " bytes are needed, the limit is ", DigitsInGroups(limit_), list);
}

}  // namespace strandcore
