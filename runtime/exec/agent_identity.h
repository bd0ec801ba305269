// AgentIdentity: how ThreadSanitizer sees an agent of the emulated program (a kernel, a transfer).
//
// A strand-and-pool emulator hides its user's races from the sanitizer: posting work makes order that the emulated
// program does not have. So each agent is a sanitizer fiber of its own, which never inherits the order of the host's
// threads; order is declared by SC_ACQUIRE and SC_RELEASE exactly where the emulated program has it. In builds
// without ThreadSanitizer all of this is nothing.
//
//   host:   SC_IGNORE_BEGIN(); host = CurrentIdentity(); SC_SWITCH(agent); ...enter the kernel's stack...
//           SC_SWITCH(host); SC_IGNORE_END();
//   kernel: SC_RELEASE(trap token); SC_IGNORE_BEGIN(); ...hand over the request, switch stacks...; SC_IGNORE_END();
//
// The kernel's side switches no identity, so the sanitizer's shadow call stacks stay balanced; that is also why
// SC_SWITCH is a macro (a function would push its frame on one shadow stack and pop it from another). Between
// SC_IGNORE_BEGIN and SC_IGNORE_END reads and writes are not seen: there runtime state is touched under an agent's
// identity.
//
// Ownership: an identity belongs to one agent at a time and outlives every switch to it.
// Concurrency: self-synchronised; an identity is current on one thread at a time.
#ifndef STRANDCORE_RUNTIME_EXEC_AGENT_IDENTITY_H_
#define STRANDCORE_RUNTIME_EXEC_AGENT_IDENTITY_H_

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRANDCORE_TSAN 1
#endif
#endif

#ifdef STRANDCORE_TSAN
#include <sanitizer/tsan_interface.h>

// The sanitizer's own functions under names of ours: Abseil declares them too, as if they took a lock.
extern "C" {
void ScIgnoreReadsBegin(const char* file, int line) __asm__("AnnotateIgnoreReadsBegin");
void ScIgnoreReadsEnd(const char* file, int line) __asm__("AnnotateIgnoreReadsEnd");
void ScIgnoreWritesBegin(const char* file, int line) __asm__("AnnotateIgnoreWritesBegin");
void ScIgnoreWritesEnd(const char* file, int line) __asm__("AnnotateIgnoreWritesEnd");
}

#define SC_SWITCH(identity) __tsan_switch_to_fiber((identity), __tsan_switch_to_fiber_no_sync)
// Of a function that runs under an agent's identity but touches runtime state: only the memory functions it calls
// are seen.
#define SC_UNSEEN __attribute__((no_sanitize("thread")))
#define SC_ACQUIRE(token) __tsan_acquire(token)
#define SC_RELEASE(token) __tsan_release(token)
#define SC_IGNORE_BEGIN() (ScIgnoreReadsBegin(__FILE__, __LINE__), ScIgnoreWritesBegin(__FILE__, __LINE__))
#define SC_IGNORE_END() (ScIgnoreWritesEnd(__FILE__, __LINE__), ScIgnoreReadsEnd(__FILE__, __LINE__))
#else
#define SC_UNSEEN
#define SC_SWITCH(identity) static_cast<void>(identity)
#define SC_ACQUIRE(token) static_cast<void>(token)
#define SC_RELEASE(token) static_cast<void>(token)
#define SC_IGNORE_BEGIN() static_cast<void>(0)
#define SC_IGNORE_END() static_cast<void>(0)
#endif

namespace strandcore {

// The address of a token stands for what happened before the releases made on it.
struct OrderToken {
  char unused = 0;
};

#ifdef STRANDCORE_TSAN

inline void* CurrentIdentity() { return __tsan_get_current_fiber(); }

class AgentIdentity {
 public:
  AgentIdentity();
  ~AgentIdentity();
  AgentIdentity(const AgentIdentity&) = delete;
  AgentIdentity& operator=(const AgentIdentity&) = delete;
  void* get() const { return identity_; }
  // Becomes a fresh identity, ordered after nothing.
  void Renew();

 private:
  void* identity_;
};

#else

inline void* CurrentIdentity() { return nullptr; }

class AgentIdentity {
 public:
  AgentIdentity() = default;
  AgentIdentity(const AgentIdentity&) = delete;
  AgentIdentity& operator=(const AgentIdentity&) = delete;
  void* get() const { return nullptr; }
  void Renew() {}
};

#endif

// Runtime objects that a kernel reads later (a new allocation, say) are made inside such a scope by the host.
class HiddenFromSanitizer {
 public:
  HiddenFromSanitizer() { SC_IGNORE_BEGIN(); }
  ~HiddenFromSanitizer() { SC_IGNORE_END(); }
  HiddenFromSanitizer(const HiddenFromSanitizer&) = delete;
  HiddenFromSanitizer& operator=(const HiddenFromSanitizer&) = delete;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_AGENT_IDENTITY_H_
