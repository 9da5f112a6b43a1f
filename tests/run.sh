#!/bin/sh
# Runs every test: the compiled ones (Criterion), then each script of tests/cli, tests/cuda and tests/real in a scratch folder.
#   tests/run.sh BUILD [NAME...]     NAME: only the scripts of these names (without .sh)
#   tests/run.sh --fast BUILD        only what is quick: under a minute on two cores
# A script passes with exit status 0; 77 means skipped (it says why on its last line). A script, and each compiled test, that
# takes longer than TEST_SECONDS (900) is stopped and has failed.
set -u
limit=${TEST_SECONDS:-900}
# What --fast leaves out of the compiled tests, and the scripts that it runs.
slow_suites='attention_modes|cuda|decoder|decoding|embedder|genome_bits|heads|kernel|markov|network|parity|plain|predictor|recompute'
slow_suites="$slow_suites|stem_model|temperature"
fast_scripts='test_bad_fasta test_bpe test_convert test_corpus test_encode test_fuzz_corpus test_genes test_graph test_liftover
    test_locks test_models test_mutate test_predict test_profiles test_promoters test_questions test_rouge test_score
    test_score_forms test_score_headers test_tokenizer_json test_tss test_view'
fast=
[ "${1:-}" != --fast ] || { fast=yes && shift; }
# Two test programs run at a time, each on all cores: threads that wait for others sleep rather than spin.
export OMP_WAIT_POLICY=passive
build=$(cd "$1" && pwd) && shift
root=$(cd "$(dirname "$0")/.." && pwd)
GODWIT="$build/godwit" ROOT="$root" BUILD="$build"
GODWIT_DATA=$(cd "${GODWIT_DATA:-$root/../shared/data}" 2>/dev/null && pwd)
export GODWIT ROOT BUILD GODWIT_DATA

passed=0 failed=0 skipped=0 running=
if [ $# -eq 0 ]; then
    if "$build/tests/all" -j2 --timeout "$limit" ${fast:+--filter "!($slow_suites)/*"} >"$build/tests/log" 2>&1; then
        grep Synthesis "$build/tests/log"
    else
        cat "$build/tests/log"
        failed=1
    fi
    passed=$(sed -n 's/.*Passing: *\([0-9]*\).*/\1/p' "$build/tests/log" | tail -n 1)
    passed=${passed:-0}
    [ -z "$fast" ] || set -- $fast_scripts
fi

# A script is stopped with all that it started once it is over the limit, and when this one is.
trap 'kill "$running" 2>/dev/null; exit 130' INT TERM
run_script() {
    name=$(basename "$1" .sh)
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-$name.XXXXXX")
    timeout -k 10 "$limit" env -C "$scratch" --default-signal=INT,QUIT sh -eu "$1" >"$scratch.log" 2>&1 &
    running=$!
    wait "$running"
    case $? in
    0) passed=$((passed + 1)) && echo "ok      $name" ;;
    124 | 137) failed=$((failed + 1)) && echo "FAILED  $name: stopped after its limit of $limit s" && tail -n 20 "$scratch.log" | sed 's/^/    /' ;;
    77) skipped=$((skipped + 1)) && echo "skipped $name: $(tail -n 1 "$scratch.log")" ;;
    *) failed=$((failed + 1)) && echo "FAILED  $name" && tail -n 60 "$scratch.log" | sed 's/^/    /' ;;
    esac
    rm -rf "$scratch" "$scratch.log"
}

for script in "$root"/tests/cli/test_*.sh "$root"/tests/cuda/test_*.sh "$root"/tests/real/test_*.sh; do
    [ -e "$script" ] || continue
    if [ $# -gt 0 ]; then
        case " $* " in *" $(basename "$script" .sh) "*) ;; *) continue ;; esac
    fi
    run_script "$script"
done
echo "$passed passed, $failed failed, $skipped skipped (at most $limit s each)"
[ "$failed" -eq 0 ]
