#!/usr/bin/env bash
# Builds and tests everything, from a bare Debian 12 with g++, cmake and git.
#
#   bash tests/run.sh                  release, tsan, asan, format; ends with the line "N passed, N failed"
#   bash tests/run.sh release format   only these
#   bash tests/run.sh long             only the tests labelled long, in release
set -uo pipefail
cd "$(dirname "$0")/.."
source tests/packages.sh

passed=0
failed=0
trouble=  # what failed, told once more at the end

# count LOG: adds what ctest's summary in LOG says; a log without one is a failure.
count() {
  local summary
  summary=$(grep -oE '[0-9]+ tests? failed out of [0-9]+' "$1" | tail -n 1)
  if [ -z "$summary" ]; then
    failed=$((failed + 1))
    trouble+="$(tail -n 30 "$1")"$'\n'
    return
  fi
  local bad=${summary%% *} all=${summary##* }
  failed=$((failed + bad))
  passed=$((passed + all - bad))
  [ "$bad" -eq 0 ] || trouble+="$(sed -n '/^The following tests FAILED/,$p' "$1")"$'\n'
}

# aslr PRESET: the command to run its tests under. clang 14's ThreadSanitizer cannot map its shadow where the kernel
# randomises addresses by more than 28 bits.
aslr() {
  local bits
  bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)
  if [ "$1" = tsan ] && [ "$bits" -gt 28 ] && setarch -R true 2>/dev/null; then echo setarch -R; fi
}

# test_preset PRESET [TEST_PRESET]
test_preset() {
  local preset=$1 tests=${2:-$1}
  local log=build/$preset/ctest.log build_log=build/$preset/build.log
  mkdir -p "build/$preset"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$(nproc)"; } 2>&1 | tee "$build_log"; then
    failed=$((failed + 1))
    trouble+="$preset does not build:"$'\n'"$(tail -n 40 "$build_log")"$'\n'
    return
  fi
  $(aslr "$preset") ctest --preset "$tests" --output-on-failure -j 2 2>&1 | tee "$log"
  count "$log"
}

check_format() {
  local files
  mapfile -t files < <(find runtime kernels demos tests -path tests/bench/baseline -prune -o \
    \( -name '*.h' -o -name '*.cc' \) -print | sort)
  local said
  if said=$(clang-format --dry-run -Werror "${files[@]}" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    trouble+="clang-format would change:"$'\n'"$(grep -oE '^[^:]+:[0-9]+' <<<"$said" | sort -u | head -n 40)"$'\n'
  fi
}

run_phase() {
  local begin=$SECONDS failed_before=$failed
  echo "==== $1"
  case $1 in
    dev | release | tsan | asan) test_preset "$1" ;;
    long) test_preset release long ;;
    format) check_format ;;
    *) echo "unknown part: $1"; failed=$((failed + 1)) ;;
  esac
  local verdict=ok
  [ "$failed" -eq "$failed_before" ] || verdict=failed
  summary+="$1: $verdict, $((SECONDS - begin)) s"$'\n'
  echo "==== $1: $verdict, $((SECONDS - begin)) s"
}

install_packages $packages_to_run $packages_to_test || exit 1
[ $# -gt 0 ] || set -- release tsan asan format
summary=
for phase in "$@"; do run_phase "$phase"; done
printf '\n%s\n%s' "$trouble" "$summary"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
