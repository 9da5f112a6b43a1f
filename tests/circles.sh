#!/bin/sh
# Circles of files: prints them, and fails where there are any.   tests/circles.sh BUILD
#
# A file is a source with the header of its name. It stands on another whose functions or data it uses (what its object
# leaves undefined) or whose header it includes. Three things do not count:
#   a header without a source of its name: what the files of one part share, or a contract
#   a header that declares what the source defines: it is the source's own, whatever its name
#   rows of a table (.def): what looks one up knows none of them; their names are put together, and stand nowhere
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
sources=$(git ls-files 'lib/*.c' 'kernels/*.c' 'tools/*.c')
headers=$(git ls-files 'lib/*.h' 'kernels/*.h' 'tools/*.h')
find "$build/lib" "$build/kernels" "$build/tools" -name '*.o' | LC_ALL=C sort | xargs nm -A -g |
    sed -e "s|^$build/||" -e 's|^kernels/cpu/isa/[a-z0-9]*/|kernels/cpu/isa/|' >"$build/circles.symbols"

awk '
function stem(file) { return substr(file, 1, length(file) - 2) }
function path(name) { return "lib/" name in known ? "lib/" name : name }
BEGIN { for (i = 1; i < ARGC - 1; i++) known[ARGV[i]] = 1 }
FILENAME ~ /[.]symbols$/ {
    file = stem(substr($1, 1, index($1, ":") - 1))
    if (!(file ".c" in known)) next
    if ($(NF - 1) == "U") uses[file, $NF] = 1
    else {
        defined_in[$NF] = file
        names[file] = names[file] " " $NF
    }
    next
}
/^#include "/ { split($0, quoted, "\""); includes[FILENAME, path(quoted[2])] = 1 }
/^#include .*([.]def"|_DEF)$/ { has_table[stem(FILENAME)] = 1 }
FILENAME ~ /[.]h$/ && /^[a-z]/ && !/^static/ {
    for (line = $0; match(line, /gw_[a-z0-9_]+/); line = substr(line, RSTART + RLENGTH))
        declares[FILENAME, substr(line, RSTART, RLENGTH)] = 1
}
FILENAME ~ /[.]c$/ { text[stem(FILENAME)] = text[stem(FILENAME)] $0 "\n" }
function declares_of(header, file,   i, count, name) {
    count = split(names[file], name, " ")
    for (i = 1; i <= count; i++)
        if ((header, name[i]) in declares) return 1
    return 0
}
END {
    for (include in includes) {
        split(include, part, SUBSEP)
        if (part[1] ~ /[.]h$/ && part[2] ~ /[.]h$/) print part[1], part[2]
        from = stem(part[1])
        to = stem(part[2])
        if (from ".c" in known && to ".c" in known && to != "lib/godwit" && !declares_of(part[2], from)) print from, to
    }
    for (use in uses) {
        split(use, part, SUBSEP)
        to = defined_in[part[2]]
        if (to != "" && (!(part[1] in has_table) || index(text[part[1]], part[2]))) print part[1], to
    }
}' $sources $headers "$build/circles.symbols" >"$build/circles.edges" || exit 1
awk '$1 != $2' "$build/circles.edges" | LC_ALL=C sort -u | tsort 2>&1 >/dev/null |
    sed 's/^tsort: //; s/^-: input.*/a circle of files:/' >"$build/circles.out"
cat "$build/circles.out"
[ ! -s "$build/circles.out" ]
