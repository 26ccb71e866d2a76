#!/usr/bin/env bash
# Installs cargo-fuzz and a nightly toolchain, because coverage and sanitizers are unstable flags of the compiler.
# A C++ compiler must be installed: libFuzzer is built from source.
set -euo pipefail

command -v c++ >/dev/null || { echo "fuzz/setup.sh: no C++ compiler (c++) on the path" >&2; exit 1; }
cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
if command -v rustup >/dev/null; then
  rustup run nightly rustc --version >/dev/null 2>&1 || rustup toolchain install nightly --profile minimal
  echo "ready: cargo +nightly fuzz run TARGET"
else
  echo "ready, with the installed toolchain, because rustup is not installed: RUSTC_BOOTSTRAP=1 cargo fuzz run TARGET"
fi
