# Sourced by the test scripts: . "$ROOT/tests/cli/lib.sh"
# The script runs in an empty scratch folder with GODWIT (the program), ROOT (the project) and GODWIT_DATA set.

# Under the leak sanitizer: fontconfig, which draws the letters of pictures, keeps a little memory of its own.
echo "leak:libfontconfig" >.suppressions
LSAN_OPTIONS="suppressions=$PWD/.suppressions:print_suppressions=0"
export LSAN_OPTIONS

die() {
    echo "$*"
    exit 1
}

# fails STATUS TEXT COMMAND...: the command ends with STATUS, says TEXT on stderr and nothing on stdout.
fails() {
    want=$1 text=$2
    shift 2
    got=0
    "$@" >fails.out 2>fails.err || got=$?
    [ "$got" -eq "$want" ] || die "exit status $got, expected $want: $* ($(cat fails.err))"
    grep -qF -e "$text" fails.err || die "stderr lacks '$text': $* ($(cat fails.err))"
    [ ! -s fails.out ] || die "wrote to stdout though it failed: $*"
    for left in *.tmp.*; do
        [ ! -e "$left" ] || die "left $left behind: $*"
    done
}

# same FILE FILE: equal bytes.
same() {
    cmp -s "$1" "$2" || die "$1 and $2 differ: $(diff "$1" "$2" | head -5)"
}

# has PROGRAM...: whether they are there to check something by. Where they are not the test's report says so.
has() {
    for program; do
        command -v "$program" >/dev/null || { echo "left out: a check by $program, which is not installed" && return 1; }
    done
}

# equal FOUND EXPECTED [WHAT]
equal() {
    [ "$1" = "$2" ] || die "${3:-value}: found '$1', expected '$2'"
}

# start COMMAND...: in the background, as process $run. A function that runs ${background:+exec} "$GODWIT" becomes the program there,
# so that a signal meets it and not a shell in front of it.
start() {
    (background=yes && "$@") &
    run=$!
}

# await COMMAND...: until COMMAND holds, as long as $run goes on.
await() {
    until "$@"; do
        kill -0 "$run" 2>/dev/null || die "the run ended before $*"
        sleep 0.01
    done
}

# lines FILE COUNT: the file has as many, or more.
lines() {
    [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

# For awk programs: draw(n) is a number below n, bases(n) a sequence; both go on from `seed`, and so are always the same.
DRAW='function draw(n) { seed = (seed * 16807) % 2147483647; return int(seed / 65536) % n }
    function bases(n,  s) { for (s = ""; n > 0; n--) s = s substr("ACGT", 1 + draw(4), 1); return s }
'

# genome CONTIGS LINES [NAME]: FASTA of contigs NAME1 (c1), NAME2 ..., each of so many lines of 50 bases.
genome() {
    awk -v contigs="$1" -v lines="$2" -v name="${3:-c}" "$DRAW"'
        BEGIN { seed = 1; for (c = 1; c <= contigs; c++) { print ">" name c; for (l = 0; l < lines; l++) print bases(50) } }'
}

# inside FILE.svg: no letter leaves the page.
inside() {
    awk '/<svg / { match($0, /viewBox="0 0 [0-9.]+/); width = substr($0, RSTART + 13, RLENGTH - 13) + 0 }
        /<use / { match($0, / x="[-0-9.]+/); x = substr($0, RSTART + 4, RLENGTH - 4) + 0
            letters++; if (x < 0 || x > width - 4) { print "a letter at " x " of " width; bad = 1 } }
        END { exit bad || !letters || !width }' "$1" || die "$1: text is cut off"
}

# ticks FILE.svg X LOW HIGH: how many ticks the y axis has that ends at X, between two heights of the page.
ticks() {
    grep -o 'd="M [0-9.]* [0-9.]* L [0-9.]* [0-9.]* "' "$1" | tr -d '"' | awk -v x="$2" -v low="$3" -v high="$4" '
        $2 == x - 5 && $5 == x && $3 == $6 && $3 >= low - 1 && $3 <= high + 1 { n++ } END { print n + 0 }'
}

# prepared NAME: the files that tests/cli/setups/NAME.sh makes. The first script of a run that asks makes them, and the others copy.
prepared() {
    : "${SETUPS:=$PWD/.setups}"
    mkdir -p "$SETUPS"
    made=$SETUPS/$1
    (
        flock 9
        [ ! -e "$made.done" ] || exit 0
        rm -rf "$made" && mkdir "$made" && cd "$made" || exit 1
        sh -eu "$ROOT/tests/cli/setups/$1.sh" >"$made.log" 2>&1 || { cat "$made.log" && exit 1; }
        : >"$made.done"
    ) 9>"$made.lock" || die "the set-up $1 failed"
    cp -a "$made/." .
}

# lacks_data FILE: says why where the real data set is absent: there is no folder of data sets, or it lacks this one.
lacks_data() {
    [ -z "${GODWIT_DATA:-}" ] || [ ! -e "$GODWIT_DATA/$1" ] || return 1
    [ -n "${GODWIT_DATA:-}" ] && echo "needs $1 in GODWIT_DATA" || echo "needs GODWIT_DATA for $1"
}

# needs_data FILE: skips the script where the real data set is absent.
needs_data() {
    ! lacks_data "$1" || exit 77
}

# needs_theory: sets THEORY, or skips the script where godwit-theory was left out.
needs_theory() {
    THEORY="$BUILD/godwit-theory"
    [ -x "$THEORY" ] && return
    echo "godwit-theory was not built: GMP, LAPACKE or CBLAS is missing"
    exit 77
}
