#!/bin/sh
# Creates .venv and installs everything. Needs only python3 (3.11 or later); on Debian and Ubuntu it installs what else is missing.
# `setup.sh browser` installs the browser that the tests open the trace in, `setup.sh torch` PyTorch for the tests of its operators.
set -eu
cd "$(dirname "$0")/.."

torch=torch==2.13.0

say() { printf '%s\n' "$*"; }

install_packages() { # from Debian's or Ubuntu's packages, if we may
  command -v apt-get >/dev/null 2>&1 || return 1
  if [ "$(id -u)" = 0 ]; then run=""; elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then run="sudo"; else return 1; fi
  say "installing $*"
  $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null 2>&1 && return 0
  $run apt-get update -q >/dev/null 2>&1 && $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null 2>&1
}

if [ "${1:-}" = browser ]; then # for the tests of the trace
  for browser in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$browser" >/dev/null 2>&1; then exit 0; fi
  done
  install_packages --no-install-recommends chromium fonts-dejavu-core ||
    say "note: Chromium was not found; the tests that open the trace in it are skipped (install the package chromium)"
  exit 0
fi

if [ "${1:-}" = torch ]; then # its builds with CUDA, which are gigabytes, are left to those who have a GPU
  if .venv/bin/python -c 'import torch' 2>/dev/null; then exit 0; fi
  plan=.venv/torch.json
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --dry-run --report $plan "$torch" 2>/dev/null &&
    ! grep -q '"name": "\(nvidia\|cuda\)-' $plan &&
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$torch" 2>/dev/null ||
    say "note: pip has no build of PyTorch for the CPU here; the tests of its operators are skipped (install torch into .venv)"
  exit 0
fi

python=""
for candidate in python3 python3.13 python3.12 python3.11; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  say "error: Python 3.11 or later is needed (found: $(python3 --version 2>&1 || echo none))" >&2
  exit 1
fi

if ! command -v cc >/dev/null 2>&1 && ! command -v gcc >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
  install_packages gcc libc6-dev || say "note: no C compiler was found; compiled programs will not run (install gcc)"
fi

if ! command -v c++ >/dev/null 2>&1 && ! command -v g++ >/dev/null 2>&1 && ! command -v clang++ >/dev/null 2>&1; then
  install_packages g++ || say "note: no C++ compiler was found; CUDA code will not run on the CPU (install g++)"
fi

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  rm -rf .venv
  if ! "$python" -m venv .venv >/dev/null 2>&1; then
    rm -rf .venv
    version=$("$python" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')
    install_packages "python$version-venv" || install_packages python3-venv || {
      say "error: this Python cannot create virtual environments; install the package python3-venv" >&2
      exit 1
    }
    "$python" -m venv .venv
  fi
fi

say "installing OptiGPU and its tools into .venv"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]" 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
touch .venv/.ready
