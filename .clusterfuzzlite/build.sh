#!/usr/bin/env bash
# Builds every fuzz target into $OUT, each with its corpus and its limits. The image sets the toolchain and the
# sanitizer; to run the script without the image: OUT=/some/folder RUSTUP_TOOLCHAIN=nightly .clusterfuzzlite/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -d fuzz ]] || cd "$SRC/drrvm"
: "${OUT:?where the targets go}"

cargo fuzz build -O --debug-assertions
./fuzz/fill.sh

target_dir=${CARGO_TARGET_DIR:-fuzz/target}
for file in fuzz/fuzz_targets/*.rs; do
  target=$(basename "$file" .rs)
  cp "$target_dir/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  zip -jqr "$OUT/${target}_seed_corpus.zip" "fuzz/corpus/$target"
  printf '[libfuzzer]\ntimeout = 10\nrss_limit_mb = 2048\n' > "$OUT/$target.options"
done
