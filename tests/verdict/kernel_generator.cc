#include "tests/verdict/kernel_generator.h"

#include <algorithm>
#include <initializer_list>
#include <random>

namespace strandcore {
namespace {

using Statement = KernelProgram::Statement;
using Kind = Statement::Kind;
using View = KernelProgram::View;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    program_.name = "kernel-" + std::to_string(seed);
    program_.element = static_cast<KernelProgram::Element>(Below(3));
    cores_ = OneOf({1, 1, 2, 2, 3, 3});
    program_.cores.resize(static_cast<size_t>(cores_));
    for (int i = 1 + Below(2); i > 0; --i) AddMemory(-1, false);
    for (int core = 0; core < cores_; ++core) {
      if (Chance(60)) AddMemory(core, false);
      program_.semaphores.push_back({core, true});
      if (Chance(40)) program_.semaphores.push_back({core, true});
      if (cores_ > 1 || Chance(20)) program_.semaphores.push_back({core, false});
    }
    held_.resize(program_.semaphores.size(), 0);
    last_.resize(program_.semaphores.size(), 0);
    wait_percent_ = OneOf({40, 60, 80});
    access_percent_ = OneOf({20, 40});
    remote_percent_ = OneOf({0, 40, 70});
    alike_percent_ = OneOf({20, 60});
    if (cores_ > 1 && Chance(60)) {
      // One core is paid by all others, in like amounts: then it matters who paid for a wait.
      busy_ = Below(cores_);
      same_shape_ = Chance(70);
      remote_percent_ = OneOf({20, 80});
      access_percent_ = 60;
    }
  }

  KernelProgram Make(int steps) {
    for (steps = steps == 0 ? OneOf({2, 3, 4, 5, 6}) : steps; steps > 0; --steps) {
      const int core = Below(cores_);
      if (busy_ >= 0 && Chance(35)) {
        AddContest();
      } else {
        Add(core, program_.cores[static_cast<size_t>(core)], Place());
      }
    }
    if (Chance(80)) WaitForTheRest();
    for (int core = 0; core < cores_; ++core) {
      if (Chance(access_percent_)) program_.cores[static_cast<size_t>(core)].push_back(AnyAccess(core, Place()));
    }
    return std::move(program_);
  }

 private:
  // What surrounds a statement.
  struct Place {
    int turns = 1;            // of the innermost loop
    int64_t repeats = 1;      // how often it is carried out in all
    int depth = 0;            // of scopes and loops
    std::vector<int> scoped;  // memory of the scopes around
  };
  using Body = std::vector<Statement>;

  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool Chance(int percent) { return Below(100) < percent; }
  int OneOf(std::initializer_list<int> values) { return values.begin()[Below(static_cast<int>(values.size()))]; }
  int64_t& HeldBy(int semaphore) { return held_[static_cast<size_t>(semaphore)]; }
  int64_t& LastOn(int semaphore) { return last_[static_cast<size_t>(semaphore)]; }

  int AddMemory(int owner, bool scoped) {
    static const std::vector<std::vector<int>> kShapes = {{4, 16}, {8, 8}, {2, 4, 8}, {16, 4}, {64}};
    program_.memories.push_back({kShapes[static_cast<size_t>(Below(static_cast<int>(kShapes.size())))], owner, scoped});
    return static_cast<int>(program_.memories.size()) - 1;
  }

  // What `core` can touch: HBM, its own memory, and that of the scopes around; the smaller scopes more often.
  int AnyMemory(int core, const Place& place) {
    std::vector<int> all;
    for (int m = 0; m < static_cast<int>(program_.memories.size()); ++m) {
      const auto& memory = program_.memories[static_cast<size_t>(m)];
      if (!memory.scoped && (memory.owner < 0 || memory.owner == core)) all.push_back(m);
    }
    for (const int m : place.scoped) all.insert(all.end(), 2, m);
    return all[static_cast<size_t>(Below(static_cast<int>(all.size())))];
  }
  // What a copy to another core can fill: memory that lasts as long as the kernels do.
  int AnyLastingMemory() {
    std::vector<int> all;
    for (int m = 0; m < static_cast<int>(program_.memories.size()); ++m) {
      if (!program_.memories[static_cast<size_t>(m)].scoped) all.push_back(m);
    }
    return all[static_cast<size_t>(Below(static_cast<int>(all.size())))];
  }
  int SemaphoreOf(int owner, bool dma) {
    if (owner < 0 && busy_ >= 0 && Chance(85)) owner = busy_;
    std::vector<int> all;
    for (int s = 0; s < static_cast<int>(program_.semaphores.size()); ++s) {
      const auto& semaphore = program_.semaphores[static_cast<size_t>(s)];
      if ((owner < 0 || semaphore.owner == owner) && semaphore.dma == dma) all.push_back(s);
    }
    return all.empty() ? -1 : all[static_cast<size_t>(Below(static_cast<int>(all.size())))];
  }

