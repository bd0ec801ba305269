#!/usr/bin/env bash
# Runs all benchmarks and prints one table, the targets beside the figures.
#
#   bash tests/bench/table.sh                        from build/release
#   bash tests/bench/table.sh /tmp/build             from another build
#   bash tests/bench/table.sh build/release --brief  only to see that all start
#
# In a name, the number behind a mode is that of threads. A figure is a median in nanoseconds; "quiet" is the ratio of
# the tenth percentiles, for a busy machine. The last column, of lines that need two threads, is how many processors
# were free in that benchmark's own run: below 1.8 a missed target says nothing ("void").
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ $# -eq 0 ] || shift

printf '%-66s %8s %8s %6s %6s  %-8s %-7s %s\n' "figure / baseline" figure baseline ratio quiet target verdict processors
for name in pipeline_bench dma_bench matmul_bench cores_bench launch_bench check_bench; do
  printf -- '-- %s\n' "$name"
  "$build/tests/$name" --table "$@"
done
