#!/usr/bin/env bash
# Builds the demos and the strandcore tool, from a bare Debian 12 with g++, cmake and git, and runs the main job.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/packages.sh

install_packages $packages_to_run
# The same folder as the tests' release build, which switches the rest on again.
cmake --preset release -DSTRANDCORE_TESTS=OFF -DSTRANDCORE_BENCHMARKS=OFF
cmake --build --preset release --target demos -j "$(nproc)"
exec build/release/demos/03_two_cores
