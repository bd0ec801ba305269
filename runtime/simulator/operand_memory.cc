#include "runtime/simulator/operand_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/digits.h"
#include "runtime/base/refusal.h"
#include "runtime/exec/agent_identity.h"
#include "runtime/memory/tiling.h"
#include "runtime/memory/walk.h"

namespace strandcore {
namespace {

// Allocation ids of operands are far from those of scopes.
constexpr uint64_t kFirstOperandId = uint64_t{1} << 62;

AllocationOptions OptionsOf(const Operand& operand, OperandId id, CoreId owner) {
  AllocationOptions options;
  options.id = kFirstOperandId + static_cast<uint64_t>(id);
  options.name = operand.name;
  options.space = operand.space;
  options.dtype = operand.input == nullptr ? operand.dtype : operand.input->dtype();
  options.shape = operand.input == nullptr ? operand.shape : operand.input->shape();
  options.owner = owner;
  options.operand = id;
  return options;
}

// Copies the elements of an array of this shape between two layouts of it.
void CopyElements(const Dims& shape, int64_t element_bytes, std::byte* to, const Dims& to_strides,
                  const std::byte* from, const Dims& from_strides) {
  const size_t row_bytes = static_cast<size_t>(MatrixSizeOf(shape).columns * element_bytes);
  ForEachRow(shape, to_strides, from_strides, [&](int64_t to_row, int64_t from_row) {
    if (row_bytes > 0) std::memcpy(to + to_row * element_bytes, from + from_row * element_bytes, row_bytes);
  });
}

// Whether two arrays begin at the same bytes: one array, or memory of the host that both have adopted.
bool AreOne(const Array& a, const Array& b) { return &a == &b || (a.elements() > 0 && a.data() == b.data()); }

void CopyIn(const Array& array, const Allocation& to) {
  CopyElements(array.shape(), DTypeSize(array.dtype()), to.data(), to.physical_strides(), array.data(),
               array.physical_strides());
}

}  // namespace

OperandMemory::~OperandMemory() {
  HiddenFromSanitizer hidden;
  for (Place& place : places_) {
    for (size_t i = 0; i < place.owners.size(); ++i) place.owners[i]->scopes().Unreserve(*place.allocations[i]);
  }
  places_.clear();
}

absl::Status OperandMemory::LayOut(const Operands& operands, int64_t hbm_bytes, Fill fresh,
                                   std::vector<std::unique_ptr<TensorCore>>& cores) {
  fresh_ = fresh;
  int64_t used = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    STRANDCORE_RETURN_IF_ERROR(LayOutOne(operands[i], static_cast<OperandId>(i), cores));
    const Place& place = places_.back();
    if (!place.owners.empty() || SameBefore(place) != nullptr) continue;
    const int64_t bytes = place.allocations[0]->physical_bytes();
    if (bytes > hbm_bytes - used) {
      return absl::ResourceExhaustedError(
          absl::StrCat("HBM is full: operand ", operands[i].name, " needs ", DigitsInGroups(bytes), " bytes, ",
                       DigitsInGroups(hbm_bytes - used), " of ", DigitsInGroups(hbm_bytes), " are free"));
    }
    used += bytes;
  }
  return absl::OkStatus();
}

const OperandMemory::Place* OperandMemory::SameBefore(const Place& place) const {
  const Array* const array = place.operand.input;
  if (array == nullptr) return nullptr;
  for (const Place& other : places_) {
    if (&other == &place) break;
    if (other.owners.empty() && other.operand.input != nullptr && AreOne(*other.operand.input, *array)) return &other;
  }
  return nullptr;
}

bool OperandMemory::IsRead(const Array& array) const {
  return std::any_of(places_.begin(), places_.end(), [&](const Place& place) {
    return place.operand.direction != Operand::Direction::kOut && place.operand.input != nullptr &&
           AreOne(*place.operand.input, array);
  });
}

void OperandMemory::TellOf(Monitor& monitor) const {
  for (const Place& place : places_) {
    const bool given = place.operand.direction == Operand::Direction::kIn ||
                       place.operand.direction == Operand::Direction::kInOut ||
                       (place.operand.output != nullptr && IsRead(*place.operand.output));
    const Place* const before = place.owners.empty() ? SameBefore(place) : nullptr;
    const Allocation* same = before == nullptr ? nullptr : before->allocations[0].get();
    // Adopted arrays may begin at the same bytes and be laid out in another way.
    if (same != nullptr &&
        (same->dtype() != place.allocations[0]->dtype() || !(same->shape() == place.allocations[0]->shape()) ||
         !(same->physical_shape() == place.allocations[0]->physical_shape()))) {
      same = nullptr;
    }
    for (const auto& allocation : place.allocations) monitor.OnOperand(*allocation, given, same);
  }
}

void OperandMemory::TellHandOver(Monitor& monitor) const {
  for (const Place& place : places_) {
    if (place.operand.output != nullptr) monitor.OnHandOver(*place.allocations[0]);
  }
}

