#include "runtime/memory/dtype.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "Eigen/Core"
#include "runtime/base/refusal.h"

namespace strandcore {
namespace {

// The float whose rounding to a narrower type equals that of `value` itself: cut off, and its last bit set if
// anything was lost ("round to odd"). Rounding twice to nearest would be wrong where the first ends up halfway.
float RoundToOdd(double value) {
  float rounded = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(rounded) == value) return rounded;
  uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  if (std::fabs(static_cast<double>(rounded)) > std::fabs(value)) --bits;
  bits |= 1;
  std::memcpy(&rounded, &bits, sizeof bits);
  return rounded;
}

// Towards zero, saturating; 0 for NaN.
template <typename Integer>
Integer Cut(double value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  // For 64 bits the largest value becomes 2^63 as a double: not less than that already is too much.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(value);
}

template <typename T>
T Narrow(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return Cut<T>(value);
  } else if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>) {
    return T(RoundToOdd(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
T Poison() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::max();  // true for bool
  } else if constexpr (std::is_same_v<T, Eigen::half>) {
    return Eigen::numext::bit_cast<Eigen::half>(uint16_t{0x7e00});
  } else if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
    return Eigen::numext::bit_cast<Eigen::bfloat16>(uint16_t{0x7fc0});
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

}  // namespace

const char* DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kBfloat16:
      return "bfloat16";
    case DType::kFloat16:
      return "float16";
    case DType::kInt32:
      return "int32";
    case DType::kUint32:
      return "uint32";
    case DType::kInt16:
      return "int16";
    case DType::kUint16:
      return "uint16";
    case DType::kInt8:
      return "int8";
    case DType::kUint8:
      return "uint8";
    case DType::kBool:
      return "bool";
    case DType::kFloat64:
      return "float64";
    case DType::kInt64:
      return "int64";
  }
  return "unknown";
}

absl::StatusOr<DType> DTypeFromName(const std::string& name) {
  std::string known;
  for (DType dtype : kAllDTypes) {
    if (name == DTypeName(dtype)) return dtype;
    known += (known.empty() ? "" : ", ") + std::string(DTypeName(dtype));
  }
  return Refuse("dtype \"", name, "\" is none of ", known);
}

void FillPoison(DType dtype, void* memory, int64_t elements) {
  VisitDType(dtype,
             [&]<typename T>(std::type_identity<T>) { std::fill_n(static_cast<T*>(memory), elements, Poison<T>()); });
}

double LoadAsDouble(DType dtype, const void* element) {
  return VisitDType(dtype, [&]<typename T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return static_cast<double>(value);
  });
}

void StoreFromDouble(DType dtype, void* element, double value) {
  VisitDType(dtype, [&]<typename T>(std::type_identity<T>) {
    const T narrow = Narrow<T>(value);
    std::memcpy(element, &narrow, sizeof narrow);
  });
}

}  // namespace strandcore
