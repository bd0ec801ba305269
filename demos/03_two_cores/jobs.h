// The two kernels of the main job with their arrays, in any size: the demo runs them large, tests/kernels small.
//
//   multiply   z = x * y, grid (4, 4), the second dimension split over the cores
//   matmul     z = x y,   grid (4, 4, 4), the first dimension split over the cores
#ifndef STRANDCORE_DEMOS_03_TWO_CORES_JOBS_H_
#define STRANDCORE_DEMOS_03_TWO_CORES_JOBS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/strandcore.h"

namespace strandcore {

struct Job {
  std::string name;
  Array x;
  Array y;
  Array expected;  // z by a plain loop over the arrays; whole numbers, so that no order of adding changes them
  std::function<RefFunction(const Schedule&)> kernel;
  // What a pipeline that fetches a block when it changes, and only then, must move.
  int64_t copies_of_x = 0;
  int64_t copies_of_y = 0;
  int64_t copies_of_z = 0;
};

// Arrays of (4 block, 4 block), cut into square blocks.
Job MultiplyJob(int64_t block);
Job MatmulJob(int64_t block);

struct JobRun {
  RunReport report;
  bool right = false;  // ok, z is as expected, and each operand was copied as often as it must be
};
JobRun RunJob(Simulator& simulator, const Job& job, const Schedule& schedule);

}  // namespace strandcore

#endif  // STRANDCORE_DEMOS_03_TWO_CORES_JOBS_H_
