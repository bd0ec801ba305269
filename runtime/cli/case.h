// Case: one line of a golden file, as a value: a pipeline, its operands and how often it is invoked.
//
// Concurrency: a value.
#ifndef STRANDCORE_RUNTIME_CLI_CASE_H_
#define STRANDCORE_RUNTIME_CLI_CASE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/dims.h"
#include "runtime/memory/dtype.h"
#include "runtime/pipeline/block_spec.h"
#include "runtime/pipeline/buffered_ref.h"
#include "runtime/pipeline/partition.h"
#include "runtime/pipeline/schedule.h"

namespace strandcore {

using Json = nlohmann::ordered_json;

// One dimension of an index map: ((sum of coef[d] * g[d]) + constant) / div, floored, modulo mod (0: none).
struct MapRow {
  std::vector<int64_t> coef;
  int64_t constant = 0;
  int64_t div = 1;
  int64_t mod = 0;
};

struct CaseRef {
  BufferType kind = BufferType::kInput;
  Dims shape;
  DType dtype = DType::kFloat32;
  std::vector<BlockDim> block;
  std::vector<MapRow> map;
  bool vmem = false;
  bool fixed = false;  // its schedule; else default
};

struct CaseCycle {
  bool first = true;
  bool last = true;
  bool init = false;
  bool prefetch = false;
  bool postyeet = false;
  bool surplus = false;
};

struct Case {
  std::string name;
  Grid grid;
  std::vector<CaseRef> refs;
  std::vector<CaseCycle> cycles;  // empty: one self-contained invocation
  std::optional<int> cores;       // empty: no partition
  Semantics semantics;
};

// Refuses a missing or malformed field by its name ("refs[1].block[0]"), with what was expected and what was given.
absl::StatusOr<Case> ParseCase(const Json& json);

// The block that a map answers at a grid point.
BlockIndex Evaluate(const std::vector<MapRow>& map, const GridIndex& point);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_CASE_H_
