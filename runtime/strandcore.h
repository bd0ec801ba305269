// Strandcore: runs Pallas-style TPU pipelines on a CPU with real concurrency. The one header users include.
#ifndef STRANDCORE_RUNTIME_STRANDCORE_H_
#define STRANDCORE_RUNTIME_STRANDCORE_H_

// IWYU pragma: begin_exports
#include "runtime/core/async_copy.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/scope.h"
#include "runtime/memory/array.h"
#include "runtime/memory/dtype.h"
#include "runtime/memory/ref.h"
#include "runtime/memory/window.h"
#include "runtime/pipeline/emit_pipeline.h"
#include "runtime/simulator/operand.h"
#include "runtime/simulator/report_json.h"
#include "runtime/simulator/run_report.h"
#include "runtime/simulator/simulator.h"
#include "runtime/trace/event.h"
#include "runtime/trace/recorder.h"
// IWYU pragma: end_exports

#endif  // STRANDCORE_RUNTIME_STRANDCORE_H_
