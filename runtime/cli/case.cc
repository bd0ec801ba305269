#include "runtime/cli/case.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/cli/json_field.h"

namespace strandcore {
namespace {

// Bounds on what a line may ask for: far above any case, far below what would exhaust the machine.
constexpr int64_t kMostSize = int64_t{1} << 28;
constexpr int64_t kMostElements = int64_t{1} << 28;
constexpr int64_t kMostSteps = int64_t{1} << 22;  // each of them leaves several entries in the trace
constexpr int64_t kMostCoefficient = int64_t{1} << 31;
constexpr size_t kMostRefs = 64;
constexpr size_t kMostCycles = 4096;
constexpr int kMostCores = 1024;

size_t CheckedSize(const JsonField& field, size_t most) {
  if (field.size() > most) field.Refuse(absl::StrCat("at most ", most, " entries"));
  return field.size();
}

Grid ParseGrid(const JsonField& root) {
  const JsonField field = root.Get("grid");
  Grid grid;
  int64_t steps = 1;
  for (size_t d = 0; d < CheckedSize(field, kMaxRank); ++d) {
    grid.push_back(field.At(d).AsInteger(-kMostSize, kMostSize));
    // One that is no size (a static one is a refused case, a dynamic one no step) bounds nothing.
    steps *= std::max<int64_t>(grid.back().size, 1);
    if (steps > kMostSteps) field.Refuse(absl::StrCat("at most ", kMostSteps, " steps"));
  }
  const auto dynamic = root.Find("dynamic");
  if (!dynamic.has_value()) return grid;
  if (dynamic->size() != grid.size()) dynamic->Refuse(absl::StrCat(grid.size(), " entries, one a grid dimension"));
  for (size_t d = 0; d < grid.size(); ++d) grid[d].dynamic = dynamic->At(d).AsBool();
  return grid;
}

MapRow ParseRow(const JsonField& field, size_t grid_rank) {
  MapRow row;
  const JsonField coef = field.Get("coef");
  if (coef.size() != grid_rank) coef.Refuse(absl::StrCat(grid_rank, " entries, one a grid dimension"));
  for (size_t d = 0; d < grid_rank; ++d) row.coef.push_back(coef.At(d).AsInteger(-kMostCoefficient, kMostCoefficient));
  if (auto constant = field.Find("const")) row.constant = constant->AsInteger(-kMostCoefficient, kMostCoefficient);
  if (auto div = field.Find("div")) row.div = div->AsInteger(1, kMostCoefficient);
  if (auto mod = field.Find("mod")) row.mod = mod->AsInteger(1, kMostCoefficient);
  return row;
}

CaseRef ParseRef(const JsonField& field, size_t grid_rank) {
  CaseRef ref;
  constexpr BufferType kKinds[] = {BufferType::kInput, BufferType::kOutput, BufferType::kAccumulator};
  ref.kind = kKinds[field.Get("kind").AsOneOf({"input", "output", "accumulator"})];
  const JsonField shape = field.Get("shape");
  int64_t elements = 1;
  for (size_t d = 0; d < CheckedSize(shape, kMaxRank); ++d) {
    ref.shape.push_back(shape.At(d).AsInteger(0, kMostSize));
    elements *= ref.shape.back();
    if (elements > kMostElements) shape.Refuse(absl::StrCat("at most ", kMostElements, " elements"));
  }
  const JsonField dtype = field.Get("dtype");
  absl::StatusOr<DType> type = DTypeFromName(dtype.AsString());
  if (!type.ok()) dtype.Refuse("the name of an element type");
  ref.dtype = *type;
  const JsonField block = field.Get("block");
  for (size_t d = 0; d < CheckedSize(block, kMaxRank); ++d) {
    ref.block.push_back(block.At(d).is_null() ? BlockDim(std::nullopt) : BlockDim(block.At(d).AsInteger(1, kMostSize)));
  }
  const JsonField map = field.Get("map");
  for (size_t d = 0; d < CheckedSize(map, kMaxRank); ++d) ref.map.push_back(ParseRow(map.At(d), grid_rank));
  ref.vmem = field.Get("space").AsOneOf({"any", "vmem"}) == 1;
  if (auto schedule = field.Find("schedule")) ref.fixed = schedule->AsOneOf({"default", "fixed"}) == 1;
  return ref;
}

CaseCycle ParseCycle(const JsonField& field) {
  CaseCycle cycle;
  cycle.first = field.Get("first").AsBool();
  cycle.last = field.Get("last").AsBool();
  cycle.init = field.Get("init").AsBool();
  cycle.prefetch = field.Get("prefetch").AsBool();
  if (auto postyeet = field.Find("postyeet")) cycle.postyeet = postyeet->AsBool();
  if (auto surplus = field.Find("surplus")) cycle.surplus = surplus->AsBool();
  return cycle;
}

Case Parse(const JsonField& root) {
  Case parsed;
  parsed.name = root.Get("name").AsString();
  parsed.grid = ParseGrid(root);
  const JsonField refs = root.Get("refs");
  for (size_t i = 0; i < CheckedSize(refs, kMostRefs); ++i) {
    parsed.refs.push_back(ParseRef(refs.At(i), parsed.grid.size()));
    const bool input = parsed.refs.back().kind == BufferType::kInput;
    if (i > 0 && input && parsed.refs[i - 1].kind != BufferType::kInput) refs.At(i).Get("kind").Refuse("inputs first");
  }
  if (auto cycles = root.Find("cycles")) {
    for (size_t i = 0; i < CheckedSize(*cycles, kMostCycles); ++i) parsed.cycles.push_back(ParseCycle(cycles->At(i)));
    if (parsed.cycles.empty()) cycles->Refuse("at least one cycle");
  }
  if (auto cores = root.Find("cores")) parsed.cores = static_cast<int>(cores->AsInteger(1, kMostCores));
  if (auto semantics = root.Find("semantics")) {
    std::vector<DimensionSemantics> list;
    for (size_t d = 0; d < CheckedSize(*semantics, 4 * kMaxRank); ++d) {
      list.push_back(semantics->At(d).AsOneOf({"parallel", "arbitrary"}) == 0 ? kParallel : kArbitrary);
    }
    parsed.semantics = Semantics(std::move(list));
  }
  return parsed;
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

absl::StatusOr<Case> ParseCase(const Json& json) {
  try {
    return Parse(JsonField(json, ""));
  } catch (const JsonField::Error& error) {
    return absl::InvalidArgumentError(error.text);
  }
}

BlockIndex Evaluate(const std::vector<MapRow>& map, const GridIndex& point) {
  BlockIndex index;
  for (const MapRow& row : map) {
    int64_t value = row.constant;
    for (size_t d = 0; d < row.coef.size(); ++d) value += row.coef[d] * point[static_cast<int>(d)];
    value = FloorDivide(value, row.div);
    if (row.mod != 0) value -= FloorDivide(value, row.mod) * row.mod;
    index.push_back(value);
  }
  return index;
}

}  // namespace strandcore
