// The prototype is one file with a main; it is included here unchanged, its main as a function that nobody calls.
#include "tests/bench/baseline_rows.h"

#define main static HotPathMain
#include "tests/bench/baseline/hot_path.cc"
#undef main

#include <future>

namespace strandcore::bench {
namespace {

constexpr int kEngines = 2;  // one a direction, as a core of ours has by default

using FastestShape = Rt<Concrete, kDeferredTok, kHelpDirect, false>;

// A stack that is never given back: what a pool of them does.
struct OneStack {
  std::vector<char>* bytes;
  ctx::stack_context allocate() {
    ctx::stack_context context;
    context.size = bytes->size();
    context.sp = bytes->data() + bytes->size();
    return context;
  }
  void deallocate(ctx::stack_context&) {}
};

double NanosecondsEach(Clock::time_point begin, int times) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / times;
}

}  // namespace

double TwoMemcpyTile(int tiles, size_t bytes) {
  kBytes = bytes;
  return Floor(0, 0, tiles);
}

double NaiveChannelsTile(int threads, int tiles, size_t bytes) {
  kBytes = bytes;
  return chan::Run(threads, kEngines, tiles);
}

double FastestShapeTile(int threads, int tiles, size_t bytes) {
  kBytes = bytes;
  return FastestShape::Run(threads, kEngines, tiles);
}

double PoolRoundTrip(int threads, int times) {
  Pool pool(static_cast<size_t>(threads));
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) {
    std::promise<void> done;
    asio::post(pool, [&done] { done.set_value(); });
    done.get_future().wait();
  }
  return NanosecondsEach(begin, times);
}

double FiberRoundTrip(int times) {
  std::vector<char> stack(64 * 1024);
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) {
    ctx::fiber fiber(std::allocator_arg, OneStack{&stack}, [](ctx::fiber&& host) { return std::move(host); });
    fiber = std::move(fiber).resume();
  }
  return NanosecondsEach(begin, times);
}

}  // namespace strandcore::bench
