#!/bin/sh
# Runs every test: the compiled ones (Criterion), then each script of tests/cli, tests/cuda and tests/real in a scratch folder.
#   tests/run.sh BUILD [NAME...]     NAME: only the scripts of these names (without .sh)
#   tests/run.sh --fast BUILD        only what is quick: under a minute on two cores (tests/tiers.txt)
#   tests/run.sh --times ...         then tells the processor seconds of each script, the longest first
# TEST_JOBS run at a time (as many as there are processors, at most 4), and results stand in the order of the scripts. A script
# passes with exit status 0; 77 means skipped (it says why on its last line), and a line "left out: WHAT" that it did not check that.
# tests/skips.sh holds what is said of both to a list. A script, and each compiled test, that takes longer
# than TEST_SECONDS (900) is stopped and has failed.
set -u
limit=${TEST_SECONDS:-900}
# tier NAME: the tests of that tier, by tests/tiers.txt.
tier() { sed -n "s/^$1 //p" "$(dirname "$0")/tiers.txt"; }
slow_suites=$(tier slow | paste -s -d '|') fast_scripts=$(tier fast) long_scripts=$(tier first)
fast='' times=''
while :; do
    case ${1:-} in
    --fast) fast=yes ;;
    --times) times=yes ;;
    *) break ;;
    esac
    shift
done
jobs=${TEST_JOBS:-$(nproc 2>/dev/null || echo 2)}
[ -n "${TEST_JOBS:-}" ] || [ "$jobs" -le 4 ] || jobs=4
# Several programs run at a time, each on all cores: threads that wait for others sleep rather than spin.
export OMP_WAIT_POLICY=passive
build=$(cd "$1" && pwd) && shift
root=$(cd "$(dirname "$0")/.." && pwd)
GODWIT="$build/godwit" ROOT="$root" BUILD="$build"
GODWIT_DATA=$(cd "${GODWIT_DATA:-$root/../shared/data}" 2>/dev/null && pwd)
export GODWIT ROOT BUILD GODWIT_DATA

passed=0 failed=0 skipped=0
if [ $# -eq 0 ]; then
    # The emulated GPU's launches, which test_ptx repeats.
    EMU_RECORD=$build/tests/launches
    export EMU_RECORD
    rm -rf "$EMU_RECORD"
    mkdir -p "$EMU_RECORD"
    if "$build/tests/all" -j"$jobs" --tap="$build/tests/tap" --timeout "$limit" ${fast:+--filter "!($slow_suites)/*"} >"$build/tests/log" 2>&1; then
        grep Synthesis "$build/tests/log"
        sed -n 's/^ok - \(.*[^ ]\)  *# SKIP \(.*\)/skipped \1: \2/p' "$build/tests/tap"
    else
        cat "$build/tests/log"
        failed=1
    fi
    unset EMU_RECORD
    passed=$(sed -n 's/.*Passing: *\([0-9]*\).*/\1/p' "$build/tests/log" | tail -n 1)
    passed=${passed:-0}
    [ -z "$fast" ] || set -- $fast_scripts
fi

# scripts NAME...: the scripts of these names, or all, as FOLDER/NAME.
scripts() {
    for script in "$root"/tests/cli/test_*.sh "$root"/tests/cuda/test_*.sh "$root"/tests/real/test_*.sh; do
        name=$(basename "$script" .sh)
        [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
        [ ! -e "$script" ] || echo "$(basename "$(dirname "$script")")/$name"
    done
}

# run_script FOLDER/NAME: leaves its words, processor seconds and exit status beside its scratch folder.
run_script() {
    scratch=$results/${1#*/}
    mkdir "$scratch"
    # shellcheck disable=SC2016 # the inner shell's own arguments
    timeout -k 10 "$limit" env -C "$scratch" --default-signal=INT,QUIT \
        sh -c 'sh -eu "$1"; status=$?; times >"$2"; exit "$status"' - "$root/tests/$1.sh" "$scratch.times" >"$scratch.log" 2>&1 &
    running=$!
    wait "$running"
    echo $? >"$scratch.ended"
    mv "$scratch.ended" "$scratch.status"
    rm -rf "$scratch"
}

# lane FOLDER/NAME...: runs those that no other lane has begun.
lane() {
    running=
    trap 'kill "$running" 2>/dev/null; exit 130' TERM
    for script; do
        ! mkdir "$results/${script#*/}.begun" 2>/dev/null || run_script "$script"
    done
}

# report NAME
report() {
    log=$results/$1.log
    case $(cat "$results/$1.status" 2>/dev/null) in
    0) passed=$((passed + 1)) && echo "ok      $1" && sed -n 's/^left out: /        &/p' "$log" ;;
    124 | 137) failed=$((failed + 1)) && echo "FAILED  $1: stopped after its limit of $limit s" && tail -n 20 "$log" | sed 's/^/    /' ;;
    77) skipped=$((skipped + 1)) && echo "skipped $1: $(tail -n 1 "$log")" ;;
    '') failed=$((failed + 1)) && echo "FAILED  $1: its end was not seen" ;;
    *) failed=$((failed + 1)) && echo "FAILED  $1" && tail -n 60 "$log" | sed 's/^/    /' ;;
    esac
}

# alive: whether a lane goes on.
alive() {
    for lane in $lanes; do
        ! kill -0 "$lane" 2>/dev/null || return 0
    done
    return 1
}

# seconds: processor seconds of each script and all that it started.
seconds() {
    for name; do
        [ ! -e "$results/$name.times" ] || awk -v name="$name" 'NR == 2 { gsub(/[ms]/, " "); split($0, t, " ")
            printf "%8.2f %s\n", 60 * (t[1] + t[3]) + t[2] + t[4], name }' "$results/$name.times"
    done | sort -rn
}

results=$(mktemp -d "${TMPDIR:-/tmp}/godwit-tests.XXXXXX")
SETUPS=$results/setups # what several scripts begin with: prepared() of tests/cli/lib.sh
export SETUPS
mkdir "$SETUPS"
lanes=
# A script is stopped with all that it started once it is over the limit, and when this one is.
# shellcheck disable=SC2086 # a list of processes
trap 'kill $lanes 2>/dev/null; wait; rm -rf "$results"; exit 130' INT TERM
all=$(scripts "$@")
order=$(for script in $(scripts $long_scripts) $all; do case " $(echo $all) " in *" $script "*) echo "$script" ;; esac; done)
while [ "$jobs" -gt 0 ]; do
    # shellcheck disable=SC2086 # a list of scripts
    lane $order &
    lanes="$lanes $!" jobs=$((jobs - 1))
done
for script in $all; do
    while [ ! -e "$results/${script#*/}.status" ] && alive; do sleep 0.1; done
    report "${script#*/}"
done
wait
# shellcheck disable=SC2046 # a list of names
[ -z "$times" ] || seconds $(echo "$all" | sed 's|.*/||')
rm -rf "$results"
echo "$passed passed, $failed failed, $skipped skipped (at most $limit s each)"
[ "$failed" -eq 0 ]
