// UninitialisedReads: the uses of undefined elements in a launch: one fault a line of the author's, memory and reason,
// with how often it was found. Shown is the first of the lowest core, in its program order, whatever the order in which
// cores ran.
//
// Concurrency: self-synchronised; a program without such uses never comes here.
#ifndef STRANDCORE_RUNTIME_CHECK_UNINITIALISED_READS_H_
#define STRANDCORE_RUNTIME_CHECK_UNINITIALISED_READS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/check/definedness.h"
#include "runtime/check/region.h"
#include "runtime/trace/fault.h"
#include "runtime/trace/monitor.h"

namespace strandcore {

class UninitialisedReads {
 public:
  // `core` reads `read`, the smallest region around what it reads, of `memory`, which has these holes there. `array`:
  // all of that memory without padding.
  void Add(int32_t core, const Stamp& stamp, const std::string& memory, const Region& array, const Region& read,
           const std::vector<Hole>& holes);
  // The host gets `memory` with these holes.
  void AddHandedOver(const std::string& memory, const Region& array, const std::vector<Hole>& holes);

  // By their places in the source, then what the host gets; after the run.
  std::vector<Fault> TakeFaults();

 private:
  struct Found {
    int32_t core = 0;
    Fault fault;
  };

  std::mutex mutex_;
  // Under mutex_.
  std::map<std::string, Found> reads_;  // by line, memory and reason
  std::vector<Fault> handed_over_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CHECK_UNINITIALISED_READS_H_
