#include "runtime/memory/masked_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/memory/allocation.h"
#include "runtime/memory/footprint.h"

namespace strandcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MaskedPartsTest : public testing::Test {
 protected:
  Ref ViewOf(const Dims& shape) {
    AllocationOptions options;
    options.space = MemorySpace::kSmem;
    options.dtype = DType::kInt32;
    options.shape = shape;
    allocation_ = *Allocation::Make(options);
    return Ref(allocation_.get());
  }
  // "(first element's coordinates) (shape)" of each.
  static std::vector<std::string> PartsOf(const Ref& ref, const std::string& mask) {
    const auto bits = std::make_unique<bool[]>(mask.size());
    for (size_t i = 0; i < mask.size(); ++i) bits[i] = mask[i] == 'x';
    std::vector<std::string> parts;
    ForEachMaskedPart(ref, bits.get(), [&](const Ref& part) {
      parts.push_back(BaseStarts(part).ToString() + " " + part.shape().ToString());
    });
    return parts;
  }
  std::unique_ptr<Allocation> allocation_;
};

TEST_F(MaskedPartsTest, AllOrNothing) {
  EXPECT_THAT(PartsOf(ViewOf({2, 3}), "xxxxxx"), ElementsAre("(0, 0) (2, 3)"));
  EXPECT_THAT(PartsOf(ViewOf({2, 3}), "......"), IsEmpty());
  EXPECT_THAT(PartsOf(ViewOf({}), "x"), ElementsAre("() ()"));
  EXPECT_THAT(PartsOf(ViewOf({}), "."), IsEmpty());
}

TEST_F(MaskedPartsTest, RowsWithTheSameRunsAreOnePart) {
  EXPECT_THAT(PartsOf(ViewOf({4, 4}),
                      "xx.x"
                      "xx.x"
                      "...."
                      "xx.x"),
              ElementsAre("(0, 0) (2, 2)", "(0, 3) (2, 1)", "(3, 0) (1, 2)", "(3, 3) (1, 1)"));
  EXPECT_THAT(PartsOf(ViewOf({5}), ".xx.x"), ElementsAre("(1,) (2,)", "(4,) (1,)"));
}

TEST_F(MaskedPartsTest, APartLiesWithinOneMatrix) {
  EXPECT_THAT(PartsOf(ViewOf({2, 2, 2}), "x.x.x.x."), ElementsAre("(0, 0, 0) (1, 2, 1)", "(1, 0, 0) (1, 2, 1)"));
}

TEST_F(MaskedPartsTest, OfAnyViewTheyAreWhatTheMaskTakes) {
  std::mt19937_64 random(11);
  const Ref whole = ViewOf({3, 4, 10});
  const Ref views[] = {whole, whole.At(All(), 2), whole.At(1, All(), Ds(1, 4, 2)).Transpose({1, 0}),
                       whole.Reshape({6, 2, 10}), whole.At(Ds(0, 2, 2), Ds(0, 2, 3))};
  for (int round = 0; round < 500; ++round) {
    const Ref& view = views[random() % 5];
    const size_t elements = static_cast<size_t>(view.elements());
    const auto mask = std::make_unique<bool[]>(elements);
    std::vector<int> expected(120, 0), found(120, 0);
    const uint64_t one_in = 1 + random() % 5;
    auto count = [](const Ref& ref, std::vector<int>& counts, const bool* taken) {
      for (int64_t flat = 0; flat < ref.elements(); ++flat) {
        int64_t rest = flat, offset = ref.offset();
        for (int d = ref.rank() - 1; d >= 0; rest /= ref.shape()[d--])
          offset += rest % ref.shape()[d] * ref.strides()[d];
        if (taken == nullptr || taken[flat]) ++counts[static_cast<size_t>(offset)];
      }
    };
    for (size_t i = 0; i < elements; ++i) mask[i] = random() % one_in == 0;
    count(view, expected, mask.get());
    ForEachMaskedPart(view, mask.get(), [&](const Ref& part) { count(part, found, nullptr); });
    ASSERT_EQ(found, expected) << round;
  }
}

}  // namespace
}  // namespace strandcore
