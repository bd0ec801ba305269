// Add: z = x + y (float32). Shows the smallest pipeline of two inputs and one output.
//
// How to read it. The body is a plain function of three windows. By the time it is called the two inputs have arrived
// in VMEM; what it writes travels out while later steps run. It starts no copy and waits for none. `Read` and `Write`
// give Eigen arrays over the window and say what the body does with it.
//
// A pipeline is a kernel by itself, since a launch calls it as one:
//
//   simulator.Run(*AddPipeline({.shape = {512, 512}, .block = {128, 128}}), {In("x", x), In("y", y), Out("z", z)});
#ifndef STRANDCORE_KERNELS_ADD_H_
#define STRANDCORE_KERNELS_ADD_H_

#include "absl/status/statusor.h"
#include "kernels/elementwise.h"
#include "runtime/strandcore.h"

namespace strandcore {

void AddBody(KernelContext& core, Ref x, Ref y, Ref z);

absl::StatusOr<Pipeline> AddPipeline(const ElementwiseShape& shape);

}  // namespace strandcore

#endif  // STRANDCORE_KERNELS_ADD_H_
