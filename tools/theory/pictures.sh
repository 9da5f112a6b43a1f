#!/bin/sh
# Builds and checks every construction of docs/background/theory.md; tables and pictures go to a folder.
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

machines=$(dirname "$0")/machines
for run in "addition 111+11" "increment 1011" "palindrome abba" "copy ab" busy-beaver-2 busy-beaver-3 busy-beaver-4; do
    machine=${run%% *} word=
    [ "$machine" = "$run" ] || word=${run#* }
    table "turing-$machine" "$THEORY" turing "$machines/$machine.tm" -i "$word" -o "$out/turing-$machine.png"
done
table turing-sweep "$THEORY" turing "$machines/sweep.tm" --steps 100 --float-steps 2500

table furthest "$THEORY" furthest -o "$out/furthest.svg"
table approximator "$THEORY" approximator -o "$out/approximator.svg"
table graph-curves "$GODWIT" graph --curves "$out/graph-curves.svg"
table flex-algorithm "$THEORY" flex algorithm
for n in 128 256 512 1024 ${FULL:+2048 3072}; do
    table "flex-theorem-$n" "$THEORY" flex theorem -n "$n"
done
table flex-theorem-causal "$THEORY" flex theorem -n 512 -k 2 --gamma 2 --causal

# panel NAME OPTIONS...: one setting of the smallest d against n; with FULL=1, unless the folder has it from an earlier run
most=1024
[ -z "${FULL:-}" ] || most=3072
panel() {
    name=$1
    shift
    if [ -n "${FULL:-}" ] && grep -qs "^$most	4	" "$out/flex-$name.tsv" && grep -q "^bound_slope" "$out/flex-$name.tsv"; then
        echo "flex-$name: is there"
        return
    fi
    table "flex-$name" "$THEORY" flex curve -q --most "$most" "$@" -o "$out/flex-$name.svg"
}
# two processes at a time: the search computes on one thread
(panel k1 && panel k1-close --epsilon1 0.25 && panel k3 -k 3 --epsilon2 3) &
other=$!
panel k2 -k 2 --gamma 2 && panel k2-flat -k 2 && panel k4 -k 4 --epsilon2 4
wait "$other"
