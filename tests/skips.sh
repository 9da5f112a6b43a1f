#!/bin/sh
# Fails where a log of tests has something left out that the list lacks, and says what.   tests/skips.sh LOG [LIST]
# The log has "skipped NAME: REASON", and below "ok      NAME" what that test did not check: "left out: REASON".
set -eu
list=${2:-$(dirname "$0")/skips.txt}
awk -v list="$list" '
    BEGIN {
        while ((got = getline line <list) > 0) {
            number++
            if (line ~ /^#/ || line == "") continue
            space = index(line, " ")
            if (!space) { print list ":" number ": \047" line "\047, expected a name and words of a reason"; faults++; continue }
            name[++n] = substr(line, 1, space - 1); words[n] = substr(line, space + 1)
        }
        if (got < 0) { print list ": cannot be read"; faults++ }
    }
    function permitted(test, reason,  i) {
        for (i = 1; i <= n; i++)
            if ((name[i] == test || name[i] == "*") && index(reason, words[i])) return 1
        return 0
    }
    /^(ok|FAILED) / { test = $2; sub(/:$/, "", test); next }
    /^skipped / { test = $2; sub(/:$/, "", test); reason = $0; sub(/^skipped [^ ]* /, "", reason) }
    /^ +left out: / { reason = $0; sub(/^ +left out: /, "", reason) }
    /^skipped / || /^ +left out: / {
        left_out++
        if (!permitted(test, reason)) { print "left out, and not on the list of " list ": " test ": " reason; faults++ }
    }
    END {
        if (!NR) { print "the log is empty"; faults++ }
        if (!faults) print left_out + 0 " tests or checks were left out, all by the list"
        exit faults > 0
    }' "$1"
