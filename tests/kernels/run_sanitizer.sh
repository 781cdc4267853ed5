#!/usr/bin/env bash
# Runs the tests that need a CUDA device under compute-sanitizer, from the checkout's root:
#
#   tests/kernels/run_sanitizer.sh [tool ...] [-- pytest options]
#
# Tools: memcheck racecheck initcheck synccheck; memcheck and racecheck where none is named. Needs
# compute-sanitizer on the PATH and an environment with cupy, numpy, pytest and hypothesis (PYTHON
# names its interpreter, python3 otherwise). Ends with 1 where a tool found anything.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=${PYTHON:-python3}
tools=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  tools+=("$1")
  shift
done
[ $# -gt 0 ] && shift
[ ${#tools[@]} -gt 0 ] || tools=(memcheck racecheck)

command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is not on the PATH" >&2; exit 2; }

# Every array gets memory of its own: inside a pool's block no tool sees where one array ends.
export BIDCASCADE_TEST_WITHOUT_POOL=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
failed=0
for tool in "${tools[@]}"; do
  printf '\n== %s\n' "$tool"
  options=(--tool "$tool" --target-processes all --error-exitcode 9 --print-limit 20)
  case $tool in
    memcheck) options+=(--padding 256) ;;
    racecheck) options+=(--racecheck-report all) ;;
  esac
  # no options of plugins, which need not be there; warnings of other versions are no findings
  if compute-sanitizer "${options[@]}" "$python" -m pytest -p _hypothesis_pytestplugin -o addopts= -o timeout=0 \
    -W default --import-mode=importlib tests/kernels -m gpu -q \
    --hypothesis-profile=sanitizer "$@"; then
    echo "$tool: clean"
  else
    echo "$tool: failed" >&2
    failed=1
  fi
done
exit "$failed"
