// RefFunction: a kernel or a body as one type, whether it takes its refs one by one or as a span.
//
//   void Double(KernelContext& core, Ref x, Ref y);        // two refs
//   [](KernelContext& core, Refs refs) { ... }             // any number
//
// Concurrency: called by many cores at once; a function object with state must allow that.
#ifndef STRANDCORE_RUNTIME_CORE_REF_FUNCTION_H_
#define STRANDCORE_RUNTIME_CORE_REF_FUNCTION_H_

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/base/refusal.h"
#include "runtime/memory/ref.h"

namespace strandcore {

class KernelContext;
using Refs = absl::Span<const Ref>;

class RefFunction {
 public:
  static constexpr int kAnyNumber = -1;
  static constexpr int kMostRefs = 24;

  RefFunction() = default;
  template <typename Function>
  requires(!std::is_same_v<std::decay_t<Function>, RefFunction>)
      RefFunction(Function function) {  // NOLINT: a function is meant to convert
    if constexpr (std::is_invocable_v<Function&, KernelContext&, Refs>) {
      call_ = std::move(function);
    } else {
      Spread<0>(std::move(function));
    }
  }

  explicit operator bool() const { return static_cast<bool>(call_); }
  // How many refs it takes; kAnyNumber for a function of a span.
  int arity() const { return arity_; }
  // Refuses a number of refs that it does not take; `what` begins the message: "body".
  absl::Status CheckArity(const char* what, size_t given) const {
    if (arity_ == kAnyNumber || static_cast<size_t>(arity_) == given) return absl::OkStatus();
    return Refuse(what, ": it takes ", arity_, " refs, given ", given);
  }
  // REQUIRES: CheckArity accepts refs.size().
  void operator()(KernelContext& core, Refs refs) const { call_(core, refs); }

 private:
  template <size_t>
  using RefAt = const Ref&;

  template <int kArity, typename Function>
  void Spread(Function function) {
    static_assert(kArity <= kMostRefs, "a kernel or body takes (KernelContext&, Ref, ...) or (KernelContext&, Refs)");
    [&]<size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::is_invocable_v<Function&, KernelContext&, RefAt<I>...>) {
        arity_ = kArity;
        if constexpr (std::is_constructible_v<bool, Function&> && std::is_assignable_v<Function&, std::nullptr_t>) {
          if (!static_cast<bool>(function)) return;  // a null pointer, an empty std::function
        }
        call_ = [function = std::move(function)](KernelContext& core, [[maybe_unused]] Refs refs) mutable {
          function(core, refs[I]...);
        };
      } else {
        Spread<kArity + 1>(std::move(function));
      }
    }
    (std::make_index_sequence<static_cast<size_t>(kArity)>());
  }

  std::function<void(KernelContext&, Refs)> call_;
  int arity_ = kAnyNumber;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CORE_REF_FUNCTION_H_
