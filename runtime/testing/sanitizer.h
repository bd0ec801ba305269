// Which sanitizer a test is built with: STRANDCORE_SANITIZED with any of them.
#ifndef STRANDCORE_RUNTIME_TESTING_SANITIZER_H_
#define STRANDCORE_RUNTIME_TESTING_SANITIZER_H_

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRANDCORE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STRANDCORE_SANITIZED 1
#endif
#endif

namespace strandcore::testing {

#ifdef STRANDCORE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
// How often a test repeats what a sanitizer makes slow.
constexpr int Times(int usual, int sanitized) { return kSanitized ? sanitized : usual; }

}  // namespace strandcore::testing

#endif  // STRANDCORE_RUNTIME_TESTING_SANITIZER_H_
