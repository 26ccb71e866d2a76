#!/usr/bin/env bash
# Fills fuzz/corpus/ (not committed) with inputs to start from: the seeds, the inputs in fuzz/regressions/, and
# the project's rule files, IR and test cases. If the sources of LLVM are available, the inputs include tests of LLVM
# and MLIR.
set -euo pipefail
cd "$(dirname "$0")"

for folder in seeds/* regressions/*; do
  [[ -d $folder ]] || continue
  mkdir -p "corpus/$(basename "$folder")"
  cp "$folder"/* "corpus/$(basename "$folder")/"
done

# The name of an input is its path. Large inputs are skipped, because they make the fuzzer slow.
take() {
  local target=$1 file=$2 name
  [[ $(stat -c %s "$file") -le 20000 ]] || return 0
  name=${file//[^A-Za-z0-9.]/_}
  cp "$file" "corpus/$target/$name"
}

while IFS= read -r file; do take tablegen "$file"; done \
  < <(find ../examples ../tests ../src/frontend/prelude -name '*.td')
while IFS= read -r file; do
  take mlir "$file"
  if grep -q 'pdl\.pattern' "$file"; then take pdl "$file"; fi
done < <(find ../examples ../tests ../benches -name '*.mlir')

# A case of the corpus is one file with sections: "=== rules.td", "=== rules.mlir", "=== ir", ...
for file in ../tests/corpus/*.case; do
  [[ -e $file ]] || continue
  name=$(basename "$file" .case)
  awk -v name="$name" '
    /^=== / {
      out = ""
      if ($2 == "rules.td") out = "corpus/tablegen/case_" name ".td"
      if ($2 == "rules.mlir") out = "corpus/pdl/case_" name ".mlir"
      if ($2 == "ir" || $2 == "rewritten") out = "corpus/mlir/case_" name "_" $2 ".mlir"
      next
    }
    out != "" { print > out }' "$file"
done

llvm=${DRRVM_LLVM:-$HOME/.cache/drrvm/llvm-22}
if [[ -d $llvm ]]; then
  while IFS= read -r file; do take tablegen "$file"; done \
    < <(find "$llvm/llvm/test/TableGen" "$llvm/mlir/test/mlir-tblgen" -name '*.td' 2>/dev/null)
  while IFS= read -r file; do take mlir "$file"; done < <(find "$llvm/mlir/test/IR" -name '*.mlir' 2>/dev/null)
  while IFS= read -r file; do take pdl "$file"; done \
    < <(grep -rl --include="*.mlir" "pdl\.pattern" "$llvm/mlir")
else
  echo "fuzz/fill.sh: no MLIR sources at $llvm, so the inputs are only the project's files"
fi

for folder in corpus/*; do printf '%6d inputs for %s\n' "$(find "$folder" -type f | wc -l)" "$(basename "$folder")"; done
