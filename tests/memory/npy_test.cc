#include "runtime/memory/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/memory/array.h"

namespace strandcore {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The head of a file with this text, which is neither checked nor padded.
std::string HeadOf(const std::string& text, int major = 1) {
  std::string head = "\x93NUMPY";
  head += static_cast<char>(major);
  head += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) head += static_cast<char>(text.size() >> 8 * i & 0xFF);
  return head + text;
}

std::string HeadOf(const std::string& descr, const std::string& fortran, const std::string& shape, int major = 1) {
  return HeadOf("{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n", major);
}

class NpyTest : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::string RefusalOf(const std::string& bytes) const {
    Write(bytes);
    const absl::StatusOr<Array> loaded = Array::Load(path_);
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument) << loaded.status();
    const std::string message(loaded.status().message());
    EXPECT_THAT(message, StartsWith(path_ + ": "));
    return message.substr(std::min(message.size(), path_.size() + 2));
  }
  Array Reloaded(const Array& array) const {
    EXPECT_TRUE(array.Save(path_).ok());
    auto loaded = array.dtype() == DType::kBfloat16 ? Array::LoadBfloat16(path_) : Array::Load(path_);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.ok() ? *std::move(loaded) : Array();
  }

  const std::string path_ = testing::TempDir() + "/npy_test_" + std::to_string(::getpid()) + ".npy";
};

TEST_F(NpyTest, EveryTypeAndRankComesBack) {
  const Dims shapes[] = {{}, {1}, {5}, {300}, {3, 20}, {8, 128}, {17, 130}, {2, 3, 4}, {2, 9, 129}, {2, 1, 3, 2, 1, 2}};
  for (DType dtype : kAllDTypes) {
    for (const Dims& shape : shapes) {
      Array array = Array::Iota(dtype, shape);
      array.FillPadding(77);
      EXPECT_EQ(Reloaded(array), array) << DTypeName(dtype) << " " << shape.ToString();
    }
  }
}

TEST_F(NpyTest, BitsComeBackThatAreNoNumbers) {
  for (DType dtype : kAllDTypes) {
    Array array(dtype, {3, 5});
    array.FillPoison();
    EXPECT_EQ(Reloaded(array), array) << DTypeName(dtype);
  }
}

TEST_F(NpyTest, ShapesWithoutElementsComeBackAtOnce) {
  const int64_t many = int64_t{1} << 40;
  for (const Dims& shape : {Dims{0}, Dims{0, 5}, Dims{3, 0}, Dims{many, 0}, Dims{2, many, 0}}) {
    const Array array = Reloaded(Array(DType::kFloat32, shape));
    EXPECT_EQ(array.shape(), shape);
    EXPECT_EQ(array.elements(), 0);
    EXPECT_EQ(Reloaded(Array(DType::kBfloat16, shape)).shape(), shape);
  }
}

TEST_F(NpyTest, AdoptedMemoryIsSavedLikeAnyOther) {
  std::vector<float> host = {1, 2, 3, 4, 5, 6};
  const Array array = Array::Adopt(DType::kFloat32, {2, 3}, host.data());
  EXPECT_EQ(Reloaded(array), array);
}

// As numpy.save writes it: array([[1, 2, 3], [4, 5, 6]], dtype=int16).
TEST_F(NpyTest, AFileIsWhatNumPyWrites) {
  const std::vector<int16_t> values = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(Array::FromValues<int16_t>({2, 3}, values).Save(path_).ok());
  std::string head = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  head += std::string(128 - 10 - 1 - head.size(), ' ') + "\n";
  const std::string elements("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  // NumPy leaves room for a longer shape and so begins the data at byte 128; any multiple of 64 is right.
  const std::string saved = Bytes();
  EXPECT_EQ(saved.substr(saved.size() - 12), elements);
  EXPECT_EQ((saved.size() - 12) % 64, 0u);
  EXPECT_EQ(saved.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
  EXPECT_THAT(saved, HasSubstr("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"));
  Write(HeadOf(head) + elements);
  const absl::StatusOr<Array> loaded = Array::Load(path_);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->ToVector<int16_t>(), values);
}

TEST_F(NpyTest, HeadersSayTypeAndShape) {
  EXPECT_THAT(FormatNpyHeader({DType::kBfloat16, {}}),
              HasSubstr("'descr': '<u2', 'fortran_order': False, 'shape': ()"));
  EXPECT_THAT(FormatNpyHeader({DType::kInt8, {5}}), HasSubstr("'descr': '|i1', 'fortran_order': False, 'shape': (5,)"));
  for (DType dtype : kAllDTypes) {
    const std::string head = FormatNpyHeader({dtype, {1, 2, 3, 4, 5, 6, 7, 1'000'000}});
    EXPECT_EQ(head.size() % 64, 0u);
    EXPECT_EQ(head.back(), '\n');
    const auto parsed = ParseNpyHeader(head.substr(10));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->shape.ToString(), "(1, 2, 3, 4, 5, 6, 7, 1000000)");
    EXPECT_EQ(parsed->dtype, dtype == DType::kBfloat16 ? DType::kUint16 : dtype);
  }
}

TEST_F(NpyTest, OtherWritersHeadersAreRead) {
  const std::string one("\0\0\x80\x3f", 4);
  for (const std::string& text : std::vector<std::string>{"{'shape': (1L, 1L), 'fortran_order':False, 'descr':'<f4'}",
                                                          "{'descr': '<f4', 'shape': (1,1), 'fortran_order': False}"}) {
    for (int major : {1, 2}) {
      Write(HeadOf(text, major) + one);
      const absl::StatusOr<Array> loaded = Array::Load(path_);
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      EXPECT_EQ(loaded->shape().ToString(), "(1, 1)");
      EXPECT_EQ(loaded->Get({0, 0}), 1);
    }
  }
}

