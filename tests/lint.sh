#!/bin/sh
# Rules that a compiler does not check.   tests/lint.sh BUILD
#   who may include whom, circles of files, licence lines, formatting, names that the library exports, shell syntax, links of documents,
#   blanks at line ends, long lines
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
faults=0
fault() {
    echo "lint: $*"
    faults=$((faults + 1))
}

# Who may include whom stands in the table of docs/background/architecture.md, and nowhere else: folder, what it knows, what it may
# include. A file belongs to the innermost folder that the table names; the row of lib is for the files that lie there. An
# include without a folder is one of lib's headers.
awk -F'|' '/^\| `/ { gsub(/[` ]/, "", $2); gsub(/[ ,]+/, " ", $4); print $2 $4 }' docs/background/architecture.md >"$build/lint.rules"
git ls-files 'lib/*.[ch]' 'kernels/*' 'tools/*.[ch]' 'reference/*.[ch]' | awk -v rules="$build/lint.rules" '
    function parent(path) { return sub(/\/[^\/]*$/, "", path) ? path : "" }
    BEGIN { while ((getline line <rules) > 0) { name = line; sub(/ .*/, "", name); sub(/^[^ ]* /, "", line); rule[name] = line } }
    {
        home = folder = parent($0)
        while (folder != "" && !(folder in rule)) folder = parent(folder)
        if (folder == "" || (folder == "lib" && home != "lib")) {
            print $0 " is in a folder that the table of docs/background/architecture.md lacks"
            next
        }
        own = folder; sub(/^lib\//, "", own); sub(/\/.*/, "", own)
        while ((getline line <$0) > 0) {
            if (line !~ /^#include "/) continue
            sub(/^#include "/, "", line); sub(/".*/, "", line)
            layer = line ~ /\// ? substr(line, 1, index(line, "/") - 1) : "lib"
            if (index(" " rule[folder] " " own " ", " " layer " ") == 0)
                print $0 " includes " layer "/, which docs/background/architecture.md does not let " folder " do"
        }
        close($0)
    }' >"$build/lint.out"
[ -s "$build/lint.out" ] && fault "$(cat "$build/lint.out")"
sh tests/circles.sh "$build" >"$build/lint.out" || fault "files that stand on each other: $(cat "$build/lint.out")"
grep -lE '^#include <htslib/' $(git ls-files '*.c' '*.h') | grep -vE '^lib/(seq|file)/|^tests/' |
    while read -r file; do echo "lint: $file includes HTSlib, which only lib/seq and lib/file may"; done >"$build/lint.out"
grep -lE '^#include <cairo' $(git ls-files '*.c' '*.h') | grep -v '^tools/' |
    while read -r file; do echo "lint: $file includes cairo, which only tools may"; done >>"$build/lint.out"
grep -lE '^#include <cu([^r]|ra)' $(git ls-files '*.c' '*.h' '*.cu' '*.cc') | grep -v '^kernels/cuda/\|^tests/cuda/occupancy.cc$\|^tests/cuda/cute/' |
    while read -r file; do echo "lint: $file includes CUDA, which only kernels/cuda and, of tests/cuda, occupancy.cc and cute may"; done >>"$build/lint.out"
grep -lE '^#include <mpi' $(git ls-files '*.c' '*.h') | grep -v '^lib/run/mpi/' |
    while read -r file; do echo "lint: $file includes MPI, which only lib/run/mpi may"; done >>"$build/lint.out"
grep -lE '^#include <(arrow|parquet)/' $(git ls-files '*.c' '*.h' '*.cc') | grep -v '^lib/file/parquet/' |
    while read -r file; do echo "lint: $file includes Arrow, which only lib/file/parquet may"; done >>"$build/lint.out"
grep -nE '^#include "' $(git ls-files 'reference/*') | grep -v '"reference/' >>"$build/lint.out"
grep -nE '^#pragma omp' $(git ls-files '*.c' '*.h') | grep -v '^lib/base/parallel.c' >>"$build/lint.out"
grep -nE '[[:blank:]]$' $(git ls-files '*.c' '*.h' '*.cu' '*.sh' '*.md' '*.def' Makefile) >>"$build/lint.out"
# clang-format leaves strings as they are
grep -nE '^.{121}' $(git ls-files '*.c' '*.h' '*.cu' '*.cc' '*.def') >>"$build/lint.out"
grep -nP '\t' $(git ls-files '*.c' '*.h' '*.cu' '*.cc' '*.def') >>"$build/lint.out"
[ -s "$build/lint.out" ] && fault "$(cat "$build/lint.out")"
sh tests/links.sh >"$build/lint.out"
[ -s "$build/lint.out" ] && fault "links that lead nowhere: $(cat "$build/lint.out")"
[ "$(wc -l <README.md)" -le 80 ] || fault "README.md is longer than 80 lines"

awk 'FNR == 1 && !/SPDX-License-Identifier: MIT/ { print FILENAME " does not begin with its licence line" }
    FNR == 2 && FILENAME ~ /\.c$/ && !/^\/\/ / { print FILENAME " does not say what it does under its licence line" }
    FNR == 2 { nextfile }' $(git ls-files '*.c' '*.h' '*.cu' '*.cc' '*.def') >"$build/lint.out"
[ -s "$build/lint.out" ] && fault "$(cat "$build/lint.out")"
for script in $(git ls-files '*.sh') .ci/run; do
    bash -n "$script" || fault "$script is not valid shell"
done
nm -g --defined-only "$build/libgodwit.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^gw_/ {print $3}' | sort -u >"$build/lint.out"
[ -s "$build/lint.out" ] && fault "libgodwit exports names without gw_: $(tr '\n' ' ' <"$build/lint.out")"

if command -v abidiff >/dev/null 2>&1; then
    abidiff --no-architecture tests/data/libgodwit.abi.xml "$build/libgodwit.abi.xml" >"$build/lint.out" ||
        fault "the shared library's interface changed (docs/guides/library.md says what then): $(cat "$build/lint.out")"
else
    echo "skipped lint: the library's interface was not compared: abidiff is not installed"
fi
if command -v clang-format >/dev/null 2>&1; then
    clang-format --dry-run --Werror $(git ls-files '*.c' '*.h' '*.cu' '*.cc') 2>"$build/lint.out" ||
        fault "not formatted (make format): $(grep -oE '^[a-z][a-z0-9_/]*\.(c|h|cu|cc):' "$build/lint.out" | sort -u | tr '\n' ' ')"
else
    echo "skipped lint: formatting was not checked: clang-format is not installed"
fi
[ "$faults" -eq 0 ] && echo "lint: clean"
[ "$faults" -eq 0 ]
