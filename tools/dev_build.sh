#!/usr/bin/env bash
# Builds in build/dev for this machine's CPU level only, and links the result into src/agog, so that
# `PYTHONPATH=src python` runs the working tree. Call it again after an edit: only what changed is
# rebuilt.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${AGOG_BUILD_DIR:-build/dev}
if grep -q avx512bw /proc/cpuinfo 2>/dev/null; then level="avx2;avx512"
elif grep -q avx2 /proc/cpuinfo 2>/dev/null; then level=avx2
else level=baseline; fi
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DPython_EXECUTABLE="$(command -v python)" \
  -DAGOG_LEVELS="${AGOG_LEVELS:-$level}" "$@" > "$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" -j "${AGOG_JOBS:-2}"
for library in "$build"/*.so; do ln -sf "$(realpath "$library")" src/agog/; done
