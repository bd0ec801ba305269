#include "runtime/memory/npy.h"

#include <cctype>
#include <cstring>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/array.h"
#include "runtime/memory/tiling.h"
#include "runtime/memory/walk.h"

namespace strandcore {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
constexpr uint32_t kMostHeaderBytes = 1 << 16;

struct Descr {
  const char* text;
  DType dtype;
};
// Reading takes the first that fits; writing, the one of the type.
constexpr Descr kDescrs[] = {
    {"<f4", DType::kFloat32}, {"<f2", DType::kFloat16}, {"<f8", DType::kFloat64}, {"<i4", DType::kInt32},
    {"<u4", DType::kUint32},  {"<i2", DType::kInt16},   {"<u2", DType::kUint16},  {"|i1", DType::kInt8},
    {"|u1", DType::kUint8},   {"|b1", DType::kBool},    {"<i8", DType::kInt64},   {"<u2", DType::kBfloat16},
};

// The text after "'key':", up to the end; "" where there is none.
std::string After(const std::string& text, const std::string& key) {
  size_t at = text.find("'" + key + "'");
  if (at == std::string::npos) return "";
  at = text.find(':', at);
  if (at == std::string::npos) return "";
  do ++at;
  while (at < text.size() && text[at] == ' ');
  return text.substr(at);
}

absl::StatusOr<DType> ParseDescr(const std::string& text) {
  const std::string value = After(text, "descr");
  for (const Descr& descr : kDescrs) {
    if (value.rfind(absl::StrCat("'", descr.text, "'"), 0) == 0) return descr.dtype;
  }
  return Refuse("descr: expected a little-endian number type, given ", value.substr(0, value.find(',')));
}

absl::StatusOr<Dims> ParseShape(const std::string& text) {
  const std::string value = After(text, "shape");
  const size_t end = value.find(')');
  if (value.empty() || value[0] != '(' || end == std::string::npos) return Refuse("shape: expected a tuple");
  Dims shape;
  for (size_t at = 1; at < end;) {
    if (!std::isdigit(static_cast<unsigned char>(value[at]))) {
      // NumPy under Python 2 wrote "8L".
      if (std::strchr(" ,L", value[at]) == nullptr) {
        return Refuse("shape: expected sizes, given ", value.substr(0, end + 1));
      }
      ++at;
      continue;
    }
    int64_t size = 0;
    for (; at < end && std::isdigit(static_cast<unsigned char>(value[at])); ++at) {
      if (size > INT64_MAX / 10 - 1)
        return Refuse("shape: expected sizes of 64 bits, given ", value.substr(0, end + 1));
      size = size * 10 + (value[at] - '0');
    }
    shape.push_back(size);
  }
  STRANDCORE_RETURN_IF_ERROR(ValidateShape("shape", shape));
  return shape;
}

absl::StatusOr<std::string> ReadHeader(std::istream& file) {
  char head[8];
  if (!file.read(head, sizeof(head)) || std::memcmp(head, kMagic, kMagicBytes) != 0) {
    return Refuse("expected an .npy file, given one without its magic string");
  }
  const int major = head[6];
  if (major != 1 && major != 2) return Refuse("expected format version 1 or 2, given ", major);
  unsigned char length[4] = {};
  if (!file.read(reinterpret_cast<char*>(length), major == 1 ? 2 : 4)) return Refuse("expected a header, given none");
  const uint32_t bytes = length[0] | uint32_t{length[1]} << 8 | uint32_t{length[2]} << 16 | uint32_t{length[3]} << 24;
  if (bytes > kMostHeaderBytes)
    return Refuse("expected a header of at most ", kMostHeaderBytes, " bytes, given ", bytes);
  std::string text(bytes, '\0');
  if (!file.read(text.data(), bytes)) return Refuse("expected a header of ", bytes, " bytes, given fewer");
  return text;
}

absl::StatusOr<int64_t> BytesLeft(std::istream& file) {
  const std::streampos here = file.tellg();
  file.seekg(0, std::ios::end);
  const std::streampos end = file.tellg();
  file.seekg(here);
  if (!file) return Refuse("expected a file of a known size");
  return static_cast<int64_t>(end - here);
}

absl::StatusOr<Array> Read(std::istream& file) {
  absl::StatusOr<std::string> text = ReadHeader(file);
  if (!text.ok()) return text.status();
  absl::StatusOr<NpyHeader> header = ParseNpyHeader(*text);
  if (!header.ok()) return header.status();
  const int64_t bytes = DTypeSize(header->dtype);
  // First: memory for a huge shape that the file only claims is neither asked for nor walked.
  const absl::StatusOr<int64_t> given = BytesLeft(file);
  if (!given.ok()) return given.status();
  if (*given != header->shape.Product() * bytes) {
    return Refuse("expected ", header->shape.Product() * bytes, " bytes of data for the shape ",
                  header->shape.ToString(), ", given ", *given);
  }
  Array array(header->dtype, header->shape);
  if (!array.status().ok()) return array.status();
  // Without elements there may still be rows, any number of them.
  if (array.elements() == 0) return array;
  const int64_t row_bytes = MatrixSizeOf(header->shape).columns * bytes;
  ForEachRow(header->shape, array.physical_strides(), array.physical_strides(),
             [&](int64_t row, int64_t) { file.read(reinterpret_cast<char*>(array.data() + row * bytes), row_bytes); });
  if (!file) return Refuse("expected ", *given, " bytes of data; reading them failed");
  return array;
}

absl::Status Named(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", std::string(status.message())));
}

}  // namespace

