#include "runtime/core/chip_spec.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace strandcore {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kMB = 1'000'000;

// In the order of enum Chip.
constexpr ChipSpec kChips[] = {
    {"v2", 2, 16 * kMiB, 16 * kKiB, 8'000 * kMB},      {"v3", 3, 16 * kMiB, 16 * kKiB, 17'200 * kMB},
    {"v4i", 4, 16 * kMiB, 1024 * kKiB, 8'590 * kMB},   {"v4", 4, 16 * kMiB, 1024 * kKiB, 17'200 * kMB},
    {"v5e", 5, 128 * kMiB, 1024 * kKiB, 17'200 * kMB}, {"v5p", 5, 64 * kMiB, 1024 * kKiB, 51'500 * kMB},
    {"v6e", 6, 128 * kMiB, 1024 * kKiB, 34'400 * kMB}, {"7x", 7, 64 * kMiB, 1024 * kKiB, 103'000 * kMB},
    {"8i", 8, 192 * kMiB, 1024 * kKiB, 154'500 * kMB}, {"8t", 8, 128 * kMiB, 1024 * kKiB, 231'000 * kMB},
};
static_assert(std::size(kChips) == static_cast<size_t>(Chip::kV8t) + 1);

}  // namespace

const ChipSpec& SpecOf(Chip chip) { return kChips[static_cast<size_t>(chip)]; }

absl::StatusOr<Chip> ChipFromName(const std::string& name) {
  std::string known;
  for (size_t i = 0; i < std::size(kChips); ++i) {
    if (name == kChips[i].name) return static_cast<Chip>(i);
    absl::StrAppend(&known, i == 0 ? "" : ", ", kChips[i].name);
  }
  return absl::InvalidArgumentError(absl::StrCat("chip: expected one of ", known, ", given \"", name, "\""));
}

}  // namespace strandcore