  // Views whose shape, without what is squeezed, is `shape`.
  View ViewOf(int memory, std::vector<int> shape, const Place& place) {
    const std::vector<int>& sizes = program_.memories[static_cast<size_t>(memory)].shape;
    View view{memory, {}};
    // The first dimensions that the shape does not need are squeezed, or any where that leaves room.
    int spare = static_cast<int>(sizes.size() - shape.size());
    size_t next = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool fits = next < shape.size() && shape[next] <= sizes[d];
      const bool rest_fits = static_cast<size_t>(spare) + (shape.size() - next) == sizes.size() - d;
      const bool squeezed = spare > 0 && rest_fits && (!fits || Chance(50));
      spare -= squeezed ? 1 : 0;
      view.slices.push_back(SliceOf(sizes[d], squeezed ? 1 : shape[next], squeezed, place));
      next += squeezed ? 0 : 1;
    }
    return view;
  }
  bool Fits(int memory, const std::vector<int>& shape) const {
    const std::vector<int>& sizes = program_.memories[static_cast<size_t>(memory)].shape;
    if (shape.size() > sizes.size()) return false;
    // From the back: dimensions in front are squeezed, or whole.
    return std::all_of(shape.begin(), shape.end(),
                       [&](int size) { return size <= *std::min_element(sizes.begin(), sizes.end()); });
  }
  KernelProgram::Slice SliceOf(int extent, int size, bool squeezed, const Place& place) {
    KernelProgram::Slice slice;
    slice.size = size;
    slice.squeezed = squeezed;
    if (size > 1 && Chance(25) && 2 * (size - 1) + 1 <= extent) slice.step = 2;
    const int room = extent - ((size - 1) * slice.step + 1);
    if (place.turns > 1 && room > 0 && Chance(50))
      slice.per_turn = std::min(OneOf({1, size}), room / (place.turns - 1));
    const int starts = room - slice.per_turn * (place.turns - 1) + 1;
    // Often at the same place, so that views meet.
    slice.start = Chance(alike_percent_) ? 0 : Below(starts);
    return slice;
  }
  std::vector<int> AnyShape(int memory) {
    const std::vector<int>& sizes = program_.memories[static_cast<size_t>(memory)].shape;
    if (same_shape_) return {2};
    std::vector<int> shape;
    const size_t rank = sizes.size() > 1 && Chance(30) ? sizes.size() - 1 : sizes.size();
    for (size_t d = 0; d < rank; ++d) shape.push_back(OneOf({1, 2, 2, 4}));
    while (!Fits(memory, shape)) *std::max_element(shape.begin(), shape.end()) /= 2;
    return shape;
  }

  Statement AnyAccess(int core, const Place& place) {
    Statement access;
    access.kind = static_cast<Kind>(Below(3));
    const int memory = AnyMemory(core, place);
    access.view = ViewOf(memory, AnyShape(memory), place);
    return access;
  }

  void Add(int core, Body& body, const Place& place) {
    const int kind = Below(100);
    if (place.depth < 2 && kind < 18) return AddScope(core, body, place);
    if (place.depth < 2 && kind < 30 && place.turns == 1) return AddLoop(core, body, place);
    if (kind < 60 || !AddPost(body, place)) AddCopy(core, body, place);
    if (Chance(access_percent_)) body.push_back(AnyAccess(core, place));
    if (Chance(wait_percent_)) AddWait(AnyWaiter(core), core, body, place);
    if (Chance(access_percent_)) body.push_back(AnyAccess(core, place));
  }

  // Several posts on one semaphore, alike, and a wait for one of them: any may have paid.
  void AddContest() {
    const bool dma = Chance(50);
    const int semaphore = SemaphoreOf(busy_, dma);
    if (semaphore < 0) return;
    for (int i = OneOf({2, 2, 3}); i > 0; --i) {
      const int core = Below(cores_);
      Body& body = program_.cores[static_cast<size_t>(core)];
      if (Chance(access_percent_)) body.push_back(AnyAccess(core, Place()));
      if (dma) {
        AddCopy(core, body, Place(), semaphore);
      } else {
        AddPost(body, Place(), semaphore);
      }
    }
    AddWaitOn(semaphore, LastOn(semaphore), program_.cores[static_cast<size_t>(busy_)]);
  }
  void AddWaitOn(int semaphore, int64_t units, Body& body) {
    Statement wait;
    wait.kind = Kind::kWait;
    wait.semaphore = semaphore;
    wait.units = units;
    HeldBy(semaphore) -= units;
    body.push_back(wait);
    body.push_back(AnyAccess(busy_, Place()));
  }

  int AnyWaiter(int core) {
    if (busy_ >= 0 && Chance(50)) return busy_;
    return Chance(70) ? core : Below(cores_);
  }

  void AddScope(int core, Body& body, Place place) {
    Statement scope;
    scope.kind = Kind::kScope;
    ++place.depth;
    for (int i = OneOf({1, 1, 2}); i > 0; --i) {
      scope.memories.push_back(AddMemory(core, true));
      place.scoped.push_back(scope.memories.back());
    }
    for (int i = OneOf({1, 2}); i > 0; --i) Add(core, scope.body, place);
    body.push_back(std::move(scope));
  }

  void AddLoop(int core, Body& body, Place place) {
    Statement loop;
    loop.kind = Kind::kLoop;
    loop.turns = OneOf({2, 2, 3});
    ++place.depth;
    place.turns = loop.turns;
    place.repeats *= loop.turns;
    Add(core, loop.body, place);
    body.push_back(std::move(loop));
  }

  // With `receive` a remote one that pays it.
  void AddCopy(int core, Body& body, const Place& place, int receive = -1) {
    Statement copy;
    copy.kind = Kind::kCopy;
    const bool remote = receive >= 0 || Chance(remote_percent_);
    const int source = AnyMemory(core, place);
    const int target = remote ? AnyLastingMemory() : AnyMemory(core, place);
    std::vector<int> shape = AnyShape(source);
    while (!Fits(target, shape)) {
      if (shape.size() > program_.memories[static_cast<size_t>(target)].shape.size()) {
        shape.pop_back();
      } else {
        *std::max_element(shape.begin(), shape.end()) /= 2;
      }
    }
    copy.view = ViewOf(source, shape, place);
    copy.target = ViewOf(target, shape, place);
    if (source == target && MayOverlap(copy, place.turns)) copy.target = copy.view;
    copy.semaphore = SemaphoreOf(core, true);
    const int64_t bytes = CountOf(copy.view) * program_.bytes_of_element();
    HeldBy(copy.semaphore) += bytes * place.repeats;
    LastOn(copy.semaphore) = bytes;
    if (remote) {
      copy.receive = receive >= 0 ? receive : Chance(15) ? copy.semaphore : SemaphoreOf(-1, true);
      HeldBy(copy.receive) += bytes * place.repeats;
      LastOn(copy.receive) = bytes;
    }
    body.push_back(copy);
  }
  // Then it copies a part onto itself: to copy a part onto another that it overlaps has no meaning.
  bool MayOverlap(const Statement& copy, int turns) const {
    for (int turn = 0; turn < turns; ++turn) {
      if ((ElementsOf(program_, copy.view, turn) & ElementsOf(program_, copy.target, turn)) != 0) return true;
    }
    return false;
  }

  bool AddPost(Body& body, const Place& place, int semaphore = -1) {
    Statement signal;
    signal.kind = Kind::kSignal;
    signal.semaphore = semaphore >= 0 ? semaphore : SemaphoreOf(-1, false);
    if (signal.semaphore < 0) return false;
    signal.units = busy_ >= 0 ? 1 : OneOf({1, 1, 1, 2});
    HeldBy(signal.semaphore) += signal.units * place.repeats;
    LastOn(signal.semaphore) = signal.units;
    body.push_back(signal);
    return true;
  }

  // A wait of `waiter` that may go through at this place; now and then one that may not.
  void AddWait(int waiter, int core, Body& body, const Place& place) {
    const int semaphore = SemaphoreOf(waiter, Chance(60));
    if (semaphore < 0) return;
    Body& into = waiter == core ? body : program_.cores[static_cast<size_t>(waiter)];
    const int64_t repeats = waiter == core ? place.repeats : 1;
    const int64_t held = HeldBy(semaphore) / repeats;
    if (held == 0 && !Chance(5)) return;
    Statement wait;
    wait.kind = Kind::kWait;
    wait.semaphore = semaphore;
    // What was posted last, all of it, or some part.
    const int64_t most = std::max<int64_t>(held, 1);
    const int64_t last = std::clamp<int64_t>(LastOn(semaphore), 1, most);
    wait.units = Chance(60) ? last : Chance(50) ? most : std::max<int64_t>(1, most / 2);
    if (!program_.semaphores[static_cast<size_t>(semaphore)].dma && Chance(20)) {
      wait.kind = Kind::kPeek;
    } else {
      HeldBy(semaphore) = std::max<int64_t>(0, HeldBy(semaphore) - wait.units * repeats);
    }
    into.push_back(wait);
    if (waiter == busy_ && busy_ != core && Chance(access_percent_)) into.push_back(AnyAccess(waiter, Place()));
  }

  void WaitForTheRest() {
    for (int s = 0; s < static_cast<int>(held_.size()); ++s) {
      if (HeldBy(s) == 0) continue;
      const int core = program_.semaphores[static_cast<size_t>(s)].owner;
      Body& body = program_.cores[static_cast<size_t>(core)];
      Statement wait;
      wait.kind = Kind::kWait;
      wait.semaphore = s;
      wait.units = HeldBy(s);
      body.push_back(wait);
      if (Chance(40)) body.push_back(AnyAccess(core, Place()));
    }
  }

  std::mt19937_64 random_;
  KernelProgram program_;
  int cores_ = 1;
  std::vector<int64_t> held_;  // by semaphore, as if statements were carried out in the order of making
  std::vector<int64_t> last_;  // units posted last
  int busy_ = -1;
  bool same_shape_ = false;
  int wait_percent_ = 0;
  int access_percent_ = 0;
  int remote_percent_ = 0;
  int alike_percent_ = 0;
};

}  // namespace

KernelProgram GenerateKernel(uint64_t seed, int steps) { return Generator(seed).Make(steps); }

}  // namespace strandcore
