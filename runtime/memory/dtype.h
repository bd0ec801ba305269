// DType: the element type of an array, an allocation or a view, as a run-time value.
//
// Every type has a *poison*: the value that fresh memory holds, so that a read before the first write shows. It is a
// quiet NaN for floating point, the largest value for integers, true for bool.
#ifndef STRANDCORE_RUNTIME_MEMORY_DTYPE_H_
#define STRANDCORE_RUNTIME_MEMORY_DTYPE_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"

// Declared here rather than included: Eigen is large, and whoever uses these two types includes it anyway.
namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace strandcore {

enum class DType : uint8_t {
  kFloat32,
  kBfloat16,
  kFloat16,
  kInt32,
  kUint32,
  kInt16,
  kUint16,
  kInt8,
  kUint8,
  kBool,
  kFloat64,
  kInt64,
};

inline constexpr DType kAllDTypes[] = {
    DType::kFloat32, DType::kBfloat16, DType::kFloat16, DType::kInt32, DType::kUint32,  DType::kInt16,
    DType::kUint16,  DType::kInt8,     DType::kUint8,   DType::kBool,  DType::kFloat64, DType::kInt64,
};

// In bytes.
inline constexpr int DTypeSize(DType dtype) {
  // In the enum's order; a table, since a copy asks for it several times.
  constexpr int8_t kSizes[] = {4, 2, 2, 4, 4, 2, 2, 1, 1, 1, 8, 8};
  static_assert(std::size(kSizes) == std::size(kAllDTypes));
  return kSizes[static_cast<size_t>(dtype)];
}

// "float32", "bfloat16", ...
const char* DTypeName(DType dtype);
absl::StatusOr<DType> DTypeFromName(const std::string& name);

// Calls `visit(std::type_identity<T>())` with the C++ type of `dtype`; a switch on types that is written once.
template <typename Visit>
decltype(auto) VisitDType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kBfloat16:
      return visit(std::type_identity<Eigen::bfloat16>());
    case DType::kFloat16:
      return visit(std::type_identity<Eigen::half>());
    case DType::kInt32:
      return visit(std::type_identity<int32_t>());
    case DType::kUint32:
      return visit(std::type_identity<uint32_t>());
    case DType::kInt16:
      return visit(std::type_identity<int16_t>());
    case DType::kUint16:
      return visit(std::type_identity<uint16_t>());
    case DType::kInt8:
      return visit(std::type_identity<int8_t>());
    case DType::kUint8:
      return visit(std::type_identity<uint8_t>());
    case DType::kBool:
      return visit(std::type_identity<bool>());
    case DType::kFloat64:
      return visit(std::type_identity<double>());
    case DType::kInt64:
      return visit(std::type_identity<int64_t>());
    case DType::kFloat32:
      break;
  }
  return visit(std::type_identity<float>());
}

// The DType of a C++ type; a type without one does not compile.
template <typename T>
constexpr DType DTypeOf();
// clang-format off
template <> constexpr DType DTypeOf<float>() { return DType::kFloat32; }
template <> constexpr DType DTypeOf<Eigen::bfloat16>() { return DType::kBfloat16; }
template <> constexpr DType DTypeOf<Eigen::half>() { return DType::kFloat16; }
template <> constexpr DType DTypeOf<int32_t>() { return DType::kInt32; }
template <> constexpr DType DTypeOf<uint32_t>() { return DType::kUint32; }
template <> constexpr DType DTypeOf<int16_t>() { return DType::kInt16; }
template <> constexpr DType DTypeOf<uint16_t>() { return DType::kUint16; }
template <> constexpr DType DTypeOf<int8_t>() { return DType::kInt8; }
template <> constexpr DType DTypeOf<uint8_t>() { return DType::kUint8; }
template <> constexpr DType DTypeOf<bool>() { return DType::kBool; }
template <> constexpr DType DTypeOf<double>() { return DType::kFloat64; }
template <> constexpr DType DTypeOf<int64_t>() { return DType::kInt64; }
// clang-format on

// Fills `elements` elements of `dtype` at `memory`, which is aligned to their size, with the poison.
void FillPoison(DType dtype, void* memory, int64_t elements);

// One element. Storing rounds to nearest even for floating point; for integers it cuts towards zero, saturates, and
// stores 0 for NaN. Any number but 0 is true.
double LoadAsDouble(DType dtype, const void* element);
void StoreFromDouble(DType dtype, void* element, double value);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_MEMORY_DTYPE_H_
