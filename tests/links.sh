#!/bin/sh
# Links of the documents that lead nowhere: files that are not there, and headings that no line of the file is, and sources that
# they name (`lib/...c`) and that are not there.   tests/links.sh
# A heading's anchor is its text in small letters, without what is neither letter, digit, hyphen nor underscore, blanks as hyphens.
cd "$(dirname "$0")/.." || exit 1
git ls-files '*.md' | xargs awk '
    function anchor(heading) {
        gsub(/^#+ +/, "", heading)
        gsub(/[^[:alnum:] _-]/, "", heading)
        gsub(/ /, "-", heading)
        return tolower(heading)
    }
    function plain(path,  before) { # without ./ and x/..
        do { before = path; sub(/(^|\/)[^\/.]+\/\.\.(\/|$)/, "/", path); sub(/^\//, "", path); gsub(/\/\.\//, "/", path) } while (path != before)
        sub(/\/$/, "", path)
        return path
    }
    FNR == 1 { code = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
    /^ *```/ { code = !code; next }
    code { next }
    /^#+ / { anchors[FILENAME "#" anchor($0)] = 1 }
    {
        rest = $0
        gsub(/`[^`]*`/, "", rest)
        while (match(rest, /\]\([^) ]+\)/)) {
            link = substr(rest, RSTART + 2, RLENGTH - 3)
            rest = substr(rest, RSTART + RLENGTH)
            if (link ~ /^[a-z]+:/) continue
            links[++n] = link; from[n] = FILENAME; line[n] = FNR; base[n] = folder
        }
    }
    END {
        for (i = 1; i <= n; i++) {
            hash = index(links[i], "#")
            file = hash ? substr(links[i], 1, hash - 1) : links[i]
            path = file == "" ? from[i] : plain(base[i] file)
            if (system("test -e \"" path "\"")) print from[i] ":" line[i] ": there is no " path
            else if (hash && path ~ /\.md$/ && !((path substr(links[i], hash)) in anchors))
                print from[i] ":" line[i] ": " path " has no heading " substr(links[i], hash)
        }
    }'
git ls-files '*.md' | xargs grep -noE '`(lib|tools|tests|kernels|reference|pipelines)/[A-Za-z0-9_./-]+\.(c|h|cu|cuh|sh|py)`' |
    while IFS=: read -r file line source; do
        source=${source#?} && source=${source%?}
        [ -e "$source" ] || echo "$file:$line: there is no $source"
    done
