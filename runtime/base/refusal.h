// Refusals: a caller's mistake as an absl::Status that names what was expected and what was given.
//
// Outside a kernel a refusal is returned. Inside one there is no place to return it to, so it is thrown as `Stop`,
// which unwinds the kernel; the run then ends with that status. Users neither throw nor catch `Stop`.
#ifndef STRANDCORE_RUNTIME_BASE_REFUSAL_H_
#define STRANDCORE_RUNTIME_BASE_REFUSAL_H_

#include <exception>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/site.h"

namespace strandcore {

// The refusals that a program may want to tell apart; the names are those of the golden cases.
enum class RefusalKind {
  kOther,
  kBlockNotMultipleOfTile,
  kRankBelow2,
  kNoParallelDimension,
  kOnlyDynamicParallelDimensions,
  kSemanticsRankMismatch,
  kIndexMapRankMismatch,
};

// "block-not-multiple-of-tile", ...; "other" for kOther.
const char* RefusalName(RefusalKind kind);

// An InvalidArgument status with this text that carries its kind.
absl::Status RefusalOf(RefusalKind kind, const std::string& text);

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The kind a status carries; kOther where it carries none.
RefusalKind RefusalKindOf(const absl::Status& status);

// Ends the kernel that throws it, and its run, with `status`.
class Stop : public std::exception {
 public:
  explicit Stop(absl::Status status) : status(std::move(status)), text_(this->status.message()) {}
  const char* what() const noexcept override { return text_.c_str(); }

  absl::Status status;
  Site site;  // the author's line, as far as it is known

 private:
  std::string text_;
};

// check(), of a call that the author made at `site`: a Stop that leaves it says so.
template <typename Check>
decltype(auto) StopAt(Site site, Check&& check) {
  try {
    return check();
  } catch (Stop& stop) {
    if (!stop.site.known()) stop.site = site;
    throw;
  }
}

inline void StopUnlessOk(absl::Status status) {
  if (!status.ok()) throw Stop{std::move(status)};
}

}  // namespace strandcore

#define STRANDCORE_RETURN_IF_ERROR(expression)                                                      \
  do {                                                                                              \
    if (absl::Status returned_status = (expression); !returned_status.ok()) return returned_status; \
  } while (false)

#endif  // STRANDCORE_RUNTIME_BASE_REFUSAL_H_