TEST_F(NpyTest, TruncatedFilesAreRefused) {
  ASSERT_TRUE(Array::Iota(DType::kFloat32, {3, 20}).Save(path_).ok());
  const std::string whole = Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string refusal = RefusalOf(whole.substr(0, size));
    if (size < 8) {
      EXPECT_EQ(refusal, "expected an .npy file, given one without its magic string");
    } else if (size < 10) {
      EXPECT_EQ(refusal, "expected a header, given none");
    } else if (size < whole.size() - 240) {
      EXPECT_THAT(refusal, HasSubstr("bytes, given fewer"));
    } else {
      EXPECT_EQ(refusal,
                "expected 240 bytes of data for the shape (3, 20), given " + std::to_string(size + 240 - whole.size()));
    }
  }
  EXPECT_EQ(RefusalOf(whole + "x"), "expected 240 bytes of data for the shape (3, 20), given 241");
}

TEST_F(NpyTest, OtherFilesAreRefused) {
  EXPECT_EQ(RefusalOf("P6 512 512 255 and so on"), "expected an .npy file, given one without its magic string");
  EXPECT_EQ(RefusalOf(HeadOf("{}", 3)), "expected format version 1 or 2, given 3");
  EXPECT_EQ(RefusalOf(HeadOf("", 0)), "expected format version 1 or 2, given 0");
  EXPECT_EQ(RefusalOf(HeadOf(std::string(65'537, ' '), 2)), "expected a header of at most 65536 bytes, given 65537");
  EXPECT_EQ(RefusalOf(HeadOf("{}")), "descr: expected a little-endian number type, given ");
}

TEST_F(NpyTest, LayoutsAndTypesThatAreNotReadAreRefused) {
  const std::string four(4, '\0');
  EXPECT_EQ(RefusalOf(HeadOf("'<f4'", "True", "(1,)") + four), "fortran_order: expected False");
  EXPECT_EQ(RefusalOf(HeadOf("{'descr': '<f4', 'shape': (1,)}") + four), "fortran_order: expected False");
  for (const std::string descr : {"'>f4'", "'<c8'", "'|S4'", "'<U1'", "'|O'", "[('a'"}) {
    EXPECT_EQ(RefusalOf(HeadOf(descr, "False", "(1,)") + four),
              "descr: expected a little-endian number type, given " + descr);
  }
}

TEST_F(NpyTest, ShapesThatAreNoneAreRefused) {
  EXPECT_EQ(RefusalOf(HeadOf("'<f4'", "False", "None")), "shape: expected a tuple");
  EXPECT_EQ(RefusalOf(HeadOf("{'descr': '<f4', 'fortran_order': False}")), "shape: expected a tuple");
  EXPECT_EQ(RefusalOf(HeadOf("{'descr': '<f4', 'fortran_order': False, 'shape': (8, ")), "shape: expected a tuple");
  EXPECT_EQ(RefusalOf(HeadOf("'<f4'", "False", "(-3, 4)")), "shape: expected sizes, given (-3, 4)");
  EXPECT_EQ(RefusalOf(HeadOf("'<f4'", "False", "(2.5,)")), "shape: expected sizes, given (2.5,)");
  EXPECT_THAT(RefusalOf(HeadOf("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)")), StartsWith("shape"));
}

// Neither allocated nor walked.
TEST_F(NpyTest, HugeShapesThatAFileOnlyClaimsAreRefused) {
  EXPECT_EQ(RefusalOf(HeadOf("'<f4'", "False", "(99999999999999999999,)")),
            "shape: expected sizes of 64 bits, given (99999999999999999999,)");
  EXPECT_THAT(RefusalOf(HeadOf("'<f4'", "False", "(9000000000000000000,)")), StartsWith("shape"));
  EXPECT_THAT(RefusalOf(HeadOf("'<f4'", "False", "(4294967296, 4294967296, 4294967296)")), StartsWith("shape"));
  EXPECT_EQ(RefusalOf(HeadOf("'|i1'", "False", "(8589934592, 1)") + "x"),
            "expected 8589934592 bytes of data for the shape (8589934592, 1), given 1");
  EXPECT_EQ(RefusalOf(HeadOf("'<f8'", "False", "(1099511627776, 128)")),
            "expected 1125899906842624 bytes of data for the shape (1099511627776, 128), given 0");
}

TEST_F(NpyTest, Bfloat16ComesFromUint16Alone) {
  ASSERT_TRUE(Array::Iota(DType::kFloat16, {5}).Save(path_).ok());
  EXPECT_EQ(Array::LoadBfloat16(path_).status().message(),
            path_ + ": expected uint16, the bits of bfloat16, given float16");
  ASSERT_TRUE(Array::Full(DType::kBfloat16, {5}, 1).Save(path_).ok());
  EXPECT_EQ(Array::Load(path_)->ToVector<uint16_t>(), std::vector<uint16_t>(5, 0x3F80));
}

TEST_F(NpyTest, PathsThatCannotBeUsedAreNamed) {
  const std::string nowhere = path_ + "/nowhere/x.npy";
  EXPECT_EQ(Array::Load(nowhere).status(), absl::NotFoundError(nowhere + ": cannot be read"));
  EXPECT_EQ(Array::LoadBfloat16(nowhere).status(), absl::NotFoundError(nowhere + ": cannot be read"));
  EXPECT_EQ(Array(DType::kFloat32, {2}).Save(nowhere), absl::DataLossError(nowhere + ": cannot be written"));
  const Array bad(DType::kFloat32, {-1});
  EXPECT_EQ(bad.Save(path_), bad.status());
}

}  // namespace
}  // namespace strandcore
