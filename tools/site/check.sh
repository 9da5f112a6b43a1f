#!/bin/sh
# Links and pictures of a folder of pages: each leads to a file, and to a heading that the file has.   tools/site/check.sh FOLDER
set -eu
cd "$1"
bad=$(find . -type f | sort | awk '
    function plain(path,  before) { # without x/..
        do { before = path; sub(/(^|\/)[^\/.][^\/]*\/\.\.\//, "/", path); gsub(/\/\.\//, "/", path); gsub(/\/\/+/, "/", path) } while (path != before)
        sub(/^\.?\//, "", path)
        return path
    }
    { sub(/^\.\//, ""); there[$0] = 1; if (/\.html$/) pages[++n] = $0 }
    END {
        for (i = 1; i <= n; i++) {
            text = ""
            while ((getline line <pages[i]) > 0) text = text " " line
            close(pages[i])
            while (match(text, /(href|src|id)="[^"]*"/)) {
                item = substr(text, RSTART, RLENGTH - 1); text = substr(text, RSTART + RLENGTH)
                value = item; sub(/^[a-z]*="/, "", value)
                if (item ~ /^id/) ids[pages[i] "#" value] = 1
                else if (value !~ /^[a-z]+:/ && !seen[i, value]++) { links[++m] = value; from[m] = pages[i] }
            }
        }
        for (i = 1; i <= m; i++) {
            hash = index(links[i], "#")
            file = hash ? substr(links[i], 1, hash - 1) : links[i]
            folder = from[i]; sub(/[^\/]*$/, "", folder)
            path = file == "" ? from[i] : plain("./" folder file)
            if (!(path in there)) print "./" from[i] ": there is no " links[i]
            else if (hash && !((path substr(links[i], hash)) in ids)) print "./" from[i] ": " file " has no " substr(links[i], hash)
        }
    }')
[ -z "$bad" ] || { echo "$bad" >&2 && exit 1; }
