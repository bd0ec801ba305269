// Reports as JSON, for programs that read them: one object on one line, with the names of the fields of RunReport,
// Fault, Note and Place.
//
//   {"ok":false,"status":"","faults":[{"kind":"race","headline":...,"places":[{"core":0,"phase":"body",...}],...}],...}
//
// Text that is no UTF-8 is written with replacement characters.
//
// Concurrency: pure.
#ifndef STRANDCORE_RUNTIME_SIMULATOR_REPORT_JSON_H_
#define STRANDCORE_RUNTIME_SIMULATOR_REPORT_JSON_H_

#include <string>

#include "runtime/simulator/run_report.h"
#include "runtime/trace/fault.h"
#include "runtime/trace/place.h"

namespace strandcore {

// `cycle` and `step` only in a pipeline; `operand`, `file` and `line` only where they are known.
std::string ToJson(const Place& place);
std::string ToJson(const Fault& fault);
std::string ToJson(const Note& note);
// `status` is "" where nothing was refused; `left_out` has the kinds with a number each; `proved` comes with
// `why_not_proved` where it is false and the checker watched.
std::string ToJson(const RunReport& report);

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_SIMULATOR_REPORT_JSON_H_
