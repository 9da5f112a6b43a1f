#!/bin/sh
# Builds and checks every construction of docs/theory.md; tables and pictures go to a folder.
#   GODWIT=program THEORY=program [FULL=1] pictures.sh FOLDER
set -eu
out=$1
mkdir -p "$out"

# table NAME COMMAND...: runs the command and keeps what it prints as NAME.tsv
table() {
    name=$1
    shift
    echo "$name: $(basename "$1") $(shift && echo "$*")"
    "$@" >"$out/$name.tsv"
}

for graph in star bigbird full; do
    for grid in "-n 2" "-n 3" "-n 2 -d 2" "-n 3 --inverse-delta 3"; do
        # shellcheck disable=SC2086 # a list of words
        table "context-$graph-$(echo "$grid" | tr -d ' -')" "$THEORY" context -g "$graph" $grid
    done
done
table context "$THEORY" context -n 3 --inverse-delta 3 -o "$out/context.svg"
table context-window "$THEORY" context -g window
table context-printed "$THEORY" context --printed
table context-printed-wide "$THEORY" context -n 2 -d 2 --printed
