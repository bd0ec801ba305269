#include "runtime/exec/pick_policy.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/exec/pick_policies.h"

namespace strandcore {

absl::StatusOr<Policy> Policy::FromName(const std::string& name, uint64_t seed) {
  if (name == "eager") return Eager();
  if (name == "on_wait") return OnWait();
  if (name == "in_order") return InOrder();
  if (name == "random") return Random(seed);
  return absl::InvalidArgumentError(
      absl::StrCat("policy: expected eager, on_wait, in_order or random, given \"", name, "\""));
}

std::string Policy::ToString() const {
  switch (kind) {
    case Kind::kEager:
      return "eager";
    case Kind::kOnWait:
      return "on_wait";
    case Kind::kInOrder:
      return "in_order";
    case Kind::kRandom:
      return absl::StrCat("random(", seed, ")");
  }
  return "unknown";
}

std::unique_ptr<PickPolicy> MakePickPolicy(const Policy& policy) {
  switch (policy.kind) {
    case Policy::Kind::kEager:
      return std::make_unique<EagerPolicy>();
    case Policy::Kind::kOnWait:
      return std::make_unique<OnWaitPolicy>();
    case Policy::Kind::kInOrder:
      return std::make_unique<InOrderPolicy>();
    case Policy::Kind::kRandom:
      return std::make_unique<RandomPolicy>(policy.seed);
  }
  STRANDCORE_CHECK(false && "a policy without a class");
  return nullptr;
}

}  // namespace strandcore