std::string FormatNpyHeader(const NpyHeader& header) {
  const char* descr = "";
  for (const Descr& known : kDescrs) {
    if (known.dtype == header.dtype) descr = known.text;
  }
  std::string text =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", header.shape.ToString(), ", }");
  // The data begins at a multiple of 64 bytes; the header ends with a new line.
  constexpr size_t kBefore = kMagicBytes + 4;
  while ((kBefore + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string head(kMagic, kMagicBytes);
  head += '\x01';
  head += '\0';
  head += static_cast<char>(text.size() & 0xFF);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

absl::StatusOr<NpyHeader> ParseNpyHeader(const std::string& text) {
  absl::StatusOr<DType> dtype = ParseDescr(text);
  if (!dtype.ok()) return dtype.status();
  if (After(text, "fortran_order").rfind("False", 0) != 0) return Refuse("fortran_order: expected False");
  absl::StatusOr<Dims> shape = ParseShape(text);
  if (!shape.ok()) return shape.status();
  return NpyHeader{*dtype, *shape};
}

absl::StatusOr<Array> Array::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  absl::StatusOr<Array> array = Read(file);
  if (!array.ok()) return Named(path, array.status());
  return array;
}

absl::StatusOr<Array> Array::LoadBfloat16(const std::string& path) {
  absl::StatusOr<Array> array = Load(path);
  if (!array.ok()) return array;
  if (array->dtype_ != DType::kUint16) {
    return Refuse(path, ": expected uint16, the bits of bfloat16, given ", DTypeName(array->dtype_));
  }
  // Of one layout, as their elements are of one size.
  Array bits(DType::kBfloat16, array->shape_);
  if (!bits.status_.ok()) return Named(path, bits.status_);
  if (bits.elements() == 0) return bits;
  std::memcpy(bits.data(), array->data(), static_cast<size_t>(bits.storage_.bytes()));
  return bits;
}

absl::Status Array::Save(const std::string& path) const {
  STRANDCORE_RETURN_IF_ERROR(status_);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string head = FormatNpyHeader({dtype_, shape_});
  file.write(head.data(), static_cast<std::streamsize>(head.size()));
  const int64_t bytes = DTypeSize(dtype_);
  const int64_t row_bytes = MatrixSizeOf(shape_).columns * bytes;
  // Without elements there may still be rows, any number of them.
  if (elements() > 0) {
    ForEachRow(shape_, physical_strides_, physical_strides_, [&](int64_t row, int64_t) {
      file.write(reinterpret_cast<const char*>(data() + row * bytes), row_bytes);
    });
  }
  file.close();
  if (!file) return absl::DataLossError(absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace strandcore
