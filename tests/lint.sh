#!/bin/sh
# Rules that a compiler does not check.   tests/lint.sh BUILD
#   who may include whom, licence lines, formatting, names that the library exports, shell syntax, blanks at line ends
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
faults=0
fault() {
    echo "lint: $*"
    faults=$((faults + 1))
}

# Layers, from the bottom; a folder may include itself and what stands before it on its line.
allowed() {
    case $1 in
    lib/base) echo base ;;
    kernels) echo base kernels ;;
    lib/seq | lib/text | lib/store | lib/measure) echo base "$(basename "$1")" ;;
    lib/graph) echo base kernels graph ;;
    lib/data | lib/label) echo base seq text "$(basename "$1")" ;;
    lib/nn) echo base kernels graph nn ;;
    lib/model) echo base kernels graph nn text store model ;;
    lib/score) echo base kernels graph nn text store model seq score ;;
    lib/run) echo base kernels graph nn text store model seq score data label measure run ;;
    tools) echo base kernels graph nn text store model seq score data label measure run tools ;;
    esac
}

for folder in lib/base kernels lib/seq lib/text lib/graph lib/store lib/measure lib/data lib/label lib/nn lib/model lib/score lib/run tools; do
    rule=" $(allowed "$folder" | tr '\n' ' ') "
    for file in $(git ls-files "$folder/*.c" "$folder/*.h" "$folder/*.cu"); do
        for layer in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
            case "$rule" in *" $layer "*) ;; *) fault "$file includes $layer/, which is not below $folder" ;; esac
        done
    done
done
grep -lE '^#include <htslib/' $(git ls-files '*.c' '*.h') | grep -v '^lib/seq/' | grep -v '^tests/' |
    while read -r file; do echo "lint: $file includes HTSlib, which only lib/seq may"; done >"$build/lint.out"
grep -lE '^#include <cairo' $(git ls-files '*.c' '*.h') | grep -v '^tools/' |
    while read -r file; do echo "lint: $file includes cairo, which only tools may"; done >>"$build/lint.out"
grep -lE '^#include <cu' $(git ls-files '*.c' '*.h' '*.cu') | grep -v '^kernels/cuda/' |
    while read -r file; do echo "lint: $file includes CUDA, which only kernels/cuda may"; done >>"$build/lint.out"
grep -nE '^#include "' $(git ls-files 'reference/*') | grep -v '"reference/' >>"$build/lint.out"
grep -nE '^#pragma omp' $(git ls-files '*.c' '*.h') | grep -v '^lib/base/parallel.c' >>"$build/lint.out"
grep -nE '[[:blank:]]$' $(git ls-files '*.c' '*.h' '*.cu' '*.sh' '*.md' '*.def' Makefile) >>"$build/lint.out"
grep -nP '\t' $(git ls-files '*.c' '*.h' '*.cu' '*.def') >>"$build/lint.out"
[ -s "$build/lint.out" ] && fault "$(cat "$build/lint.out")"

for file in $(git ls-files '*.c' '*.h' '*.cu' '*.def'); do
    head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fault "$file does not begin with its licence line"
done
for script in $(git ls-files '*.sh') .ci/run; do
    bash -n "$script" || fault "$script is not valid shell"
done
nm -g --defined-only "$build/libgodwit.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^gw_/ {print $3}' | sort -u >"$build/lint.out"
[ -s "$build/lint.out" ] && fault "libgodwit exports names without gw_: $(tr '\n' ' ' <"$build/lint.out")"

if command -v clang-format >/dev/null 2>&1; then
    clang-format --dry-run --Werror $(git ls-files '*.c' '*.h' '*.cu') 2>"$build/lint.out" ||
        fault "not formatted (make format): $(grep -oE '^[a-z][a-z0-9_/]*\.(c|h|cu):' "$build/lint.out" | sort -u | tr '\n' ' ')"
else
    echo "lint: clang-format is not installed; formatting was not checked"
fi
[ "$faults" -eq 0 ] && echo "lint: clean"
[ "$faults" -eq 0 ]
