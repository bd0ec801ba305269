#include "tests/bench/resident.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/bench/ratios.h"

namespace strandcore::bench {
namespace {

// VmHWM of this process; -1 if the system does not tell.
int64_t PeakOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes;
  }
  return -1;
}

}  // namespace

int64_t PeakKibibytesOf(const std::function<void()>& work) {
  int ends[2];
  Require(pipe(ends) == 0, "resident size: no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  Require(child >= 0, "resident size: no child process");
  if (child == 0) {
    work();
    const int64_t peak = PeakOfThisProcess();
    _exit(write(ends[1], &peak, sizeof(peak)) == sizeof(peak) ? 0 : 1);
  }
  int64_t peak = -1;
  close(ends[1]);
  const bool told = read(ends[0], &peak, sizeof(peak)) == sizeof(peak);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Require(told && peak > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "resident size: the child failed");
  return peak;
}

}  // namespace strandcore::bench
