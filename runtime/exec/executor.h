// Executor: runs the agents of the emulated machine, one step at a time each.
//
// An Agent is whatever can run by itself: a TensorCore, a DMA engine, a transfer. It belongs to a Strand; steps of
// agents of one strand never overlap. Posting an agent makes it ready; its step runs once for each post. Who posts an
// agent that is already posted breaks the contract: an agent posts itself, or is posted by the one who found it
// parked.
//
// Two backends so far: `ThreadsExecutor` (real concurrency; each Strand is an Asio strand on a pool of threads) and
// `DeterministicExecutor` (one thread; a PickPolicy picks each step).
//
// Ownership: strands are owned by who made them and must not outlive their executor.
// Concurrency: Strand::Post is self-synchronised. RunUntilQuiet is called by one thread at a time.
#ifndef STRANDCORE_RUNTIME_EXEC_EXECUTOR_H_
#define STRANDCORE_RUNTIME_EXEC_EXECUTOR_H_

#include <cstdint>
#include <memory>

namespace strandcore {

class Agent {
 public:
  enum class Kind : uint8_t { kCore, kEngine, kTransfer };

  Agent(Kind kind, int64_t rank) : kind_(kind), rank_(rank) {}
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Runs until the next point at which another agent may have its turn.
  virtual void Step() = 0;
  // Of a transfer: whether a core is blocked on the semaphore that this one will pay.
  virtual bool IsAwaited() const { return false; }
  // Of a core: it gave its turn away (a delay, a poll), so others come first where there is a choice.
  virtual bool IsYielding() const { return false; }

  Kind kind() const { return kind_; }
  // Cores: their number. Transfers: the order in which they were started.
  int64_t rank() const { return rank_; }

 protected:
  ~Agent() = default;
  void set_rank(int64_t rank) { rank_ = rank; }

 private:
  const Kind kind_;
  int64_t rank_;
};

class Strand {
 public:
  virtual ~Strand() = default;
  virtual void Post(Agent& agent) = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::unique_ptr<Strand> MakeStrand() = 0;
  // Before a run: a backend that makes choices makes the same ones again.
  virtual void Restart() {}
  // Returns when no agent is posted or running: all have ended, or nothing can run any more.
  virtual void RunUntilQuiet() = 0;
  // True: each transfer is an agent of its own and is posted by itself, so that any order of completion can happen.
  // False: transfers queue at their engine, which is the agent.
  virtual bool PicksTransfers() const = 0;
  // Requests that a core may serve, and chunks that an engine may copy, before it lets others have the thread.
  virtual int StepsPerTurn() const = 0;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_EXEC_EXECUTOR_H_