absl::Status OperandMemory::RefreshOutputs() {
  // The cores have been launched: what the host still writes is ordered with their kernels, but not by a token.
  HiddenFromSanitizer hidden;
  for (Place& place : places_) {
    if (place.operand.direction != Operand::Direction::kOut) continue;
    if (IsRead(*place.operand.output)) {
      if (!place.owners.empty()) CopyIn(*place.operand.output, *place.allocations[0]);
      continue;
    }
    place.operand.output->Refill(fresh_);
    STRANDCORE_RETURN_IF_ERROR(place.operand.output->status());
  }
  return absl::OkStatus();
}

absl::Status OperandMemory::CheckName(const Operand& operand, OperandId id) const {
  if (operand.name.empty()) return Refuse("operand ", id, ": expected a name, given none");
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].operand.name != operand.name) continue;
    return Refuse("operand ", id, ": expected a name of its own, given ", operand.name, ", which operand ", i, " has");
  }
  return absl::OkStatus();
}

absl::Status OperandMemory::LayOutOne(const Operand& operand, OperandId id,
                                      std::vector<std::unique_ptr<TensorCore>>& cores) {
  STRANDCORE_RETURN_IF_ERROR(CheckName(operand, id));
  if (operand.input != nullptr && !operand.input->status().ok()) {
    return Refuse("operand ", operand.name, ": ", std::string(operand.input->status().message()));
  }
  places_.push_back({operand, {}, {}});
  Place& place = places_.back();
  if (operand.space == MemorySpace::kHbm || operand.space == MemorySpace::kAny) return LayOutInHbm(place, id);
  const bool per_core = operand.space == MemorySpace::kSmem && operand.direction == Operand::Direction::kIn;
  if (cores.size() > 1 && !per_core) {
    return Refuse("operand ", operand.name, ": ", MemorySpaceName(operand.space),
                  " belongs to one core; expected HBM with ", cores.size(), " cores");
  }
  if (operand.space != MemorySpace::kVmem && operand.space != MemorySpace::kSmem) {
    return Refuse("operand ", operand.name, ": expected HBM, VMEM or SMEM, given ", MemorySpaceName(operand.space));
  }
  for (auto& core : cores) STRANDCORE_RETURN_IF_ERROR(AddOnChip(place, id, *core));
  return absl::OkStatus();
}

absl::Status OperandMemory::LayOutInHbm(Place& place, OperandId id) {
  HiddenFromSanitizer hidden;
  place.operand.space = MemorySpace::kHbm;
  const Array* array = place.operand.input;
  AllocationOptions options = OptionsOf(place.operand, id, CoreId{});
  options.fill = fresh_;
  options.read_only = place.operand.direction == Operand::Direction::kIn;
  STRANDCORE_RETURN_IF_ERROR(ValidateShape("operand " + options.name, options.shape));
  auto made = array == nullptr ? Allocation::Make(options)
                               : Allocation::Borrow(options, array->physical_shape(), array->data());
  if (!made.ok()) return made.status();
  place.allocations.push_back(*std::move(made));
  return absl::OkStatus();
}

absl::Status OperandMemory::AddOnChip(Place& place, OperandId id, TensorCore& core) {
  HiddenFromSanitizer hidden;
  AllocationOptions options = OptionsOf(place.operand, id, core.id());
  options.fill = fresh_;
  auto made = Allocation::Make(options);
  if (!made.ok()) return made.status();
  STRANDCORE_RETURN_IF_ERROR(core.scopes().Reserve(**made));
  const Array& array = *place.operand.input;
  if (place.operand.direction != Operand::Direction::kOut) {
    CopyIn(array, **made);
  }
  place.allocations.push_back(*std::move(made));
  place.owners.push_back(&core);
  return absl::OkStatus();
}

std::vector<Ref> OperandMemory::RefsFor(size_t core, KernelContext& context) const {
  std::vector<Ref> refs;
  for (const Place& place : places_) {
    const size_t which = place.allocations.size() > 1 ? core : 0;
    refs.push_back(Ref(place.allocations[which].get(), &context));
  }
  return refs;
}

std::vector<std::string> OperandMemory::Names() const {
  std::vector<std::string> names;
  for (const Place& place : places_) names.push_back(place.operand.name);
  return names;
}

std::vector<bool> OperandMemory::Writable() const {
  std::vector<bool> writable;
  for (const Place& place : places_) writable.push_back(place.operand.direction != Operand::Direction::kIn);
  return writable;
}

void OperandMemory::PoisonOutputs() {
  for (Place& place : places_) {
    if (place.operand.output != nullptr) place.operand.output->FillPoison();
  }
}

void OperandMemory::CopyBack() {
  for (Place& place : places_) {
    if (place.owners.empty() || place.operand.output == nullptr) continue;
    const Allocation& from = *place.allocations[0];
    Array& to = *place.operand.output;
    CopyElements(to.shape(), DTypeSize(to.dtype()), to.data(), to.physical_strides(), from.data(),
                 from.physical_strides());
  }
}

}  // namespace strandcore
