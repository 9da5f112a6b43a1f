#!/bin/sh
# Links and pictures of a folder of pages: each leads to a file, and to a heading that the file has.   tools/site/check.sh FOLDER
set -eu
cd "$1"
find . -name '*.html' | sort | while read -r page; do
    tr '\n' ' ' <"$page" | grep -oE '(href|src)="[^"]*"' | sed 's/^[a-z]*="//; s/"$//' | sort -u | while read -r link; do
        case $link in [a-z]*:*) continue ;; esac
        file=${link%%#*}
        case $link in *#*) anchor=${link#*#} ;; *) anchor= ;; esac
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        if [ ! -f "$target" ]; then echo "$page: there is no $link"
        elif [ -n "$anchor" ] && ! grep -q "id=\"$anchor\"" "$target"; then echo "$page: $file has no #$anchor"; fi
    done
done >"${TMPDIR:-/tmp}/site.$$"
bad=$(cat "${TMPDIR:-/tmp}/site.$$")
rm "${TMPDIR:-/tmp}/site.$$"
[ -z "$bad" ] || { echo "$bad" >&2 && exit 1; }
